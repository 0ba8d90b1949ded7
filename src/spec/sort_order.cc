#include "spec/sort_order.h"

#include <fmt/format.h>

namespace iceblink::spec {
namespace {

auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

std::string_view DirectionName(SortDirection direction) {
  return direction == SortDirection::kAsc ? "ASC" : "DESC";
}
std::string_view NullOrderName(NullOrder order) {
  return order == NullOrder::kNullsFirst ? "NULLS FIRST" : "NULLS LAST";
}

// Returns the term as Spark SQL spells it.
std::string SqlTerm(const Transform& transform, const std::string& column) {
  switch (transform.kind()) {
    case TransformKind::kIdentity:
      return column;
    case TransformKind::kBucket:
      return fmt::format("bucket({}, {})", transform.param(), column);
    case TransformKind::kTruncate:
      return fmt::format("truncate({}, {})", column, transform.param());
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      return fmt::format("{}s({})", transform.ToString(), column);
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return fmt::format("{}({})", transform.ToString(), column);
  }
  return column;
}

}  // namespace

std::string SortField::ToString() const {
  return fmt::format("{}({}) {} {}", transform.ToString(), source_id, DirectionName(direction),
                     NullOrderName(null_order));
}

bool SortField::Satisfies(const SortField& other) const {
  if (*this == other) return true;
  return source_id == other.source_id && direction == other.direction &&
         null_order == other.null_order && transform.SatisfiesOrderOf(other.transform);
}

bool SortOrder::Satisfies(const SortOrder& other) const {
  if (other.fields.size() > fields.size()) return false;
  for (size_t i = 0; i < other.fields.size(); ++i) {
    if (!fields[i].Satisfies(other.fields[i])) return false;
  }
  return true;
}

std::string SortOrder::ToString() const {
  std::string text = "[";
  for (const SortField& field : fields) text += "\n  " + field.ToString();
  return text + (fields.empty() ? "]" : "\n]");
}

Result<SortOrder> BuildSortOrder(const Schema& schema, std::span<const SortTerm> terms,
                                 bool case_sensitive) {
  SortOrder order{terms.empty() ? 0 : 1, {}};
  for (const SortTerm& term : terms) {
    const NestedField* source = schema.FindField(term.column, case_sensitive);
    if (source == nullptr) {
      return NotValid(fmt::format("Cannot find field '{}' in struct: {}", term.column,
                                  Type(schema.struct_type()).ToString()));
    }
    order.fields.push_back(SortField{term.transform, source->id, term.direction, term.null_order});
  }
  RETURN_IF_ERROR(CheckSortOrder(order, schema));
  return order;
}

Status CheckSortOrder(const SortOrder& order, const Schema& schema) {
  for (const SortField& field : order.fields) {
    const Type* source = schema.FindType(field.source_id);
    if (source == nullptr)
      return NotValid("Cannot find source column for sort field: " + field.ToString());
    if (!source->is_primitive())
      return NotValid("Cannot sort by non-primitive source field: " + source->ToString());
    if (!field.transform.CanTransform(*source)) {
      return NotValid(fmt::format("Invalid source type {} for transform: {}", source->ToString(),
                                  field.transform.ToString()));
    }
  }
  return {};
}

std::string DescribeSortOrder(const SortOrder& order, const Schema& schema) {
  std::vector<std::string> terms;
  for (const SortField& field : order.fields) {
    terms.push_back(fmt::format("{} {} {}",
                                SqlTerm(field.transform, schema.FullName(field.source_id)),
                                DirectionName(field.direction), NullOrderName(field.null_order)));
  }
  return fmt::format("{}", fmt::join(terms, ", "));
}

}  // namespace iceblink::spec
