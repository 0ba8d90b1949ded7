#include "plan/expression_tree.h"

#include <algorithm>

#include "plan/functions.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

ExprPtr MakeExpr(Expr::Node node, DataType type, bool nullable) {
  return std::make_shared<const Expr>(Expr{std::move(node), std::move(type), nullable});
}

ExprPtr MakeColumn(const Column& column) {
  return MakeExpr(ColumnRef{column.id, column.name}, column.type, column.nullable);
}
ExprPtr MakeLiteral(Value value, DataType type) {
  bool null = value.is_null();
  return MakeExpr(LiteralExpr{std::move(value)}, std::move(type), null);
}
ExprPtr MakeNull(DataType type) { return MakeLiteral(Value(), std::move(type)); }
ExprPtr MakeBool(bool value) { return MakeLiteral(Value(value), DataType(TypeKind::kBoolean)); }
ExprPtr MakeInt(int32_t value) { return MakeLiteral(Value(value), DataType(TypeKind::kInt)); }
ExprPtr MakeString(std::string text) {
  return MakeLiteral(Value(std::move(text)), DataType(TypeKind::kString));
}

ExprPtr MakeCall(std::string_view function, std::vector<ExprPtr> args, DataType type,
                 bool nullable) {
  return MakeExpr(Call{CanonicalFunctionName(function), std::move(args)}, std::move(type),
                  nullable);
}

ExprPtr MakeCall(std::string_view function, std::vector<ExprPtr> args, DataType type) {
  bool nullable =
      std::any_of(args.begin(), args.end(), [](const ExprPtr& arg) { return arg->nullable; });
  return MakeCall(function, std::move(args), std::move(type), nullable);
}

ExprPtr MakeCast(ExprPtr child, const DataType& type, CastMode mode, std::string target_column) {
  if (DataType::EqualsIgnoringNullability(child->type, type)) return child;
  if (child->type.is_void() && child->As<LiteralExpr>()) return MakeNull(type);
  bool nullable = CastIsNullable(child->type, type, child->nullable, mode);
  return MakeExpr(Cast{std::move(child), mode, std::move(target_column)}, type, nullable);
}

ExprPtr MakeAnd(ExprPtr a, ExprPtr b) {
  if (!a) return b;
  if (!b) return a;
  return MakeCall("and", {std::move(a), std::move(b)}, DataType(TypeKind::kBoolean));
}

const Value* LiteralValue(const ExprPtr& expr) {
  const auto* literal = expr->As<LiteralExpr>();
  return literal == nullptr ? nullptr : &literal->value;
}

// ---- walking
// ----------------------------------------------------------------------------------------------------------

namespace {

// Visits every child pointer of a node in order; works on const nodes and, for rewriting, on
// mutable copies.
template <typename Node, typename Visit>
void VisitChildren(Node& node, const Visit& visit) {
  auto all = [&](auto& list) {
    for (auto& child : list) visit(child);
  };
  auto keys = [&](auto& list) {
    for (auto& key : list) visit(key.expr);
  };
  auto maybe = [&](auto& child) {
    if (child) visit(child);
  };
  if (auto* call = std::get_if<Call>(&node)) all(call->args);
  if (auto* cast = std::get_if<Cast>(&node)) visit(cast->child);
  if (auto* lambda = std::get_if<Lambda>(&node)) visit(lambda->body);
  if (auto* in = std::get_if<InSubquery>(&node)) all(in->values);
  if (auto* choice = std::get_if<Case>(&node)) {
    for (auto& [condition, value] : choice->branches) {
      visit(condition);
      visit(value);
    }
    maybe(choice->otherwise);
  }
  if (auto* aggregate = std::get_if<AggregateCall>(&node)) {
    all(aggregate->args);
    maybe(aggregate->filter);
    keys(aggregate->order_by);
  }
  if (auto* window = std::get_if<WindowCall>(&node)) {
    all(window->args);
    maybe(window->filter);
    all(window->partition_by);
    keys(window->order_by);
    if (window->frame) {
      maybe(window->frame->start_offset);
      maybe(window->frame->end_offset);
    }
  }
}

}  // namespace

std::vector<ExprPtr> Children(const Expr& expr) {
  std::vector<ExprPtr> children;
  VisitChildren(expr.node, [&](const ExprPtr& child) { children.push_back(child); });
  return children;
}

ExprPtr WithChildren(const Expr& expr, const std::vector<ExprPtr>& children) {
  Expr copy = expr;
  size_t next = 0;
  VisitChildren(copy.node, [&](ExprPtr& child) { child = children[next++]; });
  return std::make_shared<const Expr>(std::move(copy));
}

void ForEachNode(const ExprPtr& expr, const std::function<bool(const Expr&)>& visit) {
  if (!expr || !visit(*expr)) return;
  VisitChildren(expr->node, [&](const ExprPtr& child) { ForEachNode(child, visit); });
}

bool AnyNode(const ExprPtr& expr, const std::function<bool(const Expr&)>& test) {
  bool found = false;
  ForEachNode(expr, [&](const Expr& node) {
    found = found || test(node);
    return !found;
  });
  return found;
}

ExprPtr Transform(const ExprPtr& expr, const std::function<ExprPtr(const ExprPtr&)>& replace) {
  if (!expr) return expr;
  if (ExprPtr replacement = replace(expr)) return replacement;
  std::vector<ExprPtr> children = Children(*expr);
  bool changed = false;
  for (ExprPtr& child : children) {
    ExprPtr rewritten = Transform(child, replace);
    changed = changed || rewritten != child;
    child = std::move(rewritten);
  }
  return changed ? WithChildren(*expr, children) : expr;
}

namespace {

bool SameKeys(const std::vector<SortKey>& a, const std::vector<SortKey>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const SortKey& x, const SortKey& y) {
    return x.ascending == y.ascending && x.nulls_first == y.nulls_first;
  });
}

// Compares what a node holds beside its children.
bool SameNode(const Expr::Node& a, const Expr::Node& b) {
  if (a.index() != b.index()) return false;
  if (auto* x = std::get_if<ColumnRef>(&a)) return x->id == std::get<ColumnRef>(b).id;
  if (auto* x = std::get_if<LiteralExpr>(&a)) return x->value == std::get<LiteralExpr>(b).value;
  if (auto* x = std::get_if<Call>(&a)) return x->function == std::get<Call>(b).function;
  if (auto* x = std::get_if<Cast>(&a)) return x->mode == std::get<Cast>(b).mode;
  if (auto* x = std::get_if<Case>(&a))
    return x->branches.size() == std::get<Case>(b).branches.size();
  if (std::holds_alternative<Lambda>(a)) return false;  // parameters differ in ids
  if (auto* x = std::get_if<ScalarSubquery>(&a)) return x->plan == std::get<ScalarSubquery>(b).plan;
  if (auto* x = std::get_if<ExistsSubquery>(&a)) return x->plan == std::get<ExistsSubquery>(b).plan;
  if (auto* x = std::get_if<InSubquery>(&a)) return x->plan == std::get<InSubquery>(b).plan;
  if (auto* x = std::get_if<AggregateCall>(&a)) {
    const auto& y = std::get<AggregateCall>(b);
    return x->function == y.function && x->distinct == y.distinct &&
           x->ignore_nulls == y.ignore_nulls && !x->filter == !y.filter &&
           SameKeys(x->order_by, y.order_by);
  }
  const auto& x = std::get<WindowCall>(a);
  const auto& y = std::get<WindowCall>(b);
  auto same_frame = [](const std::optional<WindowFrame>& f, const std::optional<WindowFrame>& g) {
    if (f.has_value() != g.has_value()) return false;
    return !f || (f->unit == g->unit && f->start == g->start && f->end == g->end);
  };
  return x.function == y.function && x.distinct == y.distinct && x.ignore_nulls == y.ignore_nulls &&
         x.partition_by.size() == y.partition_by.size() && SameKeys(x.order_by, y.order_by) &&
         same_frame(x.frame, y.frame);
}

}  // namespace

bool SameExpr(const ExprPtr& a, const ExprPtr& b) {
  if (a == b) return true;
  if (!a || !b || !SameNode(a->node, b->node) || !(a->type == b->type)) return false;
  std::vector<ExprPtr> x = Children(*a), y = Children(*b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), SameExpr);
}

bool ContainsAggregate(const ExprPtr& expr) {
  return AnyNode(expr, [](const Expr& node) { return node.As<AggregateCall>() != nullptr; });
}
bool ContainsWindow(const ExprPtr& expr) {
  return AnyNode(expr, [](const Expr& node) { return node.As<WindowCall>() != nullptr; });
}
bool ContainsSubquery(const ExprPtr& expr) {
  return AnyNode(expr, [](const Expr& node) {
    return node.As<ScalarSubquery>() || node.As<ExistsSubquery>() || node.As<InSubquery>();
  });
}
bool IsDeterministic(const ExprPtr& expr) {
  return !AnyNode(expr, [](const Expr& node) {
    const auto* call = node.As<Call>();
    const FunctionRow* row = call == nullptr ? nullptr : FindFunction(call->function);
    return row != nullptr && !row->deterministic;
  });
}
bool IsFoldable(const ExprPtr& expr) {
  return !AnyNode(expr,
                  [](const Expr& node) {
                    return node.As<ColumnRef>() || node.As<AggregateCall>() ||
                           node.As<WindowCall>() || node.As<Lambda>();
                  }) &&
         !ContainsSubquery(expr) && IsDeterministic(expr);
}

std::vector<ExprPtr> SplitConjuncts(const ExprPtr& condition) {
  if (!condition) return {};
  if (const auto* args = condition->ArgsOf("and")) {
    std::vector<ExprPtr> parts = SplitConjuncts((*args)[0]);
    for (ExprPtr& part : SplitConjuncts((*args)[1])) parts.push_back(std::move(part));
    return parts;
  }
  return {condition};
}

namespace {

void CollectColumns(const PlanPtr& plan, std::vector<ColumnId>& ids) {
  ForEachExpr(*plan, [&](const ExprPtr& expr) { plan::CollectColumns(expr, ids); });
  for (const PlanPtr& input : Inputs(*plan)) CollectColumns(input, ids);
}

}  // namespace

void CollectColumns(const ExprPtr& expr, std::vector<ColumnId>& ids) {
  ForEachNode(expr, [&](const Expr& node) {
    if (const auto* column = node.As<ColumnRef>()) ids.push_back(column->id);
    if (const auto* subquery = node.As<ScalarSubquery>()) CollectColumns(subquery->plan, ids);
    if (const auto* subquery = node.As<ExistsSubquery>()) CollectColumns(subquery->plan, ids);
    if (const auto* subquery = node.As<InSubquery>()) CollectColumns(subquery->plan, ids);
    return true;
  });
}

}  // namespace iceblink::plan
