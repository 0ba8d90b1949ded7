// What a REST server's refusal means: from HTTP status and the error's type to our error, with the
// class and words of Java's ErrorHandlers. Pure functions.
#pragma once

#include "base/result.h"
#include "io/http.h"

namespace iceblink::catalog::rest {

// What was asked for: the same status means different things.
enum class Subject : uint8_t {
  kOther,
  kConfig,
  kNamespace,
  kDropNamespace,
  kTable,
  kTableCommit,
  kTableCreation,  // the commit that makes a staged table
  kView,
  kViewCommit,
};

// The error of a response whose status is not 2xx.
Error ErrorOfResponse(const io::HttpResponse& response, Subject subject);

// Whether the call changes a table or view in one step whose outcome must be known.
bool IsCommit(Subject subject);

}  // namespace iceblink::catalog::rest
