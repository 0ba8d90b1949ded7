#include "expr/evaluate.h"

namespace iceblink::expr {

Result<ResidualEvaluator> ResidualEvaluator::Make(const Expression& filter,
                                                  const spec::Schema& schema,
                                                  const spec::PartitionSpec& spec,
                                                  bool case_sensitive) {
  ResidualEvaluator out;
  out.filter_ = filter;
  out.unpartitioned_ = spec.fields.empty();
  if (out.unpartitioned_) return out;
  RETURN_IF_ERROR(out.Add(RewriteNot(filter), schema, spec, case_sensitive));
  return out;
}

Result<int32_t> ResidualEvaluator::Add(const Expression& e, const spec::Schema& schema,
                                       const spec::PartitionSpec& spec, bool case_sensitive) {
  Node node{e.op(), -1, -1, -1};
  if (e.op() == Op::kAnd || e.op() == Op::kOr) {
    ASSIGN_OR_RETURN(node.left, Add(e.left(), schema, spec, case_sensitive));
    ASSIGN_OR_RETURN(node.right, Add(e.right(), schema, spec, case_sensitive));
  } else if (e.is_predicate()) {
    ASSIGN_OR_RETURN(Expression bound, Bind(e, schema, case_sensitive));
    node.op = bound.op();
    if (bound.is_predicate()) {
      Leaf leaf{e, {}, {}};
      spec::Schema partition = PartitionSchema(spec, schema);
      for (const spec::PartitionField& field : spec.fields) {
        if (field.source_id != bound.term().field_id) continue;
        if (auto strict = ProjectPredicateStrict(field.transform, field.name, bound)) {
          ASSIGN_OR_RETURN(RowEvaluator evaluator, RowEvaluator::Make(*strict, partition));
          leaf.strict.push_back(std::move(evaluator));
        }
        if (auto inclusive = ProjectPredicate(field.transform, field.name, bound)) {
          ASSIGN_OR_RETURN(RowEvaluator evaluator, RowEvaluator::Make(*inclusive, partition));
          leaf.inclusive.push_back(std::move(evaluator));
        }
      }
      node.leaf = static_cast<int32_t>(leaves_.size());
      leaves_.push_back(std::move(leaf));
    }
  }
  nodes_.push_back(node);
  return static_cast<int32_t>(nodes_.size()) - 1;
}

Expression ResidualEvaluator::ResidualFor(std::span<const Value> partition) const {
  if (unpartitioned_) return filter_;
  return Residual(static_cast<int32_t>(nodes_.size()) - 1, partition);
}

Expression ResidualEvaluator::Residual(int32_t index, std::span<const Value> partition) const {
  const Node& node = nodes_[static_cast<size_t>(index)];
  if (node.op == Op::kTrue) return Expression::True();
  if (node.op == Op::kFalse) return Expression::False();
  if (node.leaf >= 0) return LeafResidual(leaves_[static_cast<size_t>(node.leaf)], partition);
  Expression left = Residual(node.left, partition);
  Expression right = Residual(node.right, partition);
  return node.op == Op::kAnd ? Expression::And(std::move(left), std::move(right))
                             : Expression::Or(std::move(left), std::move(right));
}

Expression ResidualEvaluator::LeafResidual(const Leaf& leaf,
                                           std::span<const Value> partition) const {
  for (const RowEvaluator& strict : leaf.strict) {
    if (strict.Eval(partition)) return Expression::True();
  }
  for (const RowEvaluator& inclusive : leaf.inclusive) {
    if (!inclusive.Eval(partition)) return Expression::False();
  }
  return leaf.original;
}

}  // namespace iceblink::expr
