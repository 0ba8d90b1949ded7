#include "plan/analyzer.h"

#include <fmt/format.h>

#include <set>

#include "base/strings.h"
#include "plan/filters.h"
#include "plan/optimizer.h"
#include "plan/query_analyzer.h"
#include "plan/translatable.h"
#include "plan/types.h"

namespace iceblink::plan {

std::string TableRef::QuotedName() const {
  sql::Name name = identifier;
  name.insert(name.begin(), catalog);
  return sql::QuoteName(name);
}

std::string TableRef::DottedName() const {
  sql::Name name = identifier;
  name.insert(name.begin(), catalog);
  return iceblink::Join(name, ".");
}

Analyzer::Analyzer(Resolver& resolver) : queries_(std::make_unique<QueryAnalyzer>(resolver)) {}
Analyzer::~Analyzer() = default;

Result<PlanPtr> Analyzer::AnalyzeQuery(const sql::Query& query) {
  ASSIGN_OR_RETURN(PlanPtr plan, queries_->Query(query, Env()));
  return Optimize(plan, queries_->settings());
}

namespace {

Status RefuseDuplicates(const std::vector<Column>& columns, const NameRules& names, bool extended) {
  for (size_t i = 0; i < columns.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!names.Same(columns[i].name, columns[j].name)) continue;
      Error error = MakeError("COLUMN_ALREADY_EXISTS",
                              {{"columnName", sql::QuoteIdentifier(AsciiLower(columns[j].name))}});
      if (extended) error.message += ";";
      return Fail(std::move(error));
    }
  return {};
}

}  // namespace

Result<PlanPtr> Analyzer::AnalyzeCreateTableAs(const sql::CreateTable& statement) {
  ASSIGN_OR_RETURN(PlanPtr plan, AnalyzeQuery(*statement.query));
  RETURN_IF_ERROR(RefuseDuplicates(plan->output, queries_->names(), false));
  return plan;
}

Result<InsertPlan> Analyzer::AnalyzeInsert(const sql::Insert& insert) {
  return queries_->Insert(insert);
}
Result<RowLevelPlan> Analyzer::AnalyzeDelete(const sql::Delete& statement) {
  return queries_->Delete(statement);
}
Result<RowLevelPlan> Analyzer::AnalyzeUpdate(const sql::Update& statement) {
  return queries_->Update(statement);
}
Result<std::vector<Column>> Analyzer::AnalyzeMergeSource(const sql::Merge& statement) {
  return queries_->MergeSource(statement);
}
Result<RowLevelPlan> Analyzer::AnalyzeMerge(const sql::Merge& statement) {
  return queries_->Merge(statement);
}

Result<TypedExpr> Analyzer::AnalyzeExpression(const sql::Expr& expr,
                                              std::span<const Column> columns) {
  Env env;
  Scope scope = ScopeOf({columns.begin(), columns.end()}, {});
  ExprContext context;
  context.env = &env;
  context.scope = &scope;
  ASSIGN_OR_RETURN(TypedExpr typed, queries_->Expression(expr, context));
  typed.expr = OptimizeSubqueries(typed.expr, queries_->settings());
  return typed;
}

Result<Value> Analyzer::AnalyzeConstant(const sql::Expr& expr, const DataType& type) {
  ASSIGN_OR_RETURN(TypedExpr typed, AnalyzeExpression(expr));
  if (!CanImplicitlyCast(typed.expr->type, type) && !CanCast(typed.expr->type, type))
    return Raise("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
                 {{"sqlExpr", InDoubleQuotes(typed.text)},
                  {"srcType", InDoubleQuotes(typed.expr->type.SqlString())},
                  {"targetType", InDoubleQuotes(type.SqlString())}},
                 ToErrorPosition(expr.position));
  return queries_->Evaluate(MakeCast(typed.expr, type, CastMode::kAnsi));
}

Result<expr::Expression> Analyzer::AnalyzePredicate(const sql::Expr& expr,
                                                    const spec::Schema& schema) {
  std::vector<Column> columns;
  for (const spec::NestedField& field : schema.fields()) {
    ASSIGN_OR_RETURN(DataType type, ToSparkType(field.type));
    columns.push_back(queries_->NewColumn(field.name, std::move(type), !field.required));
  }
  Env env;
  Scope scope = ScopeOf(columns, {});
  ExprContext context;
  context.env = &env;
  context.scope = &scope;
  ASSIGN_OR_RETURN(TypedExpr typed, queries_->Condition(expr, context));
  if (IsFoldable(typed.expr)) {
    ASSIGN_OR_RETURN(const Value value, queries_->Evaluate(typed.expr));
    return value.Is<bool>() && value.As<bool>() ? expr::Expression::True()
                                                : expr::Expression::False();
  }
  ColumnNames names = [&](ColumnId id) -> std::optional<std::string> {
    for (const Column& column : columns)
      if (column.id == id) return column.name;
    return std::nullopt;
  };
  auto filter = ToIcebergPredicate(typed.expr, names, queries_->settings());
  if (!filter)
    return IllegalArgument(fmt::format(
        fmt::runtime(HasSourceForm(typed.expr)
                         ? "Cannot convert Spark filter: {} to Iceberg expression"
                         : "Cannot translate Spark expression: {} to data source filter"),
        typed.text));
  return *filter;
}

Result<std::vector<ExprPtr>> Analyzer::AnalyzeArguments(const Procedure& procedure,
                                                        const sql::Call& call) {
  std::vector<ProcedureArgument> arguments;
  for (const sql::Argument& argument : call.args) {
    ASSIGN_OR_RETURN(TypedExpr typed, AnalyzeExpression(*argument.expr));
    arguments.push_back({argument.name, typed.expr, typed.text});
  }
  return BindArguments(procedure, arguments);
}

Result<ViewDefinition> Analyzer::AnalyzeCreateView(const sql::CreateView& statement,
                                                   const std::string& view_name) {
  ASSIGN_OR_RETURN(PlanPtr plan, queries_->Query(*statement.query, Env()));
  ViewDefinition view;
  std::vector<std::string> wanted;
  for (const Column& column : plan->output) view.query_column_names.push_back(column.name);
  for (const sql::ViewColumn& column : statement.columns) wanted.push_back(column.name);
  view.columns = plan->output;
  if (!wanted.empty()) {
    if (wanted.size() != view.columns.size())
      return Raise(wanted.size() > view.columns.size()
                       ? "CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
                       : "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
                   {{"viewName", view_name},
                    {"viewColumns", iceblink::Join(wanted, ", ")},
                    {"dataColumns", iceblink::Join(view.query_column_names, ", ")}});
    for (size_t i = 0; i < wanted.size(); ++i) view.columns[i].name = wanted[i];
  }
  bool catalog_view = statement.scope == sql::CreateView::Scope::kCatalog;
  RETURN_IF_ERROR(RefuseDuplicates(view.columns, queries_->names(), catalog_view));
  view.plan = plan;
  view.temporary_views = queries_->temporary_views();
  return view;
}

}  // namespace iceblink::plan
