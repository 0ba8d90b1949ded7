#include "exec/join_keys.h"

#include <fmt/format.h>

#include <set>

#include "exec/duckdb_types.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

namespace {

constexpr int64_t kMaxSet = 200;  // Iceberg's evaluators look at no larger IN lists

void Conjuncts(const plan::ExprPtr& expr, std::vector<plan::ExprPtr>* out) {
  if (expr == nullptr) return;
  if (const auto* args = expr->ArgsOf("and")) {
    for (const plan::ExprPtr& arg : *args) Conjuncts(arg, out);
    return;
  }
  out->push_back(expr);
}

// Whether every column of the expression is one of the source's.
bool OfSource(const plan::ExprPtr& expr, const std::set<plan::ColumnId>& source) {
  if (const auto* ref = expr->As<plan::ColumnRef>()) return source.contains(ref->id);
  if (const auto* cast = expr->As<plan::Cast>()) return OfSource(cast->child, source);
  return false;
}

// The full name of a plain target column, or an empty string.
std::string TargetColumn(const plan::ExprPtr& expr, const plan::RowLevelPlan& plan) {
  const auto* ref = expr->As<plan::ColumnRef>();
  if (ref == nullptr) return {};
  for (const plan::ScanColumn& column : plan.target_scan->As<plan::TableScan>()->columns) {
    if (column.column.id != ref->id || table::IsReservedFieldId(column.field_id)) continue;
    const spec::NestedField* field = plan.target.schema->FindField(column.field_id);
    bool comparable =
        field != nullptr && field->type.is_primitive() && !field->type.Is(spec::TypeKind::kUuid);
    return comparable ? plan.target.schema->FullName(column.field_id) : "";
  }
  return {};
}

Result<ValueList> OneColumn(DuckDbSession& session, const std::string& sql) {
  ASSIGN_OR_RETURN(auto result, session.Run(sql));
  ValueList out;
  while (true) {
    ASSIGN_OR_RETURN(auto chunk, session.Fetch(*result));
    if (chunk == nullptr) return out;
    for (size_t i = 0; i < chunk->size(); ++i) {
      for (auto& column : chunk->data) out.push_back(FromDuckDb(column.GetValue(i)));
    }
  }
}

}  // namespace

Result<expr::Expression> JoinKeyFilter(DuckDbSession& session, Lowering& lowering,
                                       const plan::RowLevelPlan& plan, const std::string& source) {
  ASSIGN_OR_RETURN(ValueList rows, OneColumn(session, "SELECT count(*) FROM " + source));
  if (rows[0].AsInt64() == 0) return expr::Expression::False();
  std::set<plan::ColumnId> columns;
  for (const plan::Column& column : plan.source->output) columns.insert(column.id);
  std::vector<plan::ExprPtr> conjuncts;
  Conjuncts(plan.condition, &conjuncts);
  expr::Expression out;
  for (const plan::ExprPtr& conjunct : conjuncts) {
    const auto* args = conjunct->ArgsOf("=");
    if (args == nullptr) continue;
    std::string column = TargetColumn((*args)[0], plan);
    plan::ExprPtr key = (*args)[1];
    if (column.empty()) {
      column = TargetColumn((*args)[1], plan);
      key = (*args)[0];
    }
    if (column.empty() || !OfSource(key, columns)) continue;
    ASSIGN_OR_RETURN(std::string text, lowering.Expression(key));
    ASSIGN_OR_RETURN(
        ValueList range,
        OneColumn(session, fmt::format("SELECT min({0}), max({0}), count(DISTINCT {0}) FROM {1}",
                                       text, source)));
    if (range[0].is_null()) return expr::Expression::False();  // NULL keys match nothing
    if (range[2].AsInt64() <= kMaxSet) {
      ASSIGN_OR_RETURN(
          ValueList values,
          OneColumn(session, fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT NULL", text,
                                         source)));
      out = expr::Expression::And(
          out, expr::Expression::Predicate(expr::Op::kIn, column, std::move(values)));
    } else {
      out = expr::Expression::And(out,
                                  expr::Expression::Predicate(expr::Op::kGtEq, column, {range[0]}));
      out = expr::Expression::And(out,
                                  expr::Expression::Predicate(expr::Op::kLtEq, column, {range[1]}));
    }
  }
  return out;
}

}  // namespace iceblink::exec
