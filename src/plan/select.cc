#include "plan/select.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

Result<PlanPtr> QueryAnalyzer::Select(const sql::Select& select, const sql::Query* around,
                                      const Env& env) {
  return SelectBuilder(*this, select, around, env).Build();
}

Result<PlanPtr> SelectBuilder::Build() {
  windows_ = select_.windows;
  if (around_ != nullptr)
    windows_.insert(windows_.end(), around_->windows.begin(), around_->windows.end());
  RETURN_IF_ERROR(Source());
  RETURN_IF_ERROR(Where());
  RETURN_IF_ERROR(TimeWindows());
  RETURN_IF_ERROR(Items());
  RETURN_IF_ERROR(GroupBy());
  if (around_ != nullptr) {
    RETURN_IF_ERROR(OrderKeys(around_->order_by, order_));
    RETURN_IF_ERROR(OrderKeys(around_->sort_by, sort_));
  }
  if (IsAggregated()) {
    RETURN_IF_ERROR(BuildAggregate());
  }
  RETURN_IF_ERROR(BuildWindows());
  RETURN_IF_ERROR(BuildGenerators());
  return Project();
}

ExprContext SelectBuilder::Context() const {
  ExprContext context;
  context.env = &env_;
  context.scope = &scope_;
  context.windows = &windows_;
  return context;
}

Status SelectBuilder::Source() {
  ASSIGN_OR_RETURN(Relation relation, analyzer_.From(select_.from, env_));
  plan_ = std::move(relation.plan);
  scope_ = std::move(relation.scope);
  scope_.outer = env_.outer;
  for (const Column& column : plan_->output) input_ids_.insert(column.id);
  return {};
}

// The aggregates of a condition, their columns fully qualified, as INVALID_WHERE_CONDITION lists
// them.
std::string SelectBuilder::InvalidParts(const TypedExpr& condition) const {
  std::vector<std::string> parts;
  ForEachNode(condition.expr, [&](const Expr& node) {
    const auto* aggregate = node.As<AggregateCall>();
    if (aggregate == nullptr) return true;
    std::vector<std::string> args;
    for (const ExprPtr& arg : aggregate->args)
      for (const ScopeColumn& column : scope_.columns) {
        const auto* reference = arg->As<ColumnRef>();
        if (reference == nullptr || reference->id != column.column.id) continue;
        sql::Name name = column.qualifier;
        name.push_back(column.column.name);
        args.push_back(sql::QuoteNameIfNeeded(name));
      }
    parts.push_back(fmt::format("{}({})", aggregate->function, iceblink::Join(args, ", ")));
    return false;
  });
  return parts.empty() ? condition.text : iceblink::Join(parts, ", ");
}

Status SelectBuilder::Where() {
  if (!select_.where) return {};
  ASSIGN_OR_RETURN(TypedExpr condition, analyzer_.Condition(*select_.where, Context()));
  if (ContainsAggregate(condition.expr) || ContainsWindow(condition.expr)) {
    return Raise("INVALID_WHERE_CONDITION",
                 {{"condition", InDoubleQuotes(condition.text)},
                  {"expressionList", InvalidParts(condition)}},
                 ErrorPosition{1, 0});
  }
  std::vector<Column> output = plan_->output;
  plan_ = MakePlan(Filter{plan_, condition.expr}, std::move(output));
  return {};
}

// ---- items
// ------------------------------------------------------------------------------------------------------------

void SelectBuilder::AddItem(std::string name, TypedExpr value) {
  items_.push_back({std::move(name), std::move(value)});
}

Status SelectBuilder::Items() {
  for (const sql::NamedExpr& item : select_.items) {
    if (const auto* star = item.expr->As<sql::Star>()) {
      RETURN_IF_ERROR(ExpandStar(*star, item.expr->position));
      continue;
    }
    if (const auto* call = item.expr->As<sql::FunctionCall>();
        call != nullptr && call->name.size() == 1) {
      const FunctionRow* row = FindFunction(call->name[0]);
      if (row != nullptr && row->kind == FunctionKind::kGenerator) {
        RETURN_IF_ERROR(GeneratorItem(*row, *call, item));
        continue;
      }
    }
    ExprContext context = Context();
    context.aliases = &items_;
    ASSIGN_OR_RETURN(TypedExpr typed, analyzer_.Expression(*item.expr, context));
    std::string name = item.alias.empty() ? GeneratedName(*item.expr, typed) : item.alias;
    AddItem(std::move(name), std::move(typed));
  }
  return {};
}

namespace {

bool Excluded(const sql::Star& star, const std::string& name, const NameRules& names) {
  for (const sql::Name& except : star.except)
    if (names.Same(except.back(), name)) return true;
  return false;
}

}  // namespace

Status SelectBuilder::ExpandStar(const sql::Star& star, const sql::Position& at) {
  const NameRules& names = analyzer_.names();
  bool any = false;
  for (const sql::Name& except : star.except) {
    ASSIGN_OR_RETURN(auto match, names.Find(scope_, except, ToErrorPosition(at)));
    if (!match) return Fail(UnresolvedColumn(except, scope_, ToErrorPosition(at)));
  }
  for (const ScopeColumn& column : scope_.columns) {
    if (column.metadata || (column.qualified_only && star.qualifier.empty())) continue;
    if (!names.QualifierMatches(column.qualifier, star.qualifier)) continue;
    any = true;
    if (Excluded(star, column.column.name, names)) continue;
    AddItem(column.column.name, {MakeColumn(column.column), column.column.name});
  }
  if (star.edit) return EditItems(*star.edit);
  if (any || star.qualifier.empty()) return {};
  // s.* of a struct column.
  auto base = analyzer_.ColumnName(star.qualifier, at, Context());
  if (base && base->expr->type.kind() == TypeKind::kStruct) {
    for (const sql::StructField& field : base->expr->type.fields()) {
      if (Excluded(star, field.name, names)) continue;
      ASSIGN_OR_RETURN(TypedExpr value, analyzer_.Field(*base, field.name, ToErrorPosition(at)));
      AddItem(field.name, std::move(value));
    }
    return {};
  }
  std::vector<std::string> columns;
  for (const ScopeColumn* column : VisibleColumns(scope_))
    columns.push_back(sql::QuoteIdentifier(column->column.name));
  return Raise("CANNOT_RESOLVE_STAR_EXPAND",
               {{"targetString", sql::QuoteName(star.qualifier)},
                {"columns", iceblink::Join(columns, ", ")}},
               ToErrorPosition(at));
}

Status SelectBuilder::GeneratorItem(const FunctionRow& row, const sql::FunctionCall& call,
                                    const sql::NamedExpr& item) {
  Generator generator{row.CanonicalName(), {}, row.name.ends_with("_outer"), {}};
  for (const sql::Argument& arg : call.args) {
    ASSIGN_OR_RETURN(TypedExpr typed, analyzer_.Expression(*arg.expr, Context()));
    generator.args.push_back(typed.expr);
  }
  ASSIGN_OR_RETURN(generator.columns,
                   analyzer_.GeneratedColumns(row.CanonicalName(), generator.args));
  std::vector<std::string> names = item.aliases;
  if (!item.alias.empty()) names = {item.alias};
  if (!names.empty() && names.size() != generator.columns.size())
    return Raise("ASSIGNMENT_ARITY_MISMATCH",
                 {{"numTarget", std::to_string(names.size())},
                  {"numExpr", std::to_string(generator.columns.size())}});
  for (size_t i = 0; i < generator.columns.size(); ++i) {
    Column& column = generator.columns[i];
    if (!names.empty()) column.name = names[i];
    if (generator.outer) column.nullable = true;
    AddItem(column.name, {MakeColumn(column), column.name});
  }
  generators_.push_back(std::move(generator));
  return {};
}

Result<std::vector<Column>> QueryAnalyzer::GeneratedColumns(std::string_view function,
                                                            const std::vector<ExprPtr>& args) {
  std::vector<Column> columns;
  const DataType& type = args[0]->type;
  bool map = type.kind() == TypeKind::kMap;
  if (function == "posexplode")
    columns.push_back(NewColumn("pos", DataType(TypeKind::kInt), false));
  if (function == "explode" || function == "posexplode") {
    if (map) {
      columns.push_back(NewColumn("key", type.key(), false));
      columns.push_back(NewColumn("value", type.value(), type.value_contains_null()));
    } else if (type.kind() == TypeKind::kArray) {
      columns.push_back(NewColumn("col", type.element(), type.contains_null()));
    } else {
      return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                   {{"sqlExpr", InDoubleQuotes(fmt::format("{}()", function))},
                    {"paramIndex", "first"},
                    {"requiredType", "(\"ARRAY\" or \"MAP\")"},
                    {"inputSql", InDoubleQuotes("")},
                    {"inputType", InDoubleQuotes(type.SqlString())}});
    }
    return columns;
  }
  if (function == "inline") {
    if (type.kind() != TypeKind::kArray || type.element().kind() != TypeKind::kStruct)
      return Fail(ErrorCode::kAnalysis, "inline takes an array of structs", "AnalysisException");
    for (const sql::StructField& field : type.element().fields())
      columns.push_back(NewColumn(field.name, field.type, field.nullable || type.contains_null()));
    return columns;
  }
  if (function == "json_tuple") {
    for (size_t i = 1; i < args.size(); ++i)
      columns.push_back(NewColumn(fmt::format("c{}", i - 1), DataType(TypeKind::kString), true));
    return columns;
  }
  ASSIGN_OR_RETURN(Value rows, Evaluate(args[0]));  // stack(n, ...)
  size_t count = static_cast<size_t>(std::max<int64_t>(1, rows.AsInt64()));
  size_t width = (args.size() - 1 + count - 1) / count;
  for (size_t c = 0; c < width; ++c)
    columns.push_back(NewColumn(fmt::format("col{}", c), args[1 + c]->type, true));
  return columns;
}

// ---- windows and generators
// -------------------------------------------------------------------------------------------

Status SelectBuilder::BuildWindows() {
  std::vector<ExprPtr> raw;
  Window window{plan_, {}};
  auto replace = [&](const ExprPtr& node) -> ExprPtr {
    if (!node->As<WindowCall>()) return nullptr;
    for (size_t i = 0; i < raw.size(); ++i)
      if (SameExpr(raw[i], node)) return MakeColumn(window.items[i].column);
    Column column = analyzer_.NewColumn(fmt::format("w{}", raw.size()), node->type, node->nullable);
    raw.push_back(node);
    window.items.push_back({column, node});
    return MakeColumn(column);
  };
  for (AliasedExpr& item : items_) item.value.expr = Transform(item.value.expr, replace);
  for (Key& key : order_) key.sort.expr = Transform(key.sort.expr, replace);
  for (Key& key : sort_) key.sort.expr = Transform(key.sort.expr, replace);
  if (raw.empty()) return {};
  std::vector<Column> output = plan_->output;
  for (const NamedExpr& item : window.items) output.push_back(item.column);
  plan_ = MakePlan(std::move(window), std::move(output));
  return {};
}

Status SelectBuilder::BuildGenerators() {
  for (Generator& generator : generators_) {
    std::vector<Column> output = plan_->output;
    output.insert(output.end(), generator.columns.begin(), generator.columns.end());
    plan_ = MakePlan(
        Generate{plan_, generator.function, generator.args, generator.outer, generator.columns},
        std::move(output));
  }
  return {};
}

}  // namespace iceblink::plan
