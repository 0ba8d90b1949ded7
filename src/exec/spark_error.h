// Errors across DuckDB. Code that runs inside DuckDB (scalar functions, table functions, the scan,
// the writer) throws Spark's errors with ThrowSpark; they travel through DuckDB as text and
// DecodeError turns whatever DuckDB reports back into an Error. DuckDB's own overflow and subquery
// messages are translated to Spark's there too.
//
// InternalException is never thrown: it would invalidate the whole DuckDB instance.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace duckdb {
class ErrorData;
}

namespace iceblink::exec {

// `text` is Spark's message without "[CONDITION] " in front and "SQLSTATE: ..." behind.
struct SparkError {
  std::string_view condition;
  std::string_view sql_state;
  std::string_view exception;
  std::string text;
};

// Throws a duckdb::InvalidInputException that DecodeError understands.
[[noreturn]] void ThrowSpark(const SparkError& error);
// Throws the error of a condition of plan's table of conditions.
[[noreturn]] void ThrowCondition(
    std::string_view condition,
    std::initializer_list<std::pair<std::string_view, std::string>> parameters = {});
// Carries any Error through DuckDB.
[[noreturn]] void ThrowError(const Error& error);

// The value, or the error by ThrowError.
template <typename T>
T OrThrow(Result<T> result) {
  if (!result) ThrowError(result.error());
  return std::move(result).value();
}
inline void OrThrow(const Status& status) {
  if (!status) ThrowError(status.error());
}

// Returns the Error for a failure that DuckDB reports. `invalidated` (may be null) is set when the
// instance must be reopened.
Error DecodeError(duckdb::ErrorData error, bool* invalidated = nullptr);

// Calls `body`, which returns a Result or Status, and turns any exception that escapes into an
// Error.
template <typename Body>
auto Guarded(Body&& body) -> decltype(body());

// The Error of the exception being handled. Call within a catch block only.
Error CurrentExceptionToError();

template <typename Body>
auto Guarded(Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return Fail(CurrentExceptionToError());
  }
}

}  // namespace iceblink::exec
