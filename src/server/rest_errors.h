// Errors of the REST catalog: status, type and body.
#pragma once

#include <string>

#include "base/result.h"
#include "server/http_server.h"

namespace iceblink::server {

// HTTP status of an error: that of its Java class where the class decides, else of its code.
int RestStatus(const Error& error);
// {"error": {"message", "type", "code"}}
HttpResponse RestErrorResponse(const HttpRequest& request, const Error& error);

// kInvalidArgument, IllegalArgumentException: 400.
tl::unexpected<Error> BadRequest(std::string message);

}  // namespace iceblink::server
