// Result and error of every fallible call in Iceblink.
//
// A function that can fail returns Result<T>; one that yields nothing returns Status. Exceptions of
// libraries stop at the room that owns the library and become an Error there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace iceblink {

// Each code is a different action of the caller; the words of a message never are.
enum class ErrorCode : uint8_t {
  kInvalidArgument,  // the caller passed something impossible: fix the call
  kSyntax,           // the text does not parse
  kAnalysis,         // the text parses but names or types do not resolve
  kNotFound,         // a table, namespace, file, snapshot ... does not exist
  kAlreadyExists,
  kNotEmpty,
  kConflict,       // another writer committed first, or a validation against its commit failed
  kCommitUnknown,  // the outcome of a commit is not known: read again, clean nothing
  kUnauthenticated,
  kForbidden,
  kUnavailable,  // worth retrying
  kCorrupt,      // a file is not what its format says
  kIo,
  kUnsupported,
  kInternal,  // a defect of Iceblink
};

// Returns the code's name without the k, for logs and tests.
std::string_view ErrorCodeName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;     // whole text; starts with "[CONDITION] " and ends with "SQLSTATE: ..."
                           // where Spark's does
  std::string exception;   // simple name of the exception Spark or Iceberg raises, e.g.
                           // "ValidationException"; may be empty
  std::string condition;   // Spark's error condition, e.g. "TABLE_OR_VIEW_NOT_FOUND"; may be empty
  std::string sql_state;   // five characters; may be empty
  bool retryable = false;  // kConflict only: true when a refresh and another attempt can succeed
                           // (lost compare-and-swap)

  static Error Make(ErrorCode code, std::string message, std::string exception = {}) {
    return Error{code, std::move(message), std::move(exception), {}, {}, false};
  }
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// Returns an Error in the form a Result converts from: `return Fail(ErrorCode::kNotFound, "...")`.
// `exception` is the simple name of the Java exception that Spark or Iceberg raises in this case.
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, std::string exception = {}) {
  return tl::unexpected<Error>(Error::Make(code, std::move(message), std::move(exception)));
}
inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

// A call that Java refuses with IllegalArgumentException.
inline tl::unexpected<Error> IllegalArgument(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}

#define ICEBLINK_CONCAT_(a, b) a##b
#define ICEBLINK_CONCAT(a, b) ICEBLINK_CONCAT_(a, b)

// RETURN_IF_ERROR(status_expression);
#define RETURN_IF_ERROR(expr)                                               \
  do {                                                                      \
    if (auto status_ = (expr); !status_) [[unlikely]]                       \
      return tl::unexpected<::iceblink::Error>(std::move(status_).error()); \
  } while (false)

// ASSIGN_OR_RETURN(auto value, result_expression);
#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_(ICEBLINK_CONCAT(result_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_(tmp, lhs, expr)                             \
  auto tmp = (expr);                                                  \
  if (!tmp) [[unlikely]]                                              \
    return tl::unexpected<::iceblink::Error>(std::move(tmp).error()); \
  lhs = std::move(tmp).value()

}  // namespace iceblink
