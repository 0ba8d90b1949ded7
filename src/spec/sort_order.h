// Sort orders. Plain values; order 0 is unsorted.
#pragma once

#include <span>

#include "spec/schema.h"
#include "spec/transform.h"

namespace iceblink::spec {

enum class SortDirection : uint8_t { kAsc, kDesc };
enum class NullOrder : uint8_t { kNullsFirst, kNullsLast };

struct SortField {
  Transform transform;
  int32_t source_id = 0;
  SortDirection direction = SortDirection::kAsc;
  NullOrder null_order = NullOrder::kNullsFirst;

  // Returns Java's text: `bucket[16](1) ASC NULLS FIRST`.
  std::string ToString() const;
  // Returns whether data in this order is in the order of `other` too.
  bool Satisfies(const SortField& other) const;
  friend bool operator==(const SortField&, const SortField&) = default;
};

struct SortOrder {
  int32_t order_id = 0;
  std::vector<SortField> fields;

  bool is_unsorted() const { return fields.empty(); }
  bool SameOrder(const SortOrder& other) const { return fields == other.fields; }
  bool Satisfies(const SortOrder& other) const;
  std::string ToString() const;
  friend bool operator==(const SortOrder&, const SortOrder&) = default;
};

// One requested term of ORDERED BY.
struct SortTerm {
  std::string column;  // dotted name
  Transform transform;
  SortDirection direction = SortDirection::kAsc;
  NullOrder null_order = NullOrder::kNullsFirst;
};

// Resolves names; order id 0 when there are no terms, 1 otherwise.
// Errors: ValidationException for unknown columns and transforms that do not accept the type.
Result<SortOrder> BuildSortOrder(const Schema& schema, std::span<const SortTerm> terms,
                                 bool case_sensitive = true);

// Checks that every source column exists and its type is accepted.
Status CheckSortOrder(const SortOrder& order, const Schema& schema);

// Returns the order of the term text that SHOW TBLPROPERTIES and DESCRIBE print: "id ASC NULLS
// FIRST, bucket(4, x) DESC ...".
std::string DescribeSortOrder(const SortOrder& order, const Schema& schema);

}  // namespace iceblink::spec
