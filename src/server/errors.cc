#include "server/errors.h"

#include <fmt/format.h>
#include <google/protobuf/any.pb.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "sql/parser.h"
#include "sql/token.h"

namespace iceblink::server {
namespace {

struct JavaClass {
  std::string_view name;  // as Error::exception says it
  std::string_view package;
  std::string_view parents;  // full names, separated by spaces
};

constexpr std::string_view kCatalyst = "org.apache.spark.sql.catalyst.analysis";
constexpr std::string_view kAnalysis = "org.apache.spark.sql.AnalysisException java.lang.Exception";
constexpr std::string_view kIllegalFormat =
    "java.util.IllegalFormatException java.lang.IllegalArgumentException "
    "java.lang.RuntimeException";

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
    {"CannotReplaceMissingTableException", kCatalyst, kAnalysis},
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
    {"CherrypickAncestorCommitException", "org.apache.iceberg.exceptions",
     "org.apache.iceberg.exceptions.ValidationException java.lang.RuntimeException"},
    {"DuplicateWAPCommitException", "org.apache.iceberg.exceptions",
     "org.apache.iceberg.exceptions.ValidationException java.lang.RuntimeException"},
    {"UncheckedSQLException", "org.apache.iceberg.jdbc", "java.lang.RuntimeException"},
    {"CatalogNotFoundException", "org.apache.spark.sql.connector.catalog",
     "org.apache.spark.SparkException java.lang.Exception"},
    {"IllegalStateException", "java.lang", "java.lang.RuntimeException java.lang.Exception"},
    {"RuntimeException", "java.lang", "java.lang.Exception"},
    {"UncheckedIOException", "java.io", "java.lang.RuntimeException"},
    {"EOFException", "java.io", "java.io.IOException java.lang.Exception"},
    {"UnknownFormatConversionException", "java.util", kIllegalFormat},
    {"MissingFormatArgumentException", "java.util", kIllegalFormat},
    {"IllegalFormatConversionException", "java.util", kIllegalFormat},
    {"UnsupportedFileSystemException", "org.apache.hadoop.fs", "java.io.IOException"},
    {"AvroRuntimeException", "org.apache.avro", "java.lang.RuntimeException"},
    {"SchemaParseException", "org.apache.avro", "java.lang.RuntimeException"},
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

constexpr size_t kMetadataLimit = 1024;

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
  // Some names are Spark's and Iceberg's; Spark's always come with a condition.
  if (known == std::end(kClasses) || (known->package == kCatalyst && error.condition.empty())) {
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
  // Headers are bounded: many parameters come with FetchErrorDetails only.
  if (std::string text = nlohmann::json(ParametersOf(error)).dump(); text.size() <= kMetadataLimit)
    metadata.emplace_back("messageParameters", std::move(text));
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
  constexpr std::string_view kHead = "== SQL (line";
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

// The byte that "; line 2 pos 7" points at; npos where a message says no place.
size_t PlaceOf(std::string_view message, std::string_view text) {
  constexpr std::string_view kLine = "; line ", kPos = " pos ";
  const size_t at = message.rfind(kLine);
  if (at == std::string_view::npos) return std::string_view::npos;
  std::string_view rest = message.substr(at + kLine.size());
  auto number = [&rest]() {
    int value = 0;
    auto end = std::from_chars(rest.data(), rest.data() + rest.size(), value).ptr;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    return value;
  };
  int line = number();
  if (!rest.starts_with(kPos)) return std::string_view::npos;
  rest.remove_prefix(kPos.size());
  size_t place = 0;
  for (; line > 1 && place != std::string_view::npos; --line) {
    place = text.find('\n', place);
    if (place != std::string_view::npos) ++place;
  }
  return place == std::string_view::npos ? place : place + static_cast<size_t>(number());
}

// Where the name that starts at a place ends, its argument list included.
size_t EndOfName(std::string_view text, size_t place) {
  const sql::TokenList list = sql::Tokenize(text);
  size_t i = 0, end = place;
  while (i < list.tokens.size() && static_cast<size_t>(list.tokens[i].start) < place) ++i;
  int depth = 0;
  for (; i < list.tokens.size(); ++i) {
    const sql::Token& token = list.tokens[i];
    const bool adjacent = static_cast<size_t>(token.start) == end;
    if (depth == 0 && end > place && !(adjacent && (text[end] == '.' || text[end] == '(')) &&
        !(adjacent && text[end - 1] == '.'))
      break;
    depth += text[static_cast<size_t>(token.start)] == '(';
    depth -= text[static_cast<size_t>(token.start)] == ')';
    if (depth < 0) break;
    end = static_cast<size_t>(token.stop);
    if (depth == 0 && text[end - 1] == ')') break;
  }
  return end;
}

// The context of an analysis error: the name at its place.
void FillPlace(const std::string& message, const std::string& text,
               connect::FetchErrorDetailsResponse::SparkThrowable* out) {
  const size_t first = text.empty() ? std::string::npos : PlaceOf(message, text);
  if (first >= text.size()) return;
  const size_t end = EndOfName(text, first);
  if (end <= first) return;
  auto* context = out->add_query_contexts();
  context->set_context_type(connect::FetchErrorDetailsResponse::QueryContext::SQL);
  context->set_start_index(static_cast<int32_t>(first));
  context->set_stop_index(static_cast<int32_t>(end) - 1);
  context->set_fragment(text.substr(first, end - first));
}

// Refused table changes are wrapped by Spark; the cause is what the table format said.
void FillCause(const Error& error, connect::FetchErrorDetailsResponse* out) {
  if (error.condition != "_LEGACY_ERROR_TEMP_2045") return;
  auto parameters = ParametersOf(error);
  out->mutable_errors(0)->set_cause_idx(1);
  auto* cause = out->add_errors();
  Error inner = Error::Make(ErrorCode::kInvalidArgument, parameters["message"]);
  for (std::string& name : JavaClasses(inner)) cause->add_error_type_hierarchy(std::move(name));
  cause->set_message(inner.message);
}

}  // namespace

void FillDetails(const Error& error, const std::string& text,
                 connect::FetchErrorDetailsResponse* out) {
  out->set_root_error_idx(0);
  auto* root = out->add_errors();
  for (std::string& name : JavaClasses(error)) root->add_error_type_hierarchy(std::move(name));
  root->set_message(error.message);
  auto* throwable = root->mutable_spark_throwable();
  if (!error.condition.empty()) throwable->set_error_class(error.condition);
  if (!error.sql_state.empty()) throwable->set_sql_state(error.sql_state);
  for (auto& [name, value] : ParametersOf(error))
    (*throwable->mutable_message_parameters())[name] = value;
  FillContext(error.message, throwable);
  if (throwable->query_contexts_size() == 0) FillPlace(error.message, text, throwable);
  FillCause(error, out);
}

Error NotSupported(std::string_view what) {
  return Error::Make(ErrorCode::kUnsupported, fmt::format("Not supported: {}", what),
                     "UnsupportedOperationException");
}

Error InvalidInput(std::string message) {
  return Error::Make(ErrorCode::kInvalidArgument, std::move(message), "InvalidPlanInput");
}

Error WithCondition(ErrorCode code, std::string exception, std::string condition,
                    std::string sql_state, std::string_view text) {
  Error error = Error::Make(code, fmt::format("[{}] {} SQLSTATE: {}", condition, text, sql_state),
                            std::move(exception));
  error.condition = std::move(condition);
  error.sql_state = std::move(sql_state);
  return error;
}

Error InvalidHandle(std::string_view subclass, std::string_view handle, std::string_view text) {
  return WithCondition(ErrorCode::kNotFound, "SparkSQLException",
                       fmt::format("INVALID_HANDLE.{}", subclass), "HY000",
                       fmt::format("The handle {} is invalid. {}", handle, text));
}

}  // namespace iceblink::server
