// Errors of the REST catalog: status, type and body.
#pragma once

#include <string>

#include "base/result.h"
#include "server/http_server.h"

namespace iceblink::server {

// {"error": {"message", "type", "code"}}; the status is that of the error's Java class where the
// class decides, else of its code.
HttpResponse RestErrorResponse(const HttpRequest& request, const Error& error);

// kInvalidArgument, IllegalArgumentException: 400.
tl::unexpected<Error> BadRequest(std::string message);

}  // namespace iceblink::server
