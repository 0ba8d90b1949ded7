#include "api/filter_sql.h"

#include <fmt/format.h>

#include <cmath>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "sql/identifier.h"
#include "sql/printer.h"

namespace iceblink {

namespace {

template <typename T>
std::string Floating(T value, const char* type) {
  if (std::isnan(value)) return fmt::format("CAST('NaN' AS {})", type);
  if (std::isinf(value)) return fmt::format("CAST('{}Infinity' AS {})", value < 0 ? "-" : "", type);
  return fmt::format("CAST('{}' AS {})", value, type);
}

// The literal in exactly the type's Spark type.
std::string Literal(const Value& value, const spec::Type& type) {
  switch (type.kind()) {
    case spec::TypeKind::kBoolean:
      return value.As<bool>() ? "true" : "false";
    case spec::TypeKind::kInt:
      return fmt::format("CAST({} AS INT)", value.AsInt64());
    case spec::TypeKind::kLong:
      return fmt::format("CAST({} AS BIGINT)", value.AsInt64());
    case spec::TypeKind::kFloat:
      return Floating(value.As<float>(), "FLOAT");
    case spec::TypeKind::kDouble:
      return Floating(value.As<double>(), "DOUBLE");
    case spec::TypeKind::kDecimal:
      return fmt::format("CAST('{}' AS DECIMAL({}, {}))", DecimalToPlainString(value.As<Decimal>()),
                         type.precision(), type.scale());
    case spec::TypeKind::kDate:
      return fmt::format("DATE '{}'", FormatDate(value.AsInt64()));
    case spec::TypeKind::kTimestamp:
      return fmt::format("TIMESTAMP_NTZ '{}'", FormatTimestamp(value.AsInt64(), "", ' '));
    case spec::TypeKind::kTimestampTz:
      return fmt::format("TIMESTAMP '{}Z'", FormatTimestamp(value.AsInt64(), "", ' '));
    case spec::TypeKind::kUuid:
      return sql::PrintString(Uuid::FromBytes(value.As<Bytes>().data).ToString());
    case spec::TypeKind::kFixed:
    case spec::TypeKind::kBinary:
      return "X'" + HexEncode(value.As<Bytes>().data, true) + "'";
    case spec::TypeKind::kString:
      return sql::PrintString(value.As<std::string>());
    default:
      return "NULL";
  }
}

std::string TermSql(const expr::Term& term, const std::string& system) {
  std::string column = sql::QuoteName(Split(term.column, '.'));
  switch (term.transform.kind()) {
    case spec::TransformKind::kBucket:
    case spec::TransformKind::kTruncate:
      return fmt::format("{}.{}({}, {})", system,
                         term.transform.Is(spec::TransformKind::kBucket) ? "bucket" : "truncate",
                         term.transform.param(), column);
    case spec::TransformKind::kYear:
    case spec::TransformKind::kMonth:
    case spec::TransformKind::kDay:
    case spec::TransformKind::kHour:
      return fmt::format("{}.{}s({})", system, term.transform.ToString(), column);
    default:
      return column;
  }
}

std::string Literals(const expr::Expression& predicate) {
  std::vector<std::string> all;
  for (const Value& value : predicate.literals())
    all.push_back(Literal(value, predicate.term().type));
  return Join(all, ", ");
}

// The text of a predicate; `{0}` is the term, `{1}` its literals.
const char* PredicateFormat(expr::Op op) {
  switch (op) {
    case expr::Op::kIsNull:
      return "{0} IS NULL";
    case expr::Op::kNotNull:
      return "{0} IS NOT NULL";
    case expr::Op::kIsNan:
      return "isnan({0})";
    case expr::Op::kNotNan:
      return "NOT isnan({0})";
    case expr::Op::kLt:
      return "{0} < {1}";
    case expr::Op::kLtEq:
      return "{0} <= {1}";
    case expr::Op::kGt:
      return "{0} > {1}";
    case expr::Op::kGtEq:
      return "{0} >= {1}";
    case expr::Op::kEq:
      return "{0} = {1}";
    case expr::Op::kNotEq:  // Iceberg's evaluators let null pass
      return "({0} <> {1} OR {0} IS NULL)";
    case expr::Op::kStartsWith:
      return "startswith({0}, {1})";
    case expr::Op::kNotStartsWith:
      return "(NOT startswith({0}, {1}) OR {0} IS NULL)";
    case expr::Op::kIn:
      return "{0} IN ({1})";
    case expr::Op::kNotIn:
      return "({0} NOT IN ({1}) OR {0} IS NULL)";
    case expr::Op::kTrue:
    case expr::Op::kFalse:
    case expr::Op::kAnd:
    case expr::Op::kOr:
    case expr::Op::kNot:
      return "";
  }
  return "";
}

}  // namespace

std::string FilterSql(const expr::Expression& filter, const std::string& system) {
  switch (filter.op()) {
    case expr::Op::kTrue:
      return "true";
    case expr::Op::kFalse:
      return "false";
    case expr::Op::kAnd:
    case expr::Op::kOr:
      return fmt::format("({} {} {})", FilterSql(filter.left(), system),
                         filter.op() == expr::Op::kAnd ? "AND" : "OR",
                         FilterSql(filter.right(), system));
    case expr::Op::kNot:
      return fmt::format("NOT ({})", FilterSql(filter.left(), system));
    default:
      return fmt::format(fmt::runtime(PredicateFormat(filter.op())), TermSql(filter.term(), system),
                         Literals(filter));
  }
}

}  // namespace iceblink
