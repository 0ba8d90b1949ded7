// What DataFrames add to SQL: rows handed over with their types, columns named by the DataFrame
// they come from, and changes to the columns of *.
#include <algorithm>

#include "plan/query_analyzer.h"
#include "plan/select.h"

namespace iceblink::plan {

Relation QueryAnalyzer::GivenRows(const sql::GivenRows& rows) {
  const auto& fields = rows.schema.fields();
  std::vector<Column> output;
  for (const sql::StructField& field : fields)
    output.push_back(NewColumn(field.name, field.type, field.nullable));
  Values values;
  values.rows.reserve(rows.rows->size());
  for (const ValueList& row : *rows.rows) {
    std::vector<ExprPtr>& cells = values.rows.emplace_back();
    cells.reserve(fields.size());
    for (size_t i = 0; i < fields.size(); ++i) cells.push_back(MakeLiteral(row[i], fields[i].type));
  }
  Scope scope = ScopeOf(output, {});
  return Relation{MakePlan(std::move(values), std::move(output)), std::move(scope)};
}

// ---- columns by their DataFrame
// ---------------------------------------------------------------------------------------

void QueryAnalyzer::NameDataFrame(const sql::Relation& relation, Relation& found) {
  bool subquery = relation.As<sql::Subquery>() != nullptr;
  std::vector<Column> columns;
  for (ScopeColumn& column : found.scope.columns) {
    if (subquery && column.qualifier.empty()) {
      for (ColumnId id = column.column.id;;) {
        if (auto known = qualifiers_.find(id); known != qualifiers_.end()) {
          column.qualifier = known->second;
          break;
        }
        auto origin = origins_.find(id);
        if (origin == origins_.end()) break;
        id = origin->second;
      }
    }
    if (!column.qualifier.empty()) qualifiers_[column.column.id] = column.qualifier;
    columns.push_back(column.column);
  }
  for (int64_t id : relation.plan_ids) {
    auto& all = dataframes_[id];
    all.insert(all.end(), columns.begin(), columns.end());
  }
}

const ScopeColumn* QueryAnalyzer::FindDataFrameColumn(const Scope& scope,
                                                      const sql::NamedColumn& name) const {
  auto known = dataframes_.find(*name.plan_id);
  if (known == dataframes_.end()) return nullptr;
  // The nearest one: df.join(df.filter(...), df.id == ...) means the left side.
  const ScopeColumn* best = nullptr;
  int best_distance = 0;
  for (const ScopeColumn& column : scope.columns) {
    ColumnId id = column.column.id;
    for (int distance = 0;; ++distance) {
      bool same = std::any_of(known->second.begin(), known->second.end(), [&](const Column& c) {
        return c.id == id && names_.Same(c.name, name.parts.back());
      });
      if (same) {
        if (best == nullptr || distance < best_distance) best = &column, best_distance = distance;
        break;
      }
      auto origin = origins_.find(id);
      if (origin == origins_.end()) break;
      id = origin->second;
    }
  }
  return best;
}

Result<TypedExpr> QueryAnalyzer::DataFrameColumn(const sql::NamedColumn& name,
                                                 const sql::Position& at,
                                                 const ExprContext& context) {
  for (const Scope* scope = context.scope; scope != nullptr; scope = scope->outer) {
    if (const ScopeColumn* found = FindDataFrameColumn(*scope, name))
      return TypedExpr{MakeColumn(found->column), found->column.name};
  }
  return ColumnName(name.parts, at, context);
}

// ---- changes to the columns of *
// ---------------------------------------------------------------------------------------

Status SelectBuilder::EditItems(const sql::StarEdit& edit) {
  const NameRules& names = analyzer_.names();
  for (const sql::ExprPtr& drop : edit.drop) {
    const auto* name = drop->As<sql::NamedColumn>();
    if (name != nullptr && !name->plan_id && name->parts.size() == 1) {
      std::erase_if(items_,
                    [&](const AliasedExpr& item) { return names.Same(item.name, name->parts[0]); });
      continue;
    }
    auto typed = analyzer_.Expression(*drop, Context());
    if (!typed) {
      if (typed.error().condition.starts_with("UNRESOLVED_COLUMN")) continue;
      return Fail(typed.error());
    }
    std::erase_if(items_,
                  [&](const AliasedExpr& item) { return SameExpr(item.value.expr, typed->expr); });
  }
  // Expressions see the columns as they were.
  std::vector<AliasedExpr> put;
  for (const sql::NamedExpr& item : edit.put) {
    ASSIGN_OR_RETURN(TypedExpr typed, analyzer_.Expression(*item.expr, Context()));
    put.push_back({item.alias, std::move(typed)});
  }
  for (AliasedExpr& value : put) {
    bool replaced = false;
    for (AliasedExpr& item : items_) {
      if (!names.Same(item.name, value.name)) continue;
      item = value;
      replaced = true;
    }
    if (!replaced) items_.push_back(value);
  }
  for (const auto& [from, to] : edit.rename) {
    for (size_t i = 0; i < items_.size(); ++i)
      if (names.Same(items_[i].name, from)) items_[i].name = to;
  }
  return {};
}

}  // namespace iceblink::plan
