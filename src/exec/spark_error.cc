#include "exec/spark_error.h"

#include <array>
#include <vector>

#include "base/strings.h"
#include "duckdb.hpp"
#include "duckdb/common/error_data.hpp"
#include "plan/errors.h"

namespace iceblink::exec {

namespace {

// Frame of an encoded error: kBegin condition kField sql_state kField exception kField code kField
// message kEnd.
constexpr char kBegin = '\x02';
constexpr char kField = '\x1f';
constexpr char kEnd = '\x03';

std::string Encode(const Error& error) {
  std::string out(1, kBegin);
  out += error.condition + kField + error.sql_state + kField + error.exception + kField;
  out += std::to_string(static_cast<int>(error.code)) + kField + error.message + kEnd;
  return out;
}

bool Decode(const std::string& text, Error* error) {
  size_t begin = text.find(kBegin);
  size_t end = text.rfind(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return false;
  std::vector<std::string> fields =
      Split(std::string_view(text).substr(begin + 1, end - begin - 1), kField);
  if (fields.size() != 5) return false;
  error->condition = fields[0];
  error->sql_state = fields[1];
  error->exception = fields[2];
  error->code = static_cast<ErrorCode>(
      ParseInt32(fields[3]).value_or(static_cast<int>(ErrorCode::kInvalidArgument)));
  error->message = fields[4];
  return true;
}

Error MakeSpark(const SparkError& error) {
  Error out;
  out.code = ErrorCode::kInvalidArgument;
  out.condition = error.condition;
  out.sql_state = error.sql_state;
  out.exception = error.exception;
  out.message = "[" + out.condition + "] " + error.text + " SQLSTATE: " + out.sql_state;
  return out;
}

constexpr std::string_view kAnsiHint =
    "If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this error.";

Error Overflow(std::string_view what, std::string_view try_function) {
  std::string text = std::string(what) + " overflow.";
  if (!try_function.empty()) {
    text +=
        " Use '" + std::string(try_function) + "' to tolerate overflow and return NULL instead.";
  }
  return MakeSpark({"ARITHMETIC_OVERFLOW", "22003", "SparkArithmeticException",
                    text + " " + std::string(kAnsiHint)});
}

// "Overflow in addition of INT32 (2147483647 + 1)!" and its kin.
bool TranslateOverflow(const std::string& raw, Error* error) {
  struct Operation {
    std::string_view word;
    std::string_view try_function;
  };
  static constexpr std::array<Operation, 3> kOperations = {{{"addition", "try_add"},
                                                            {"subtraction", "try_subtract"},
                                                            {"multiplication", "try_multiply"}}};
  size_t at = raw.find("Overflow in ");
  if (at == std::string::npos) {
    if (raw.find("Overflow on abs(") == std::string::npos) return false;
    *error =
        Overflow(raw.find("-9223372036854775808") != std::string::npos ? "long" : "integer", "");
    return true;
  }
  if (raw.find("negation", at) != std::string::npos) {
    *error = Overflow(raw.find("bigint") != std::string::npos ? "long" : "integer", "");
    return true;
  }
  for (const Operation& operation : kOperations) {
    if (raw.find(operation.word, at) == std::string::npos) continue;
    bool narrow = raw.find("INT8") != std::string::npos || raw.find("INT16") != std::string::npos;
    if (!narrow) {
      *error = Overflow(raw.find("INT64") != std::string::npos ? "long" : "integer",
                        operation.try_function);
      return true;
    }
    size_t open = raw.find('(', at), close = raw.find(')', at);
    std::vector<std::string> terms = Split(raw.substr(open + 1, close - open - 1), ' ');
    std::string shown = terms.size() == 3 ? terms[0] + "S " + terms[1] + " " + terms[2] + "S" : "";
    *error = MakeSpark({"BINARY_ARITHMETIC_OVERFLOW", "22003", "SparkArithmeticException",
                        shown + " caused overflow. Use `" + std::string(operation.try_function) +
                            "` to ignore overflow problem and return NULL."});
    return true;
  }
  return false;
}

ErrorCode CodeOf(duckdb::ExceptionType type) {
  switch (type) {
    case duckdb::ExceptionType::IO:
    case duckdb::ExceptionType::HTTP:
      return ErrorCode::kIo;
    case duckdb::ExceptionType::NOT_IMPLEMENTED:
      return ErrorCode::kUnsupported;
    case duckdb::ExceptionType::OUT_OF_MEMORY:
      return ErrorCode::kUnavailable;
    case duckdb::ExceptionType::CONVERSION:
    case duckdb::ExceptionType::INVALID_INPUT:
    case duckdb::ExceptionType::OUT_OF_RANGE:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kInternal;
  }
}

}  // namespace

void ThrowSpark(const SparkError& error) { ThrowError(MakeSpark(error)); }

void ThrowCondition(std::string_view condition,
                    std::initializer_list<std::pair<std::string_view, std::string>> parameters) {
  ThrowError(plan::MakeError(condition, parameters));
}

void ThrowError(const Error& error) { throw duckdb::InvalidInputException("%s", Encode(error)); }

Error DecodeError(duckdb::ErrorData data, bool* invalidated) {
  const std::string& raw = data.RawMessage();
  Error error;
  if (Decode(raw, &error)) return error;
  if (data.Type() == duckdb::ExceptionType::INTERRUPT)
    return Error::Make(ErrorCode::kUnavailable, "cancelled");
  if (TranslateOverflow(raw, &error)) return error;
  if (raw.find("More than one row returned by a subquery") != std::string::npos) {
    return MakeSpark({"SCALAR_SUBQUERY_TOO_MANY_ROWS", "21000", "SparkRuntimeException",
                      "More than one row returned by a subquery used as an expression."});
  }
  // An internal error of an earlier step may come wrapped in the complaint of the next one.
  bool fatal = data.Type() == duckdb::ExceptionType::INTERNAL ||
               data.Type() == duckdb::ExceptionType::FATAL ||
               raw.find("INTERNAL Error:") != std::string::npos;
  if (invalidated != nullptr && fatal) *invalidated = true;
  std::string message = data.Message();
  if (size_t trace = message.find("\n\nStack Trace:"); trace != std::string::npos)
    message.resize(trace);
  return Error::Make(CodeOf(data.Type()), std::move(message));
}

Error CurrentExceptionToError() {
  try {
    throw;
  } catch (const std::exception& e) {
    return DecodeError(duckdb::ErrorData(e));
  } catch (...) {
    return Error::Make(ErrorCode::kInternal, "unknown exception");
  }
}

}  // namespace iceblink::exec
