// FROM: tables, views, CTEs, files in place, inline tables, table functions, aliases and samples.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/scan_options.h"
#include "plan/types.h"
#include "sql/parser.h"
#include "table/metadata_columns.h"

namespace iceblink::plan {

using sql::TypeKind;

Result<Relation> QueryAnalyzer::From(const sql::RelationPtr& relation, const Env& env) {
  if (relation == nullptr) {  // without FROM there is one row without columns
    Values one_row;
    one_row.rows.emplace_back();
    return Relation{MakePlan(std::move(one_row), {}), Scope{}};
  }
  if (relation->plan_ids.empty()) return Source(relation, env);
  ASSIGN_OR_RETURN(Relation found, Source(relation, env));
  NameDataFrame(*relation, found);
  return found;
}

Result<Relation> QueryAnalyzer::Source(const sql::RelationPtr& relation, const Env& env) {
  const sql::Position& at = relation->position;
  if (const auto* node = relation->As<sql::TableName>()) return Table(*node, at, env);
  if (const auto* node = relation->As<sql::InlineTable>()) return InlineTable(*node, at, env);
  if (const auto* node = relation->As<sql::TableFunction>()) return TableFunction(*node, at, env);
  if (const auto* node = relation->As<sql::Aliased>()) return AliasedRelation(*node, env);
  if (const auto* node = relation->As<sql::Sampled>()) return Sampled(*node, env);
  if (const auto* node = relation->As<sql::Join>()) return Join(*node, at, env);
  if (const auto* node = relation->As<sql::LateralView>()) return LateralView(*node, env);
  if (const auto* node = relation->As<sql::Pivot>()) return Pivot(*node, env);
  if (const auto* node = relation->As<sql::Unpivot>()) return Unpivot(*node, env);
  if (const auto* node = relation->As<sql::GivenRows>()) return GivenRows(*node);
  const auto& subquery = std::get<sql::Subquery>(relation->node);
  ASSIGN_OR_RETURN(PlanPtr plan, Query(*subquery.query, env));
  Scope scope = ScopeOf(plan->output, {});
  return Relation{std::move(plan), std::move(scope)};
}

// ---- tables
// -----------------------------------------------------------------------------------------------------------

Result<Relation> QueryAnalyzer::ScanTable(const DataTable& data, const sql::Name& qualifier) {
  TableScan scan;
  scan.table = data.table;
  scan.after_snapshot_id = data.after_snapshot_id;
  Scope scope;
  std::vector<Column> output;
  auto add = [&](const spec::NestedField& field, bool metadata) -> Status {
    ASSIGN_OR_RETURN(DataType type, ToSparkType(field.type));
    Column column = NewColumn(field.name, std::move(type), !field.required);
    scan.columns.push_back({column, field.id});
    scope.columns.push_back({column, qualifier, metadata, false});
    output.push_back(std::move(column));
    return {};
  };
  for (const spec::NestedField& field : data.table.schema->fields())
    RETURN_IF_ERROR(add(field, false));
  ASSIGN_OR_RETURN(std::vector<spec::NestedField> extra,
                   table::MetadataColumns(*data.table.metadata));
  for (const spec::NestedField& field : extra) RETURN_IF_ERROR(add(field, true));
  return Relation{MakePlan(std::move(scan), std::move(output)), std::move(scope)};
}

namespace {

sql::Name FullName(const TableRef& table) {
  sql::Name name = {table.catalog};
  name.insert(name.end(), table.identifier.begin(), table.identifier.end());
  return name;
}

Result<Relation> ScanFields(QueryAnalyzer& analyzer, const std::vector<spec::NestedField>& fields,
                            Plan::Node node, const sql::Name& qualifier) {
  std::vector<Column> output;
  for (const spec::NestedField& field : fields) {
    ASSIGN_OR_RETURN(DataType type, ToSparkType(field.type));
    output.push_back(analyzer.NewColumn(field.name, std::move(type), !field.required));
  }
  Scope scope = ScopeOf(output, qualifier);
  return Relation{MakePlan(std::move(node), std::move(output)), std::move(scope)};
}

bool IsFileFormat(const std::string& name) {
  for (std::string_view format : {"csv", "json", "parquet", "text", "orc", "avro"})
    if (EqualsIgnoreCase(format, name)) return true;
  return false;
}

}  // namespace

Result<ResolvedRelation> QueryAnalyzer::Resolve(RelationRequest request, const sql::Position& at,
                                                const Env& env) {
  sql::Name written = request.name;
  if (env.view && !env.view->catalog.empty()) {
    sql::Name& name = request.name;
    if (name.size() == 1) {
      name.insert(name.begin(), env.view->name_space.begin(), env.view->name_space.end());
      name.insert(name.begin(), env.view->catalog);
    } else if (!resolver_.IsCatalog(name[0])) {
      name.insert(name.begin(), env.view->catalog);
    }
  }
  ASSIGN_OR_RETURN(std::optional<ResolvedRelation> found, resolver_.Resolve(request));
  if (found) return std::move(*found);
  return Raise("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", sql::QuoteName(written)}},
               ToErrorPosition(at));
}

namespace {

// TIMESTAMP AS OF: text and dates become timestamps, integers are seconds.
Result<int64_t> TimeTravelMicros(QueryAnalyzer& analyzer, const sql::Expr& expr, const Env& env) {
  Scope none;
  ExprContext context;
  context.env = &env;
  context.scope = &none;
  ASSIGN_OR_RETURN(TypedExpr typed, analyzer.Expression(expr, context));
  std::string text = InDoubleQuotes(typed.text);
  if (!IsDeterministic(typed.expr))
    return Raise("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.NON_DETERMINISTIC", {{"expr", text}});
  if (!CanCast(typed.expr->type, DataType(TypeKind::kTimestamp)))
    return Raise("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", {{"expr", text}});
  if (typed.expr->type.is_integral()) {
    ASSIGN_OR_RETURN(Value seconds, analyzer.Evaluate(typed.expr));
    if (!seconds.is_null()) return seconds.AsInt64() * 1'000'000;
  }
  ASSIGN_OR_RETURN(Value value, analyzer.Evaluate(MakeCast(
                                    typed.expr, DataType(TypeKind::kTimestamp), CastMode::kTry)));
  if (value.is_null()) return Raise("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", {{"expr", text}});
  return value.AsInt64();
}

const CteFrame* FindCte(const Env& env, const sql::Name& name, const NameRules& names) {
  if (name.size() != 1) return nullptr;
  for (const CteFrame* frame = env.ctes.get(); frame != nullptr; frame = frame->next.get())
    if (names.Same(frame->cte->name, name[0])) return frame;
  return nullptr;
}

Result<Relation> Renamed(Relation relation, const std::string& alias,
                         const std::vector<std::string>& columns) {
  std::vector<ScopeColumn*> visible;
  for (ScopeColumn& column : relation.scope.columns)
    if (!column.metadata && !column.qualified_only) visible.push_back(&column);
  if (!columns.empty() && columns.size() != visible.size())
    return Raise("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(columns.size())},
                                               {"numExpr", std::to_string(visible.size())}});
  for (size_t i = 0; i < columns.size(); ++i) visible[i]->column.name = columns[i];
  for (ScopeColumn& column : relation.scope.columns)
    if (!alias.empty()) column.qualifier = {alias};
  std::erase_if(relation.scope.columns,
                [](const ScopeColumn& column) { return column.qualified_only; });
  return relation;
}

}  // namespace

Result<Relation> QueryAnalyzer::Table(const sql::TableName& table, const sql::Position& at,
                                      const Env& env) {
  if (const CteFrame* frame = FindCte(env, table.name, names_);
      frame != nullptr && !table.time_travel) {
    const bool round = frame->recursion != nullptr;
    ASSIGN_OR_RETURN(PlanPtr plan, round              ? ReadRound(*frame->recursion)
                                   : frame->recursive ? RecursiveCte(*frame)
                                                      : Query(*frame->cte->query, *frame->env));
    Scope scope = ScopeOf(plan->output, {});
    return Renamed(Relation{std::move(plan), std::move(scope)}, frame->cte->name,
                   frame->cte->columns);
  }
  RelationRequest request;
  request.name = table.name;
  for (const auto& [key, value] : table.options) request.options[AsciiLower(key)] = value;
  if (table.time_travel) {
    if (table.time_travel->version && table.time_travel->timestamp)
      return Raise("INVALID_TIME_TRAVEL_SPEC");
    request.version = table.time_travel->version;
    if (table.time_travel->timestamp) {
      ASSIGN_OR_RETURN(request.timestamp_micros,
                       TimeTravelMicros(*this, *table.time_travel->timestamp, env));
    }
  }
  auto options = request.options;
  auto resolved = Resolve(std::move(request), at, env);
  if (!resolved && resolved.error().condition == "TABLE_OR_VIEW_NOT_FOUND" &&
      table.name.size() == 2 && IsFileFormat(table.name[0])) {
    FileScan scan{AsciiLower(table.name[0]), {table.name[1]}, options};
    ASSIGN_OR_RETURN(std::vector<Column> columns, resolver_.DescribeFiles(scan));
    for (Column& column : columns) column.id = NextId();
    Scope scope = ScopeOf(columns, table.name);
    return Relation{MakePlan(std::move(scan), std::move(columns)), std::move(scope)};
  }
  if (!resolved) return Fail(resolved.error());
  if (const auto* data = std::get_if<DataTable>(&*resolved)) {
    RETURN_IF_ERROR(CheckSplits(*data->table.metadata, options));
    ASSIGN_OR_RETURN(Relation relation, ScanTable(*data, FullName(data->table)));
    return relation;
  }
  if (const auto* metadata = std::get_if<MetadataTable>(&*resolved)) {
    ASSIGN_OR_RETURN(spec::Schema schema,
                     table::MetadataTableSchema(metadata->kind, *metadata->table.metadata));
    sql::Name qualifier = FullName(metadata->table);
    qualifier.push_back(std::string(table::MetadataTableName(metadata->kind)));
    return ScanFields(*this, schema.fields(), MetadataScan{metadata->table, metadata->kind},
                      qualifier);
  }
  if (const auto* changes = std::get_if<ChangelogTable>(&*resolved)) {
    std::vector<spec::NestedField> fields = changes->table.schema->fields();
    for (spec::NestedField& field : table::ChangelogColumns()) fields.push_back(std::move(field));
    sql::Name qualifier = FullName(changes->table);
    qualifier.push_back("changes");
    return ScanFields(*this, fields, ChangelogScan{changes->table, changes->after_snapshot_id},
                      qualifier);
  }
  return ViewRelation(*resolved, table.name, at, env);
}

// ---- views
// ------------------------------------------------------------------------------------------------------------

namespace {

// A view's columns: by position, up-cast to the stored types, under the view's names.
PlanPtr ViewColumns(QueryAnalyzer& analyzer, const PlanPtr& plan,
                    const std::vector<Column>& columns) {
  Project project{plan, {}};
  std::vector<Column> output;
  for (size_t i = 0; i < columns.size() && i < plan->output.size(); ++i) {
    ExprPtr value = MakeCast(MakeColumn(plan->output[i]), columns[i].type, CastMode::kAnsi);
    Column column = analyzer.NewColumn(columns[i].name, value->type, value->nullable);
    project.items.push_back({column, value});
    output.push_back(column);
  }
  return MakePlan(std::move(project), std::move(output));
}

}  // namespace

Result<Relation> QueryAnalyzer::ViewRelation(const ResolvedRelation& view, const sql::Name& name,
                                             const sql::Position& at, const Env& env) {
  Env inner;  // a view sees neither CTEs nor outer columns
  inner.view = env.view;
  constexpr int kMaxViewDepth = 100;  // spark.sql.view.maxNestedViewDepth
  if (view_depth_ >= kMaxViewDepth)
    return Raise("VIEW_EXCEED_MAX_NESTED_DEPTH",
                 {{"viewName", sql::QuoteName(name)}, {"maxNestedDepth", "100"}},
                 ToErrorPosition(at));
  struct Depth {
    explicit Depth(int& value) : value(++value) {}
    ~Depth() { --value; }
    int& value;
  } depth(view_depth_);
  if (const auto* temporary = std::get_if<TemporaryView>(&view)) {
    temporary_views_.push_back(name);
    PlanPtr plan;
    if (temporary->plan) {
      plan = WithFreshIds(temporary->plan, [this] { return NextId(); });
    } else {
      ASSIGN_OR_RETURN(sql::QueryPtr query, sql::ParseQuery(temporary->text));
      inner.view = nullptr;
      ASSIGN_OR_RETURN(plan, Query(*query, inner));
    }
    Scope scope = ScopeOf(plan->output, {});
    return Renamed(Relation{std::move(plan), std::move(scope)}, name.back(), temporary->columns);
  }
  const auto& catalog = std::get<CatalogView>(view);
  ASSIGN_OR_RETURN(sql::QueryPtr query, sql::ParseQuery(catalog.text));
  ViewContext context;
  context.catalog = catalog.default_catalog.empty() ? catalog.catalog : catalog.default_catalog;
  context.name_space = catalog.default_namespace;
  inner.view = std::make_shared<const ViewContext>(std::move(context));
  ASSIGN_OR_RETURN(PlanPtr plan, Query(*query, inner));
  if (!catalog.columns.empty()) plan = ViewColumns(*this, plan, catalog.columns);
  sql::Name qualifier = catalog.identifier;
  qualifier.insert(qualifier.begin(), catalog.catalog);
  Scope scope = ScopeOf(plan->output, qualifier);
  return Relation{std::move(plan), std::move(scope)};
}

// ---- aliases and samples
// ----------------------------------------------------------------------------------------------

Result<Relation> QueryAnalyzer::AliasedRelation(const sql::Aliased& aliased, const Env& env) {
  ASSIGN_OR_RETURN(Relation relation, From(aliased.child, env));
  return Renamed(std::move(relation), aliased.alias, aliased.columns);
}

Result<Relation> QueryAnalyzer::Sampled(const sql::Sampled& sampled, const Env& env) {
  ASSIGN_OR_RETURN(Relation relation, From(sampled.child, env));
  std::vector<Column> output = relation.plan->output;
  if (sampled.kind == sql::Sampled::Kind::kRows) {
    Scope none;
    ExprContext context;
    context.env = &env;
    context.scope = &none;
    ASSIGN_OR_RETURN(TypedExpr rows, Expression(*sampled.rows, context));
    ASSIGN_OR_RETURN(Value count,
                     Evaluate(MakeCast(rows.expr, DataType(TypeKind::kBigInt), CastMode::kAnsi)));
    relation.plan = MakePlan(Limit{relation.plan, count.AsInt64(), 0}, std::move(output));
    return relation;
  }
  double fraction = sampled.percent / 100;
  if (sampled.kind == sql::Sampled::Kind::kBucket)
    fraction = static_cast<double>(sampled.bucket) / static_cast<double>(sampled.buckets);
  if (sampled.kind == sql::Sampled::Kind::kBytes)
    return Fail(ErrorCode::kUnsupported, "TABLESAMPLE(byteLengthLiteral) is not supported",
                "ParseException");
  if (fraction >= 1) return relation;
  relation.plan =
      MakePlan(Sample{relation.plan, fraction, std::nullopt, sampled.seed}, std::move(output));
  return relation;
}

// ---- inline tables and table functions
// --------------------------------------------------------------------------------

Result<Relation> QueryAnalyzer::InlineTable(const sql::InlineTable& table, const sql::Position&,
                                            const Env& env) {
  Scope none;
  ExprContext context;
  context.env = &env;
  context.scope = &none;
  std::vector<std::vector<TypedExpr>> rows;
  for (const sql::ExprPtr& row : table.rows) {
    std::vector<sql::ExprPtr> cells;
    const auto* several = row->As<sql::StructConstructor>();
    if (several != nullptr) {
      for (const sql::NamedExpr& field : several->fields) cells.push_back(field.expr);
    } else {
      cells.push_back(row);
    }
    if (!rows.empty() && rows[0].size() != cells.size())
      return Raise("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                   {{"expectedNumCols", std::to_string(rows[0].size())},
                    {"actualNumCols", std::to_string(cells.size())},
                    {"rowIndex", std::to_string(rows.size())}});
    std::vector<TypedExpr> values;
    for (const sql::ExprPtr& cell : cells) {
      ASSIGN_OR_RETURN(TypedExpr value, Expression(*cell, context));
      if (ContainsAggregate(value.expr) || ContainsSubquery(value.expr))
        return Raise("INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                     {{"expr", InDoubleQuotes(value.text)}}, ToErrorPosition(cell->position));
      values.push_back(std::move(value));
    }
    rows.push_back(std::move(values));
  }
  std::vector<Column> output;
  for (size_t c = 0; c < rows[0].size(); ++c) {
    std::vector<TypedExpr> column;
    for (auto& row : rows) column.push_back(row[c]);
    std::string name = fmt::format("col{}", c + 1);
    if (!ToCommonType(column))
      return Raise("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                   {{"colName", sql::QuoteIdentifier(name)}},
                   ToErrorPosition(table.rows[0]->position));
    bool nullable = false;
    for (size_t r = 0; r < rows.size(); ++r) {
      rows[r][c] = column[r];
      nullable = nullable || column[r].expr->nullable;
    }
    output.push_back(NewColumn(name, column[0].expr->type, nullable));
  }
  Values values;
  for (auto& row : rows) {
    values.rows.emplace_back();
    for (TypedExpr& value : row) values.rows.back().push_back(value.expr);
  }
  Scope scope = ScopeOf(output, {});
  return Relation{MakePlan(std::move(values), std::move(output)), std::move(scope)};
}

namespace {

Result<std::vector<int64_t>> RangeArguments(QueryAnalyzer& analyzer,
                                            const std::vector<TypedExpr>& args) {
  std::vector<int64_t> values;
  for (const TypedExpr& arg : args) {
    ASSIGN_OR_RETURN(Value value, analyzer.Evaluate(MakeCast(arg.expr, DataType(TypeKind::kBigInt),
                                                             CastMode::kAnsi)));
    if (value.is_null())
      return Fail(ErrorCode::kAnalysis, "Argument of table function range must not be NULL",
                  "AnalysisException");
    values.push_back(value.AsInt64());
  }
  return values;
}

}  // namespace

Result<Relation> QueryAnalyzer::TableFunction(const sql::TableFunction& function,
                                              const sql::Position& at, const Env& env) {
  std::string name = AsciiLower(function.name.back());
  Scope none;
  none.outer = env.outer;
  ExprContext context;
  context.env = &env;
  context.scope = &none;
  const FunctionRow* row = FindFunction(name);
  bool generator = row != nullptr && row->kind == FunctionKind::kGenerator;
  if (name != "range" && !generator)
    return Raise("UNRESOLVABLE_TABLE_VALUED_FUNCTION", {{"name", sql::QuoteName(function.name)}},
                 ToErrorPosition(at));
  std::vector<TypedExpr> args;
  for (const sql::Argument& arg : function.args) {
    ASSIGN_OR_RETURN(TypedExpr typed, Expression(*arg.expr, context));
    args.push_back(std::move(typed));
  }
  if (generator) {
    std::vector<ExprPtr> values;
    for (const TypedExpr& arg : args) values.push_back(arg.expr);
    ASSIGN_OR_RETURN(std::vector<Column> output, GeneratedColumns(row->CanonicalName(), values));
    bool outer = name.ends_with("_outer");
    Scope scope = ScopeOf(output, {});
    return Relation{
        MakePlan(Generate{nullptr, row->CanonicalName(), values, outer, output}, output),
        std::move(scope)};
  }
  if (args.empty() || args.size() > 4)
    return Raise("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                 {{"functionName", "`range`"},
                  {"expectedNum", "[1, 2, 3, 4]"},
                  {"actualNum", std::to_string(args.size())}},
                 ToErrorPosition(at));
  ASSIGN_OR_RETURN(std::vector<int64_t> numbers, RangeArguments(*this, args));
  Range range;
  if (numbers.size() == 1) range.end = numbers[0];
  if (numbers.size() >= 2) range.start = numbers[0], range.end = numbers[1];
  if (numbers.size() >= 3) range.step = numbers[2];
  if (numbers.size() == 4) range.slices = static_cast<int32_t>(numbers[3]);
  std::vector<Column> output = {NewColumn("id", DataType(TypeKind::kBigInt), false)};
  Scope scope = ScopeOf(output, {});
  return Relation{MakePlan(range, std::move(output)), std::move(scope)};
}

}  // namespace iceblink::plan
