// INSERT: columns by position, list or name, static partition values, DEFAULT, and what an
// overwrite replaces.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "plan/filters.h"
#include "plan/optimizer.h"
#include "plan/query_analyzer.h"
#include "plan/store_assignment.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

bool IsDefault(const sql::ExprPtr& expr) {
  const auto* column = expr->As<sql::NamedColumn>();
  return column != nullptr && column->parts.size() == 1 &&
         EqualsIgnoreCase(column->parts[0], "default");
}

std::vector<std::string> Quoted(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(sql::QuoteIdentifier(name));
  return quoted;
}

// Puts the default of the column at the same position in place of the word DEFAULT in VALUES and
// select lists.
class DefaultRewriter {
 public:
  explicit DefaultRewriter(std::vector<sql::ExprPtr> defaults) : defaults_(std::move(defaults)) {}

  sql::QueryPtr Rewrite(const sql::QueryPtr& query) const {
    if (!query->body) return query;
    const auto* relation = std::get_if<sql::RelationPtr>(&query->body->node);
    const auto* select = std::get_if<sql::Select>(&query->body->node);
    auto term = std::make_shared<sql::QueryTerm>(*query->body);
    if (relation != nullptr) {
      term->node = Rewrite(*relation);
    } else if (select != nullptr) {
      sql::Select copy = *select;
      for (size_t i = 0; i < copy.items.size(); ++i)
        copy.items[i].expr = Cell(copy.items[i].expr, i);
      term->node = std::move(copy);
    } else {
      return query;
    }
    auto result = std::make_shared<sql::Query>(*query);
    result->body = std::move(term);
    return result;
  }

 private:
  sql::RelationPtr Rewrite(const sql::RelationPtr& relation) const {
    const auto* table = relation->As<sql::InlineTable>();
    if (table == nullptr) return relation;
    auto copy = std::make_shared<sql::Relation>(*relation);
    sql::InlineTable rows = *table;
    for (sql::ExprPtr& row : rows.rows) {
      const auto* several = row->As<sql::StructConstructor>();
      if (several == nullptr) {
        row = Cell(row, 0);
        continue;
      }
      sql::StructConstructor cells = *several;
      for (size_t i = 0; i < cells.fields.size(); ++i)
        cells.fields[i].expr = Cell(cells.fields[i].expr, i);
      row = sql::MakeExpr(std::move(cells), row->position);
    }
    copy->node = std::move(rows);
    return copy;
  }

  sql::ExprPtr Cell(const sql::ExprPtr& expr, size_t position) const {
    return IsDefault(expr) && position < defaults_.size() ? defaults_[position] : expr;
  }

  std::vector<sql::ExprPtr> defaults_;
};

class InsertBuilder {
 public:
  InsertBuilder(QueryAnalyzer& analyzer, const sql::Insert& insert, TableRef target)
      : analyzer_(analyzer),
        insert_(insert),
        target_(std::move(target)),
        fields_(target_.schema->fields()) {
    rules_.policy = analyzer.settings().store_assignment;
    rules_.by_name = insert.by_name || !insert.columns.empty();
    rules_.case_sensitive = analyzer.settings().case_sensitive;
    rules_.table = target_.QuotedName();
  }

  Result<InsertPlan> Build(const Env& env) {
    if (rules_.policy == StoreAssignmentPolicy::kLegacy) return Raise("_LEGACY_ERROR_TEMP_1000");
    RETURN_IF_ERROR(StaticValues(env));
    RETURN_IF_ERROR(NamedTargets());
    ASSIGN_OR_RETURN(PlanPtr source,
                     analyzer_.Query(*DefaultRewriter(Defaults()).Rewrite(insert_.query), env));
    values_.resize(fields_.size());
    RETURN_IF_ERROR(insert_.by_name ? ByName(*source) : ByPosition(*source));
    ASSIGN_OR_RETURN(PlanPtr projected, Project(source));
    InsertPlan plan{target_, Optimize(projected, analyzer_.settings()), InsertMode::kAppend, {}};
    RETURN_IF_ERROR(Mode(plan, env));
    return plan;
  }

 private:
  std::optional<size_t> FieldIndex(const std::string& name) const {
    for (size_t i = 0; i < fields_.size(); ++i)
      if (analyzer_.names().Same(fields_[i].name, name)) return i;
    return std::nullopt;
  }

  bool IsIdentityPartition(const spec::NestedField& field) const {
    const auto& parts = target_.metadata->spec().fields;
    return std::any_of(parts.begin(), parts.end(), [&](const spec::PartitionField& part) {
      return part.source_id == field.id && part.transform.is_identity();
    });
  }

  // PARTITION (c = v): values for the identity partition columns c.
  Status StaticValues(const Env& env) {
    Scope none;
    ExprContext context;
    context.env = &env;
    context.scope = &none;
    for (const sql::PartitionValue& part : insert_.partition) {
      auto index = FieldIndex(part.name);
      if (!index || !IsIdentityPartition(fields_[*index]))
        return Raise("NON_PARTITION_COLUMN", {{"columnName", sql::QuoteIdentifier(part.name)}});
      if (!part.value) continue;
      ASSIGN_OR_RETURN(TypedExpr value, analyzer_.Expression(*part.value, context));
      ASSIGN_OR_RETURN(DataType type, ToSparkType(fields_[*index].type));
      static_values_[*index] = MakeCast(value.expr, type, CastMode::kAnsi);
    }
    return {};
  }

  // The fields that the columns of a column list stand for.
  Status NamedTargets() {
    std::set<size_t> seen;
    for (const std::string& name : insert_.columns) {
      auto index = FieldIndex(name);
      if (!index) {
        std::vector<sql::Name> candidates;
        for (const spec::NestedField& field : fields_) candidates.push_back({field.name});
        return Fail(WithoutPlan(UnresolvedColumnError({name}, candidates, false, sql::Position{})));
      }
      if (!seen.insert(*index).second)
        return Raise("COLUMN_ALREADY_EXISTS", {{"columnName", sql::QuoteIdentifier(name)}});
      targets_.push_back(*index);
    }
    if (insert_.columns.empty())
      for (size_t i = 0; i < fields_.size(); ++i)
        if (!static_values_.contains(i)) targets_.push_back(i);
    return {};
  }

  std::vector<sql::ExprPtr> Defaults() const {
    std::vector<sql::ExprPtr> defaults;
    for (size_t index : targets_) {
      const spec::NestedField& field = fields_[index];
      auto type = ToSparkType(field.type);
      bool known = field.write_default && type;
      defaults.push_back(sql::MakeExpr(known ? sql::Literal{*field.write_default, *type}
                                             : sql::Literal{Value(), DataType()}));
    }
    return defaults;
  }

  Error Arity(std::string_view condition, const Plan& source) const {
    std::vector<std::string> table, data;
    for (const spec::NestedField& field : fields_) table.push_back(field.name);
    if (!insert_.columns.empty()) table = insert_.columns;
    for (const Column& column : source.output) data.push_back(column.name);
    return MakeError(condition, {{"tableName", rules_.table},
                                 {"tableColumns", iceblink::Join(Quoted(table), ", ")},
                                 {"dataColumns", iceblink::Join(Quoted(data), ", ")}});
  }

  Status ByPosition(const Plan& source) {
    if (source.output.size() < targets_.size())
      return Fail(Arity("INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", source));
    if (source.output.size() > targets_.size())
      return Fail(Arity("INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS", source));
    for (size_t i = 0; i < targets_.size(); ++i)
      values_[targets_[i]] = MakeColumn(source.output[i]);
    return {};
  }

  Status ByName(const Plan& source) {
    std::vector<std::string> extra;
    for (const Column& column : source.output) {
      auto index = FieldIndex(column.name);
      if (!index) {
        extra.push_back(sql::QuoteIdentifier(column.name));
        continue;
      }
      if (values_[*index])
        return Raise("AMBIGUOUS_REFERENCE",
                     {{"name", sql::QuoteIdentifier(column.name)},
                      {"referenceNames", fmt::format("[`{}`, `{}`]", column.name, column.name)}});
      values_[*index] = MakeColumn(column);
    }
    if (extra.empty()) return {};
    bool more = source.output.size() > fields_.size();
    if (more && insert_.columns.empty())
      return Fail(Arity("INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS", source));
    return Raise("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
                 {{"tableName", rules_.table},
                  {"extraColumns", iceblink::Join(extra, ", ")},
                  {"more", more ? "1" : "0"}});
  }

  Result<PlanPtr> Project(const PlanPtr& source) {
    plan::Project project{source, {}};
    std::vector<Column> output;
    for (size_t i = 0; i < fields_.size(); ++i) {
      ExprPtr value = values_[i];
      if (static_values_.contains(i)) value = static_values_[i];
      if (value) {
        ASSIGN_OR_RETURN(value, AssignTo(fields_[i], value, rules_));
      } else {
        ASSIGN_OR_RETURN(value, DefaultOf(fields_[i], rules_));
      }
      Column column = analyzer_.NewColumn(fields_[i].name, value->type, value->nullable);
      project.items.push_back({column, value});
      output.push_back(std::move(column));
    }
    return MakePlan(std::move(project), std::move(output));
  }

  Status Mode(InsertPlan& plan, const Env& env) {
    if (insert_.replace_where) {
      plan.mode = InsertMode::kOverwriteByFilter;
      ASSIGN_OR_RETURN(Relation relation, analyzer_.ScanTable({target_, {}}, {}));
      ExprContext context;
      context.env = &env;
      context.scope = &relation.scope;
      ASSIGN_OR_RETURN(TypedExpr condition, analyzer_.Condition(*insert_.replace_where, context));
      auto filter = ToIcebergPredicate(condition.expr, NamesOf(*relation.plan->As<TableScan>()),
                                       analyzer_.settings());
      if (!filter)
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("Cannot convert predicate to Iceberg filter: {}", condition.text),
                    "AnalysisException");
      plan.overwrite_filter = *filter;
      return {};
    }
    if (!insert_.overwrite) return {};
    bool dynamic = analyzer_.settings().dynamic_partition_overwrite;
    for (const auto& [key, value] : insert_.options)
      if (EqualsIgnoreCase(key, "overwrite-mode")) dynamic = EqualsIgnoreCase(value, "dynamic");
    plan.mode = dynamic ? InsertMode::kOverwriteDynamic : InsertMode::kOverwriteByFilter;
    for (const auto& [index, value] : static_values_) {
      ASSIGN_OR_RETURN(Value constant, analyzer_.Evaluate(value));
      using expr::Op;
      auto test = constant.is_null() ? expr::Expression::Predicate(Op::kIsNull, fields_[index].name)
                                     : expr::Expression::Predicate(Op::kEq, fields_[index].name,
                                                                   {std::move(constant)});
      plan.overwrite_filter = expr::Expression::And(plan.overwrite_filter, test);
    }
    return {};
  }

  QueryAnalyzer& analyzer_;
  const sql::Insert& insert_;
  TableRef target_;
  const std::vector<spec::NestedField>& fields_;
  AssignmentRules rules_;
  std::map<size_t, ExprPtr> static_values_;
  std::vector<size_t> targets_;  // fields that the source's columns go to
  std::vector<ExprPtr> values_;  // per field; null: none given
};

}  // namespace

Result<InsertPlan> QueryAnalyzer::Insert(const sql::Insert& insert) {
  ASSIGN_OR_RETURN(Env env, WithCtes(insert.ctes, Env()));
  ASSIGN_OR_RETURN(TableRef target,
                   Target(insert.table, insert.table_position, insert.options, env));
  return InsertBuilder(*this, insert, std::move(target)).Build(env);
}

Result<TableRef> QueryAnalyzer::Target(const sql::Name& name, const sql::Position& at,
                                       const sql::PropertyMap& options, const Env& env) {
  RelationRequest request;
  request.name = name;
  request.for_write = true;
  for (const auto& [key, value] : options) request.options[AsciiLower(key)] = value;
  ASSIGN_OR_RETURN(ResolvedRelation resolved, Resolve(std::move(request), at, env));
  if (auto* data = std::get_if<DataTable>(&resolved)) return std::move(data->table);
  if (std::holds_alternative<TemporaryView>(resolved) ||
      std::holds_alternative<CatalogView>(resolved))
    return Fail(ErrorCode::kAnalysis,
                fmt::format("Cannot write into view {}, table is expected.", sql::QuoteName(name)),
                "AnalysisException");
  return Fail(ErrorCode::kUnsupported,
              fmt::format("Cannot write to metadata table {}", sql::QuoteName(name)),
              "AnalysisException");
}

}  // namespace iceblink::plan
