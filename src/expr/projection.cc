#include "expr/projection.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"

namespace iceblink::expr {
namespace {

using spec::Transform;
using spec::TransformKind;
using spec::Type;
using spec::TypeKind;
using Projected = std::optional<Expression>;

// One unit of the source type more or less; wraps at the ends as Java's arithmetic does.
Value Step(const Value& value, int32_t by) {
  if (value.Is<int32_t>()) {
    return static_cast<int32_t>(static_cast<uint32_t>(value.As<int32_t>()) +
                                static_cast<uint32_t>(by));
  }
  if (value.Is<int64_t>()) {
    return static_cast<int64_t>(static_cast<uint64_t>(value.As<int64_t>()) +
                                static_cast<uint64_t>(int64_t{by}));
  }
  if (value.Is<Decimal>())
    return Decimal{value.As<Decimal>().unscaled + by, value.As<Decimal>().scale};
  return value;
}

// Projects one bound predicate on a column through one partition field.
class Projector {
 public:
  Projector(const Transform& transform, const std::string& name, const Expression& predicate)
      : transform_(transform),
        name_(name),
        pred_(predicate),
        source_(predicate.term().source_type) {}

  Projected Inclusive() const {
    if (auto special = Special()) return *special;
    if (transform_.is_time()) return WithWrapped(FixInclusive(Numeric()));
    if (transform_.Is(TransformKind::kBucket)) {
      return pred_.op() == Op::kEq || pred_.op() == Op::kIn ? Transformed(pred_.op())
                                                            : std::nullopt;
    }
    return IsText() ? Text() : WithWrapped(Numeric());
  }

  Projected Strict() const {
    if (auto special = Special()) return *special;
    if (transform_.is_time()) return WithoutWrapped(FixStrict(NumericStrict()));
    if (transform_.Is(TransformKind::kBucket)) {
      return pred_.op() == Op::kNotEq || pred_.op() == Op::kNotIn ? Transformed(pred_.op())
                                                                  : std::nullopt;
    }
    return IsText() ? TextStrict() : WithoutWrapped(NumericStrict());
  }

 private:
  // Returns the answer where both projections agree, or nothing where they differ.
  std::optional<Projected> Special() const {
    if (!pred_.term().transform.is_identity()) {
      if (pred_.term().transform == transform_) return Same();
      return Projected();
    }
    if (transform_.is_void() || transform_.Is(TransformKind::kUnknown)) return Projected();
    if (transform_.is_identity() || pred_.op() <= Op::kNotNan) return Same();
    return std::nullopt;
  }

  bool IsText() const {
    return source_.Is(TypeKind::kString) || source_.Is(TypeKind::kBinary) ||
           source_.Is(TypeKind::kFixed);
  }

  Projected Same() const { return Expression::Predicate(pred_.op(), name_, pred_.literals()); }

  Projected Make(Op op, int32_t step = 0) const {
    return Expression::Predicate(op, name_,
                                 {transform_.Apply(source_, Step(pred_.literal(), step))});
  }

  // Returns `op` of every literal's transformed value, for kEq, kNotEq, kIn and kNotIn.
  Projected Transformed(Op op) const {
    std::vector<Value> values;
    for (const Value& literal : pred_.literals())
      values.push_back(transform_.Apply(source_, literal));
    return Expression::Predicate(op, name_, std::move(values));
  }

  Projected Numeric() const {
    if (pred_.op() == Op::kLt) return Make(Op::kLtEq, -1);
    if (pred_.op() == Op::kLtEq) return Make(Op::kLtEq);
    if (pred_.op() == Op::kGt) return Make(Op::kGtEq, +1);
    if (pred_.op() == Op::kGtEq) return Make(Op::kGtEq);
    if (pred_.op() == Op::kEq || pred_.op() == Op::kIn) return Transformed(pred_.op());
    return std::nullopt;
  }

  Projected NumericStrict() const {
    if (pred_.op() == Op::kLt) return Make(Op::kLt);
    if (pred_.op() == Op::kLtEq) return Make(Op::kLt, +1);
    if (pred_.op() == Op::kGt) return Make(Op::kGt);
    if (pred_.op() == Op::kGtEq) return Make(Op::kGt, -1);
    if (pred_.op() == Op::kNotEq || pred_.op() == Op::kNotIn) return Transformed(pred_.op());
    return std::nullopt;
  }

  Projected Text() const {
    if (pred_.op() == Op::kLt || pred_.op() == Op::kLtEq) return Make(Op::kLtEq);
    if (pred_.op() == Op::kGt || pred_.op() == Op::kGtEq) return Make(Op::kGtEq);
    if (pred_.op() == Op::kEq || pred_.op() == Op::kIn) return Transformed(pred_.op());
    if (pred_.op() == Op::kStartsWith) return Prefix(Op::kEq).value_or(Make(Op::kStartsWith));
    if (pred_.op() == Op::kNotStartsWith) return Prefix(Op::kNotEq).value_or(std::nullopt);
    return std::nullopt;
  }

  Projected TextStrict() const {
    if (pred_.op() == Op::kLt || pred_.op() == Op::kLtEq) return Make(Op::kLt);
    if (pred_.op() == Op::kGt || pred_.op() == Op::kGtEq) return Make(Op::kGt);
    if (pred_.op() == Op::kNotEq || pred_.op() == Op::kNotIn) return Transformed(pred_.op());
    if (pred_.op() == Op::kStartsWith) return Prefix(Op::kEq).value_or(std::nullopt);
    if (pred_.op() == Op::kNotStartsWith)
      return Prefix(Op::kNotEq).value_or(Make(Op::kNotStartsWith));
    return std::nullopt;
  }

  // Returns the exact projection of a prefix test: the same test for a prefix shorter than the
  // width, `equal` for one as long, nothing for a longer one.
  std::optional<Projected> Prefix(Op equal) const {
    size_t length = CodePointCount(pred_.literal().As<std::string>());
    auto width = static_cast<size_t>(transform_.param());
    if (length < width) return Same();
    if (length == width) return Projected(Expression::Predicate(equal, name_, {pred_.literal()}));
    return std::nullopt;
  }

  // Old writers rounded negative time values towards zero, one more than the right result. Days of
  // dates are exact.
  bool NeedsFix() const {
    return !(transform_.Is(TransformKind::kDay) && source_.Is(TypeKind::kDate));
  }

  Projected Replace(Op op, std::vector<Value> values) const {
    return Expression::Predicate(op, name_, std::move(values));
  }

  // Adds to every negative value the one that an old writer made of it.
  static std::vector<Value> WithOldValues(const std::vector<Value>& values) {
    std::vector<Value> out;
    for (const Value& value : values) {
      out.push_back(value);
      if (value.AsInt64() < 0) out.push_back(Step(value, 1));
    }
    return out;
  }

  static bool AnyNegative(const std::vector<Value>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const Value& value) { return value.AsInt64() < 0; });
  }

  Projected FixInclusive(Projected projected) const {
    if (!projected || !NeedsFix()) return projected;
    Op op = projected->op();
    if (!AnyNegative(projected->literals())) return projected;
    if (op == Op::kLt || op == Op::kLtEq) return Replace(op, {Step(projected->literal(), 1)});
    if (op == Op::kEq || op == Op::kIn)
      return Replace(Op::kIn, WithOldValues(projected->literals()));
    return projected;
  }

  Projected FixStrict(Projected projected) const {
    if (!projected || !NeedsFix()) return projected;
    Op op = projected->op();
    if ((op == Op::kGt || op == Op::kGtEq) && projected->literal().AsInt64() <= 0) {
      return Replace(op, {Step(projected->literal(), 1)});
    }
    if ((op == Op::kNotEq || op == Op::kNotIn) && AnyNegative(projected->literals())) {
      return Replace(Op::kNotIn, WithOldValues(projected->literals()));
    }
    return projected;
  }

  bool IsLess() const { return pred_.op() == Op::kLt || pred_.op() == Op::kLtEq; }
  bool IsGreater() const { return pred_.op() == Op::kGt || pred_.op() == Op::kGtEq; }

  // The smallest or largest value of a numeric source; null for other sources.
  Value Extreme(bool smallest) const {
    if (source_.Is(TypeKind::kInt)) {
      using Limits = std::numeric_limits<int32_t>;
      return smallest ? Limits::min() : Limits::max();
    }
    if (!pred_.literal().Is<int64_t>()) return {};
    using Limits = std::numeric_limits<int64_t>;
    return smallest ? Limits::min() : Limits::max();
  }

  // Returns the result of the extreme value when it wraps. Results that wrapped are at least that
  // of the smallest value, or at most that of the largest one.
  std::optional<Value> WrappedExtreme(bool smallest) const {
    Value value = Extreme(smallest);
    if (!transform_.WrapsAt(source_, value)) return std::nullopt;
    return transform_.Apply(source_, value);
  }

  // Returns whether the order of results says nothing about the predicate's own literal.
  bool LiteralWraps() const {
    return transform_.WrapsAt(source_, pred_.literal()) ||
           transform_.WrapsAt(source_, Step(pred_.literal(), 1)) ||
           transform_.WrapsAt(source_, Step(pred_.literal(), -1));
  }

  // Adds to an inclusive range the partitions of values whose results wrapped: of the smallest
  // values to a range below a literal, of the largest ones to a range above.
  Projected WithWrapped(Projected range) const {
    if (!range || !(IsLess() || IsGreater())) return range;
    if (LiteralWraps()) return std::nullopt;
    std::optional<Value> wrapped = WrappedExtreme(IsLess());
    if (!wrapped) return range;
    Op op = IsLess() ? Op::kGtEq : Op::kLtEq;
    return Expression::Or(*range, Expression::Predicate(op, name_, {*wrapped}));
  }

  // Takes from a strict range the partitions of values whose results wrapped into it.
  Projected WithoutWrapped(Projected range) const {
    if (!range || !(IsLess() || IsGreater())) return range;
    if (LiteralWraps()) return std::nullopt;
    std::optional<Value> wrapped = WrappedExtreme(IsGreater());
    if (!wrapped) return range;
    Op op = IsLess() ? Op::kGt : Op::kLt;
    return Expression::And(*range, Expression::Predicate(op, name_, {*wrapped}));
  }

  const Transform& transform_;
  const std::string& name_;
  const Expression& pred_;
  const Type& source_;
};

// Projects an expression without kNot; `strict` chooses what a predicate without projection
// becomes.
class SpecProjection {
 public:
  SpecProjection(const spec::Schema& schema, const spec::PartitionSpec& spec, bool case_sensitive,
                 bool strict)
      : schema_(schema), spec_(spec), case_sensitive_(case_sensitive), strict_(strict) {}

  Result<Expression> Run(const Expression& e) const {
    if (e.is_predicate()) return Predicate(e);
    if (e.op() != Op::kAnd && e.op() != Op::kOr) return e;
    ASSIGN_OR_RETURN(Expression left, Run(e.left()));
    ASSIGN_OR_RETURN(Expression right, Run(e.right()));
    return e.op() == Op::kAnd ? Expression::And(std::move(left), std::move(right))
                              : Expression::Or(std::move(left), std::move(right));
  }

 private:
  Result<Expression> Predicate(const Expression& predicate) const {
    ASSIGN_OR_RETURN(Expression bound, Bind(predicate, schema_, case_sensitive_));
    if (!bound.is_predicate()) return bound;
    Expression out = strict_ ? Expression::False() : Expression::True();
    for (const spec::PartitionField& field : spec_.fields) {
      if (field.source_id != bound.term().field_id) continue;
      Projected part = strict_ ? ProjectPredicateStrict(field.transform, field.name, bound)
                               : ProjectPredicate(field.transform, field.name, bound);
      if (part) out = strict_ ? Expression::Or(out, *part) : Expression::And(out, *part);
    }
    return out;
  }

  const spec::Schema& schema_;
  const spec::PartitionSpec& spec_;
  bool case_sensitive_;
  bool strict_;
};

}  // namespace

std::optional<Expression> ProjectPredicate(const Transform& transform,
                                           const std::string& field_name,
                                           const Expression& bound_predicate) {
  return Projector(transform, field_name, bound_predicate).Inclusive();
}

std::optional<Expression> ProjectPredicateStrict(const Transform& transform,
                                                 const std::string& field_name,
                                                 const Expression& bound_predicate) {
  return Projector(transform, field_name, bound_predicate).Strict();
}

Result<Expression> ProjectInclusive(const Expression& filter, const spec::Schema& schema,
                                    const spec::PartitionSpec& spec, bool case_sensitive) {
  return SpecProjection(schema, spec, case_sensitive, false).Run(RewriteNot(filter));
}

Result<Expression> ProjectStrict(const Expression& filter, const spec::Schema& schema,
                                 const spec::PartitionSpec& spec, bool case_sensitive) {
  return SpecProjection(schema, spec, case_sensitive, true).Run(RewriteNot(filter));
}

spec::Schema PartitionSchema(const spec::PartitionSpec& spec, const spec::Schema& schema) {
  return spec::Schema(spec::PartitionType(spec, schema).fields);
}

Result<bool> SelectsPartitions(const Expression& filter, const spec::Schema& schema,
                               const spec::PartitionSpec& spec, bool case_sensitive) {
  spec::Schema partition = PartitionSchema(spec, schema);
  ASSIGN_OR_RETURN(Expression inclusive, ProjectInclusive(filter, schema, spec, case_sensitive));
  ASSIGN_OR_RETURN(Expression strict, ProjectStrict(filter, schema, spec, case_sensitive));
  ASSIGN_OR_RETURN(inclusive, Bind(inclusive, partition));
  ASSIGN_OR_RETURN(strict, Bind(strict, partition));
  return inclusive == strict;
}

}  // namespace iceblink::expr
