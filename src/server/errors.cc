#include "server/errors.h"

#include <fmt/format.h>
#include <google/protobuf/any.pb.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace iceblink::server {
namespace {

struct JavaClass {
  std::string_view name;  // as Error::exception says it
  std::string_view package;
  std::string_view parents;  // full names, separated by spaces
};

constexpr std::string_view kCatalyst = "org.apache.spark.sql.catalyst.analysis";
constexpr std::string_view kAnalysis = "org.apache.spark.sql.AnalysisException java.lang.Exception";

constexpr JavaClass kClasses[] = {
    {"AnalysisException", "org.apache.spark.sql", "java.lang.Exception"},
    {"ExtendedAnalysisException", "org.apache.spark.sql.catalyst", kAnalysis},
    {"ParseException", "org.apache.spark.sql.catalyst.parser", kAnalysis},
    {"IcebergParseException", "org.apache.spark.sql.catalyst.parser.extensions", kAnalysis},
    {"IcebergAnalysisException", "org.apache.iceberg.spark", kAnalysis},
    {"NoSuchTableException", kCatalyst, kAnalysis},
    {"NoSuchViewException", kCatalyst, kAnalysis},
    {"NoSuchNamespaceException", kCatalyst, kAnalysis},
    {"NoSuchDatabaseException", kCatalyst, kAnalysis},
    {"NoSuchProcedureException", kCatalyst, kAnalysis},
    {"NonEmptyNamespaceException", kCatalyst, kAnalysis},
    {"TableAlreadyExistsException", kCatalyst, kAnalysis},
    {"ViewAlreadyExistsException", kCatalyst, kAnalysis},
    {"NamespaceAlreadyExistsException", kCatalyst, kAnalysis},
    {"TempTableAlreadyExistsException", kCatalyst, kAnalysis},
    {"SparkArithmeticException", "org.apache.spark",
     "java.lang.ArithmeticException java.lang.RuntimeException"},
    {"SparkNumberFormatException", "org.apache.spark",
     "java.lang.NumberFormatException java.lang.IllegalArgumentException "
     "java.lang.RuntimeException"},
    {"SparkDateTimeException", "org.apache.spark",
     "java.time.DateTimeException java.lang.RuntimeException"},
    {"SparkArrayIndexOutOfBoundsException", "org.apache.spark",
     "java.lang.ArrayIndexOutOfBoundsException java.lang.IndexOutOfBoundsException "
     "java.lang.RuntimeException"},
    {"SparkIllegalArgumentException", "org.apache.spark",
     "java.lang.IllegalArgumentException java.lang.RuntimeException"},
    {"SparkUnsupportedOperationException", "org.apache.spark",
     "java.lang.UnsupportedOperationException java.lang.RuntimeException"},
    {"SparkNoSuchElementException", "org.apache.spark",
     "java.util.NoSuchElementException java.lang.RuntimeException"},
    {"SparkRuntimeException", "org.apache.spark", "java.lang.RuntimeException"},
    {"SparkUpgradeException", "org.apache.spark", "java.lang.RuntimeException"},
    {"SparkSQLException", "org.apache.spark", "java.sql.SQLException java.lang.Exception"},
    {"SparkException", "org.apache.spark", "java.lang.Exception"},
    {"InvalidPlanInput", "org.apache.spark.sql.connect.common", "java.lang.Exception"},
    {"InvalidCommandInput", "org.apache.spark.sql.connect.common", "java.lang.Exception"},
    {"IllegalArgumentException", "java.lang", "java.lang.RuntimeException java.lang.Exception"},
    {"UnsupportedOperationException", "java.lang",
     "java.lang.RuntimeException java.lang.Exception"},
    {"NumberFormatException", "java.lang",
     "java.lang.IllegalArgumentException java.lang.RuntimeException"},
    {"NullPointerException", "java.lang", "java.lang.RuntimeException"},
    {"ValidationException", "org.apache.iceberg.exceptions", "java.lang.RuntimeException"},
};

// What code says where no exception is named.
std::string_view NameOf(const Error& error) {
  if (!error.exception.empty()) return error.exception;
  switch (error.code) {
    case ErrorCode::kSyntax:
      return "ParseException";
    case ErrorCode::kAnalysis:
      return "AnalysisException";
    case ErrorCode::kInvalidArgument:
      return "IllegalArgumentException";
    case ErrorCode::kUnsupported:
      return "UnsupportedOperationException";
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kNotEmpty:
    case ErrorCode::kConflict:
    case ErrorCode::kCommitUnknown:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kForbidden:
    case ErrorCode::kUnavailable:
    case ErrorCode::kCorrupt:
    case ErrorCode::kIo:
    case ErrorCode::kInternal:
      return "SparkException";
  }
  return "SparkException";
}

// ---- google.rpc.Status, which has no message of its own here
// ----------------------------------------------------------

void AppendVarint(std::string& out, uint64_t value) {
  for (; value > 0x7F; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void AppendText(std::string& out, int field, std::string_view text) {
  AppendVarint(out, static_cast<uint64_t>(field) << 3 | 2);
  AppendVarint(out, text.size());
  out += text;
}

std::string ErrorInfo(const std::string& reason,
                      const std::vector<std::pair<std::string, std::string>>& metadata) {
  std::string out;
  AppendText(out, 1, reason);
  AppendText(out, 2, "org.apache.spark");
  for (const auto& [key, value] : metadata) {
    std::string entry;
    AppendText(entry, 1, key);
    AppendText(entry, 2, value);
    AppendText(out, 3, entry);
  }
  return out;
}

// Headers are bounded; the whole text comes with FetchErrorDetails.
std::string Abbreviated(const std::string& message) {
  constexpr size_t kLimit = 2048;
  if (message.size() <= kLimit) return message;
  size_t end = kLimit - 3;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80) --end;
  return message.substr(0, end) + "...";
}

}  // namespace

std::vector<std::string> JavaClasses(const Error& error) {
  std::string_view name = NameOf(error);
  std::vector<std::string> out;
  auto known = std::find_if(std::begin(kClasses), std::end(kClasses),
                            [&](const JavaClass& c) { return c.name == name; });
  if (known == std::end(kClasses)) {
    bool spark = name.starts_with("Spark");
    out.push_back(
        fmt::format("{}.{}", spark ? "org.apache.spark" : "org.apache.iceberg.exceptions", name));
    out.push_back("java.lang.RuntimeException");
  } else {
    out.push_back(fmt::format("{}.{}", known->package, known->name));
    for (std::string_view rest = known->parents; !rest.empty();) {
      size_t end = std::min(rest.find(' '), rest.size());
      out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  out.push_back("java.lang.Throwable");
  out.push_back("java.lang.Object");
  return out;
}

grpc::Status ToStatus(const Error& error, const std::string& error_id) {
  std::vector<std::string> classes = JavaClasses(error);
  std::vector<std::pair<std::string, std::string>> metadata = {
      {"classes", nlohmann::json(classes).dump()}};
  if (!error.condition.empty()) metadata.emplace_back("errorClass", error.condition);
  if (!error.sql_state.empty()) metadata.emplace_back("sqlState", error.sql_state);
  if (!error_id.empty()) metadata.emplace_back("errorId", error_id);
  std::string message = Abbreviated(error.message);
  std::string any;
  AppendText(any, 1, "type.googleapis.com/google.rpc.ErrorInfo");
  AppendText(any, 2, ErrorInfo(classes[0], metadata));
  std::string details;
  AppendVarint(details, 1 << 3);
  AppendVarint(details, static_cast<uint64_t>(grpc::StatusCode::INTERNAL));
  AppendText(details, 2, message);
  AppendText(details, 3, any);
  return grpc::Status(grpc::StatusCode::INTERNAL, message, details);
}

namespace {

// Reads "== SQL (line 1, position 8) ==\nSELECT 1/0\n       ^^^" as exec and the parser write it.
void FillContext(const std::string& message,
                 connect::FetchErrorDetailsResponse::SparkThrowable* out) {
  constexpr std::string_view kHead = "== SQL";
  size_t head = message.find(kHead);
  if (head == std::string::npos) return;
  size_t line_end = message.find('\n', head);
  size_t carets = message.find('^', head);
  if (line_end == std::string::npos || carets == std::string::npos) return;
  size_t marks = message.rfind('\n', carets) + 1;
  size_t text_begin = message.rfind('\n', marks - 2) + 1;
  if (text_begin <= head) return;
  std::string_view text(message.data() + text_begin, marks - 1 - text_begin);
  size_t first = carets - marks, count = message.find_first_not_of('^', carets) - carets;
  if (count > text.size()) count = text.size() - std::min(first, text.size());
  auto* context = out->add_query_contexts();
  context->set_context_type(connect::FetchErrorDetailsResponse::QueryContext::SQL);
  context->set_start_index(static_cast<int32_t>(first));
  context->set_stop_index(static_cast<int32_t>(first + count) - 1);
  if (first < text.size()) context->set_fragment(std::string(text.substr(first, count)));
  context->set_summary(message.substr(head));
}

}  // namespace

void FillDetails(const Error& error, connect::FetchErrorDetailsResponse* out) {
  out->set_root_error_idx(0);
  auto* root = out->add_errors();
  for (std::string& name : JavaClasses(error)) root->add_error_type_hierarchy(std::move(name));
  root->set_message(error.message);
  auto* throwable = root->mutable_spark_throwable();
  if (!error.condition.empty()) throwable->set_error_class(error.condition);
  if (!error.sql_state.empty()) throwable->set_sql_state(error.sql_state);
  FillContext(error.message, throwable);
}

Error NotSupported(std::string_view what) {
  Error error = Error::Make(ErrorCode::kUnsupported,
                            fmt::format("[UNSUPPORTED_FEATURE] The feature is not supported: {} is "
                                        "not supported. SQLSTATE: 0A000",
                                        what),
                            "SparkUnsupportedOperationException");
  error.condition = "UNSUPPORTED_FEATURE";
  error.sql_state = "0A000";
  return error;
}

Error InvalidInput(std::string message) {
  return Error::Make(ErrorCode::kInvalidArgument, std::move(message), "InvalidPlanInput");
}

Error InvalidHandle(std::string_view subclass, std::string_view handle, std::string_view text) {
  Error error =
      Error::Make(ErrorCode::kNotFound,
                  fmt::format("[INVALID_HANDLE.{}] The handle {} is invalid. {} SQLSTATE: HY000",
                              subclass, handle, text),
                  "SparkSQLException");
  error.condition = fmt::format("INVALID_HANDLE.{}", subclass);
  error.sql_state = "HY000";
  return error;
}

}  // namespace iceblink::server
