#include "io/arrow/arrow_errors.h"

#include <arrow/util/io_util.h>

#include <array>
#include <cerrno>

namespace iceblink::io {
namespace {

// What a message contains, and what that means to a caller; the first that fits.
struct Meaning {
  std::string_view words;
  ErrorCode code;
  std::string_view exception;  // empty: the store's own
};
constexpr std::array kMeanings = {
    Meaning{"NO_SUCH_BUCKET", ErrorCode::kNotFound, "NoSuchBucketException"},
    Meaning{"The specified bucket does not exist", ErrorCode::kNotFound, "NoSuchBucketException"},
    Meaning{"ContainerNotFound", ErrorCode::kNotFound, "NoSuchBucketException"},
    Meaning{"NO_SUCH_KEY", ErrorCode::kNotFound, "NotFoundException"},
    Meaning{"RESOURCE_NOT_FOUND", ErrorCode::kNotFound, "NotFoundException"},
    Meaning{"BlobNotFound", ErrorCode::kNotFound, "NotFoundException"},
    Meaning{"Path does not exist", ErrorCode::kNotFound, "NotFoundException"},
    Meaning{"InvalidRange", ErrorCode::kCorrupt, "EOFException"},
    Meaning{"range is not satisfiable", ErrorCode::kCorrupt, "EOFException"},
    Meaning{"past end of file", ErrorCode::kCorrupt, "EOFException"},
    Meaning{"PreconditionFailed", ErrorCode::kAlreadyExists, "AlreadyExistsException"},
    Meaning{"BlobAlreadyExists", ErrorCode::kAlreadyExists, "AlreadyExistsException"},
    Meaning{"ACCESS_DENIED", ErrorCode::kForbidden, ""},
    Meaning{"INVALID_ACCESS_KEY_ID", ErrorCode::kForbidden, ""},
    Meaning{"SIGNATURE_DOES_NOT_MATCH", ErrorCode::kForbidden, ""},
    Meaning{"INVALID_SIGNATURE", ErrorCode::kForbidden, ""},
    Meaning{"INVALID_CLIENT_TOKEN_ID", ErrorCode::kForbidden, ""},
    Meaning{"UNRECOGNIZED_CLIENT", ErrorCode::kForbidden, ""},
    Meaning{"REQUEST_EXPIRED", ErrorCode::kForbidden, ""},
    Meaning{"ExpiredToken", ErrorCode::kForbidden, ""},
    Meaning{"HTTP status 401", ErrorCode::kForbidden, ""},
    Meaning{"HTTP status 403", ErrorCode::kForbidden, ""},
    Meaning{"AuthenticationFailed", ErrorCode::kForbidden, ""},
    Meaning{"AuthorizationFailure", ErrorCode::kForbidden, ""},
    Meaning{"SLOW_DOWN", ErrorCode::kUnavailable, ""},
    Meaning{"THROTTLING", ErrorCode::kUnavailable, ""},
    Meaning{"SERVICE_UNAVAILABLE", ErrorCode::kUnavailable, ""},
    Meaning{"INTERNAL_FAILURE", ErrorCode::kUnavailable, ""},
    Meaning{"NETWORK_CONNECTION", ErrorCode::kUnavailable, ""},
    Meaning{"REQUEST_TIMEOUT", ErrorCode::kUnavailable, ""},
    Meaning{"HTTP status 429", ErrorCode::kUnavailable, ""},
    Meaning{"HTTP status 5", ErrorCode::kUnavailable, ""},
    Meaning{"UNAVAILABLE", ErrorCode::kUnavailable, ""},
};

ErrorCode CodeOf(const ::arrow::Status& status) {
  switch (::arrow::internal::ErrnoFromStatus(status)) {
    case ENOENT:
      return ErrorCode::kNotFound;
    case EACCES:
      return ErrorCode::kForbidden;
    default:
      break;
  }
  if (status.IsInvalid()) return ErrorCode::kInvalidArgument;
  if (status.IsNotImplemented()) return ErrorCode::kUnsupported;
  return ErrorCode::kIo;
}

}  // namespace

Error ErrorOf(const ::arrow::Status& status, std::string_view exception) {
  const std::string& message = status.message();
  for (const Meaning& meaning : kMeanings) {
    if (message.find(meaning.words) == std::string::npos) continue;
    const std::string_view name = meaning.exception.empty() ? exception : meaning.exception;
    return Error::Make(meaning.code, message, std::string(name));
  }
  const ErrorCode code = CodeOf(status);
  const std::string_view name = code == ErrorCode::kNotFound ? "NotFoundException" : exception;
  return Error::Make(code, message, std::string(name));
}

}  // namespace iceblink::io
