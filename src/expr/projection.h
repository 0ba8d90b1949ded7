// From row predicates to partition predicates.
//
// An inclusive projection is true for every partition that may hold a matching row; a strict one
// only for partitions whose rows all match. Results are unbound predicates over the partition
// fields' names.
#pragma once

#include "expr/expression.h"
#include "spec/partition_spec.h"

namespace iceblink::expr {

Result<Expression> ProjectInclusive(const Expression& filter, const spec::Schema& schema,
                                    const spec::PartitionSpec& spec, bool case_sensitive = true);
Result<Expression> ProjectStrict(const Expression& filter, const spec::Schema& schema,
                                 const spec::PartitionSpec& spec, bool case_sensitive = true);

// Return the projection of one bound predicate through one field, or nothing when there is no
// constraint.
std::optional<Expression> ProjectPredicate(const spec::Transform& transform,
                                           const std::string& field_name,
                                           const Expression& bound_predicate);
std::optional<Expression> ProjectPredicateStrict(const spec::Transform& transform,
                                                 const std::string& field_name,
                                                 const Expression& bound_predicate);

// Returns the schema of a spec's partition tuple, to bind projected predicates.
spec::Schema PartitionSchema(const spec::PartitionSpec& spec, const spec::Schema& schema);

// Returns whether the filter selects whole partitions in the spec: its strict and inclusive
// projections are equal, so no row of a partition needs to be looked at (Java's
// ExpressionUtil.selectsPartitions).
Result<bool> SelectsPartitions(const Expression& filter, const spec::Schema& schema,
                               const spec::PartitionSpec& spec, bool case_sensitive = true);

}  // namespace iceblink::expr
