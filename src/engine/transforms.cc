#include "engine/transforms.h"

#include <optional>

#include "base/strings.h"
#include "engine/errors.h"
#include "sql/identifier.h"
#include "sql/printer.h"

namespace iceblink::engine {
namespace {

using spec::Transform;
using spec::TransformKind;

struct Spelling {
  std::string_view name;
  TransformKind kind;
};
constexpr Spelling kSpellings[] = {
    {"identity", TransformKind::kIdentity}, {"bucket", TransformKind::kBucket},
    {"truncate", TransformKind::kTruncate}, {"year", TransformKind::kYear},
    {"years", TransformKind::kYear},        {"month", TransformKind::kMonth},
    {"months", TransformKind::kMonth},      {"day", TransformKind::kDay},
    {"days", TransformKind::kDay},          {"date", TransformKind::kDay},
    {"hour", TransformKind::kHour},         {"hours", TransformKind::kHour},
    {"date_hour", TransformKind::kHour}};

std::optional<TransformKind> KindOf(std::string_view name) {
  std::string lower = AsciiLower(name);
  for (const Spelling& spelling : kSpellings) {
    if (spelling.name == lower) return spelling.kind;
  }
  return std::nullopt;
}

// The transform as Spark describes it: bucket(4, s).
std::string Describe(const sql::Transform& transform) {
  std::vector<std::string> arguments;
  for (const sql::TransformArgument& argument : transform.args) {
    if (const auto* name = std::get_if<sql::Name>(&argument)) {
      arguments.push_back(sql::QuoteNameIfNeeded(*name));
    } else {
      arguments.push_back(sql::PrintExpression(*sql::MakeExpr(std::get<sql::Literal>(argument))));
    }
  }
  return transform.name + "(" + Join(arguments, ", ") + ")";
}

Result<Transform> Build(const sql::Transform& source, TransformKind kind,
                        std::optional<int64_t> width) {
  switch (kind) {
    case TransformKind::kYear:
      return Transform::Year();
    case TransformKind::kMonth:
      return Transform::Month();
    case TransformKind::kDay:
      return Transform::Day();
    case TransformKind::kHour:
      return Transform::Hour();
    case TransformKind::kBucket:
    case TransformKind::kTruncate:
      break;
    case TransformKind::kIdentity:
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return Transform::Identity();
  }
  if (!width) return IllegalArgument("Cannot find width for transform: " + Describe(source));
  if (*width <= 0 || *width > INT32_MAX) {
    return IllegalArgument("Unsupported width for transform: " + Describe(source));
  }
  auto number = static_cast<int32_t>(*width);
  return kind == TransformKind::kBucket ? Transform::Bucket(number) : Transform::Truncate(number);
}

}  // namespace

Result<ColumnTransform> ToColumnTransform(const sql::Transform& transform) {
  std::optional<TransformKind> kind = KindOf(transform.name);
  std::vector<std::string> columns;
  std::optional<int64_t> width;
  for (const sql::TransformArgument& argument : transform.args) {
    if (const auto* name = std::get_if<sql::Name>(&argument)) {
      columns.push_back(Join(*name, "."));
    } else if (const Value& value = std::get<sql::Literal>(argument).value;
               value.Is<int32_t>() || value.Is<int64_t>()) {
      if (!width) width = value.AsInt64();
    }
  }
  if (!kind) {
    return Fail(ErrorCode::kUnsupported, "Transform is not supported: " + Describe(transform),
                "UnsupportedOperationException");
  }
  if (columns.size() != 1) {
    return IllegalArgument("Cannot convert transform with more than one column reference: " +
                           Describe(transform));
  }
  ASSIGN_OR_RETURN(Transform built, Build(transform, *kind, width));
  return ColumnTransform{std::move(columns.front()), std::move(built)};
}

Result<std::vector<spec::SortTerm>> ToSortTerms(const std::vector<sql::OrderField>& order) {
  std::vector<spec::SortTerm> terms;
  for (const sql::OrderField& field : order) {
    ASSIGN_OR_RETURN(ColumnTransform transform, ToColumnTransform(field.transform));
    terms.push_back(
        {std::move(transform.column), std::move(transform.transform),
         field.descending ? spec::SortDirection::kDesc : spec::SortDirection::kAsc,
         field.nulls_first ? spec::NullOrder::kNullsFirst : spec::NullOrder::kNullsLast});
  }
  return terms;
}

std::string DescribeTransform(const Transform& transform, std::string_view column) {
  std::string name = sql::QuoteNameIfNeeded(Split(column, '.'));
  switch (transform.kind()) {
    case TransformKind::kIdentity:
      return name;
    case TransformKind::kBucket:
      return "bucket(" + std::to_string(transform.param()) + ", " + name + ")";
    case TransformKind::kTruncate:
      return "truncate(" + std::to_string(transform.param()) + ", " + name + ")";
    case TransformKind::kYear:
      return "years(" + name + ")";
    case TransformKind::kMonth:
      return "months(" + name + ")";
    case TransformKind::kDay:
      return "days(" + name + ")";
    case TransformKind::kHour:
      return "hours(" + name + ")";
    case TransformKind::kVoid:
      return {};
    case TransformKind::kUnknown:
      return transform.ToString() + "(" + name + ")";
  }
  return {};
}

std::vector<std::string> DescribePartitioning(const spec::PartitionSpec& spec,
                                              const spec::Schema& schema) {
  std::vector<std::string> texts;
  for (const spec::PartitionField& field : spec.fields) {
    std::string text = DescribeTransform(field.transform, schema.FullName(field.source_id));
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace iceblink::engine
