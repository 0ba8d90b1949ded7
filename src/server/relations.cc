// Connect's relations as SQL's queries.
#include <algorithm>

#include "base/strings.h"
#include "server/arrow_ipc.h"
#include "server/errors.h"
#include "server/translator.h"
#include "server/types.h"
#include "sql/parser.h"

namespace iceblink::server {

using R = connect::Relation;
using sql::ExprPtr;

// ---- small nodes
// ------------------------------------------------------------------------------------------------------

sql::RelationPtr MakeRelation(sql::RelationNode node, std::vector<int64_t> plan_ids) {
  return std::make_shared<const sql::Relation>(
      sql::Relation{std::move(node), kNoPlace, std::move(plan_ids)});
}

sql::RelationPtr SubqueryRelation(sql::Query query, std::vector<int64_t> plan_ids) {
  return MakeRelation(sql::Subquery{std::make_shared<const sql::Query>(std::move(query))},
                      std::move(plan_ids));
}

sql::Query QueryOf(sql::Select select) {
  auto term = std::make_shared<sql::QueryTerm>();
  term->node = std::move(select);
  sql::Query query;
  query.body = std::move(term);
  return query;
}

sql::NamedExpr AllColumns() { return {MakeNode(sql::Star{}), {}, {}}; }

namespace {

// Relations that stand in FROM as they are.
bool IsSource(const R& relation) {
  switch (relation.rel_type_case()) {
    case R::kSample:
      return !relation.sample().with_replacement() && !relation.sample().deterministic_order();
    case R::kRead:
    case R::kJoin:
    case R::kLateralJoin:
    case R::kLocalRelation:
    case R::kCachedLocalRelation:
    case R::kChunkedCachedLocalRelation:
    case R::kRange:
    case R::kSubqueryAlias:
    case R::kUnpivot:
    case R::kUnresolvedTableValuedFunction:
      return true;
    default:
      return false;
  }
}

std::vector<int64_t> PlanIds(const R& relation) {
  if (relation.common().has_plan_id()) return {relation.common().plan_id()};
  return {-1};  // a DataFrame whose id nobody asks for
}

}  // namespace

// ---- entry
// ------------------------------------------------------------------------------------------------------------

Result<sql::QueryPtr> PlanTranslator::Query(const R& relation) {
  ASSIGN_OR_RETURN(Built built, Build(relation));
  return std::make_shared<const sql::Query>(std::move(built.query));
}

Result<sql::RelationPtr> PlanTranslator::Source(const R& relation) {
  if (IsSource(relation)) return SourceNode(relation);
  ASSIGN_OR_RETURN(Built built, Build(relation));
  return SubqueryRelation(std::move(built.query), std::move(built.plan_ids));
}

Result<sql::Select> PlanTranslator::SelectFrom(const R& input) {
  sql::Select select;
  select.position = kNoPlace;
  select.items.push_back(AllColumns());
  ASSIGN_OR_RETURN(select.from, Source(input));
  return select;
}

Result<PlanTranslator::Built> PlanTranslator::Build(const R& relation) {
  if (IsSource(relation)) {
    ASSIGN_OR_RETURN(sql::Select select, SelectFrom(relation));
    return Built{QueryOf(std::move(select)), PlanIds(relation)};
  }
  ASSIGN_OR_RETURN(Built built, BuildOperation(relation));
  for (int64_t id : PlanIds(relation)) built.plan_ids.push_back(id);
  return built;
}

Result<PlanTranslator::Built> PlanTranslator::Projected(const connect::Project& project) {
  sql::Select select;
  select.position = kNoPlace;
  if (project.has_input()) {
    ASSIGN_OR_RETURN(select.from, Source(project.input()));
  }
  for (const connect::Expression& expression : project.expressions()) {
    if (expression.has_unresolved_regex()) {
      ASSIGN_OR_RETURN(auto items, Matching(expression.unresolved_regex(), project.input()));
      select.items.insert(select.items.end(), items.begin(), items.end());
      continue;
    }
    ASSIGN_OR_RETURN(sql::NamedExpr item, Item(expression));
    select.items.push_back(std::move(item));
  }
  return Built{QueryOf(std::move(select)), {}};
}

Result<PlanTranslator::Built> PlanTranslator::BuildOperation(const R& relation) {
  switch (relation.rel_type_case()) {
    case R::kSql: {
      ASSIGN_OR_RETURN(sql::Statement statement, Statement(relation.sql()));
      const auto* query = statement.As<sql::QueryStatement>();
      if (query == nullptr) return Fail(NotSupported("a command within a DataFrame"));
      return Built{*query->query, {}};
    }
    case R::kProject:
      return Projected(relation.project());
    case R::kFilter: {
      ASSIGN_OR_RETURN(sql::Select select, SelectFrom(relation.filter().input()));
      ASSIGN_OR_RETURN(select.where, Expression(relation.filter().condition()));
      return Built{QueryOf(std::move(select)), {}};
    }
    case R::kSort:
      return Sorted(relation.sort());
    case R::kLimit:
      return Limited(relation.limit().input(), relation.limit().limit());
    case R::kOffset:
      return Skipped(relation.offset().input(), relation.offset().offset());
    case R::kSetOp:
      return SetOp(relation.set_op());
    case R::kAggregate:
      return Aggregated(relation.aggregate());
    case R::kDeduplicate:
      return DistinctRows(relation.deduplicate());
    case R::kRepartition:
      return RepartitionedTo(relation.repartition());
    case R::kRepartitionByExpression:
      return RepartitionedBy(relation.repartition_by_expression());
    case R::kHint:
      return Hinted(relation.hint());
    case R::kWithColumns:
      return WithColumns(relation.with_columns());
    case R::kWithColumnsRenamed:
      return Renamed(relation.with_columns_renamed());
    case R::kDrop:
      return Dropped(relation.drop());
    case R::kToDf:
      return ToNames(relation.to_df());
    case R::kToSchema:
      return ToSchema(relation.to_schema());
    case R::kWithRelations:
      return WithViews(relation.with_relations());
    case R::kFillNa:
      return FillNa(relation.fill_na());
    case R::kDropNa:
      return DropNa(relation.drop_na());
    case R::kReplace:
      return ReplaceValues(relation.replace());
    default:
      return Statistic(relation);
  }
}

// ---- sources
// ----------------------------------------------------------------------------------------------------------

Result<sql::RelationPtr> PlanTranslator::SourceNode(const R& relation) {
  auto node = [&]() -> Result<sql::RelationNode> {
    switch (relation.rel_type_case()) {
      case R::kRead:
        return ReadTable(relation.read());
      case R::kJoin:
        return JoinOf(relation.join());
      case R::kLateralJoin:
        return LateralJoinOf(relation.lateral_join());
      case R::kLocalRelation:
        return Local(relation.local_relation());
      case R::kChunkedCachedLocalRelation:
        return Chunked(relation.chunked_cached_local_relation());
      case R::kCachedLocalRelation: {
        auto data = session_.artifact("cache/" + relation.cached_local_relation().hash());
        connect::LocalRelation local;
        if (data == nullptr || !local.ParseFromString(*data))
          return Fail(InvalidInput("Not found any cached local relation with the hash"));
        return Local(local);
      }
      case R::kRange: {
        const auto& range = relation.range();
        sql::TableFunction out{{"range"}, {}};
        auto bigint = [](int64_t v) {
          return MakeNode(sql::Literal{Value(v), sql::TypeKind::kBigInt});
        };
        for (int64_t v : {range.start(), range.end(), range.step()})
          out.args.push_back({{}, bigint(v)});
        if (range.has_num_partitions())
          out.args.push_back({{}, IntLiteral(range.num_partitions())});
        return out;
      }
      case R::kSubqueryAlias: {
        ASSIGN_OR_RETURN(sql::RelationPtr child, Source(relation.subquery_alias().input()));
        return sql::Aliased{std::move(child), relation.subquery_alias().alias(), {}};
      }
      case R::kSample: {
        const auto& sample = relation.sample();
        sql::Sampled out;
        ASSIGN_OR_RETURN(out.child, Source(sample.input()));
        out.percent = (sample.upper_bound() - sample.lower_bound()) * 100;
        if (sample.has_seed()) out.seed = sample.seed();
        return out;
      }
      case R::kUnpivot:
        return UnpivotOf(relation.unpivot());
      default:
        return TableFunctionOf(relation.unresolved_table_valued_function());
    }
  }();
  if (!node) return Fail(std::move(node).error());
  return MakeRelation(std::move(*node), PlanIds(relation));
}

namespace {

// versionAsOf and timestampAsOf are Spark's own; other options go to the table.
void PutOption(const std::string& key, const std::string& value, sql::TableName& table) {
  const bool version = EqualsIgnoreCase(key, "versionAsOf");
  if (!version && !EqualsIgnoreCase(key, "timestampAsOf")) {
    table.options.emplace_back(key, value);
    return;
  }
  if (!table.time_travel) table.time_travel.emplace();
  if (version)
    table.time_travel->version = value;
  else
    table.time_travel->timestamp = StringLiteral(value);
}

}  // namespace

Result<sql::RelationNode> PlanTranslator::ReadTable(const connect::Read& read) {
  if (read.is_streaming()) return Fail(NotSupported("readStream"));
  sql::TableName table;
  if (read.has_named_table()) {
    ASSIGN_OR_RETURN(table.name,
                     sql::ParseMultipartIdentifier(read.named_table().unparsed_identifier()));
    for (const auto& [key, value] : read.named_table().options()) PutOption(key, value, table);
    return table;
  }
  const connect::Read::DataSource& source = read.data_source();
  std::string format = AsciiLower(source.has_format() ? source.format() : "parquet");
  std::vector<std::string> paths(source.paths().begin(), source.paths().end());
  for (const auto& [key, value] : source.options()) {
    if (EqualsIgnoreCase(key, "path"))
      paths.push_back(value);
    else
      PutOption(key, value, table);
  }
  if (paths.size() != 1)
    return Fail(NotSupported("reading " + std::to_string(paths.size()) + " paths at once"));
  if (format == "iceberg") {
    ASSIGN_OR_RETURN(table.name, sql::ParseMultipartIdentifier(paths[0]));
  } else {
    table.name = {format, paths[0]};
  }
  if (!source.has_schema() || source.schema().empty()) return table;
  // A given schema: the files' columns by name, cast.
  ASSIGN_OR_RETURN(sql::DataType schema, ParseSchema(source.schema()));
  sql::Select select;
  select.from = MakeRelation(std::move(table));
  bool by_position = format == "csv";
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    const sql::StructField& field = schema.fields()[i];
    bool header = std::any_of(source.options().begin(), source.options().end(), [](const auto& o) {
      return EqualsIgnoreCase(o.first, "header") && EqualsIgnoreCase(o.second, "true");
    });
    std::string name = by_position && !header ? "_c" + std::to_string(i) : field.name;
    select.items.push_back(
        {MakeNode(sql::Cast{ColumnNamed(name), field.type, false}), field.name, {}});
  }
  return sql::Subquery{std::make_shared<const sql::Query>(QueryOf(std::move(select)))};
}

Result<sql::RelationNode> PlanTranslator::LocalRows(std::string_view data,
                                                    std::string_view schema_text) {
  ArrowRows rows;
  std::optional<sql::DataType> schema;
  if (!schema_text.empty()) {
    ASSIGN_OR_RETURN(schema, ParseSchema(schema_text));
  }
  if (data.empty()) {
    if (!schema)
      return Fail(InvalidInput(
          "Schema for LocalRelation is required when the input data is not provided."));
    rows.schema = *schema;
  } else {
    ASSIGN_OR_RETURN(rows, DecodeArrow(data));
  }
  sql::GivenRows given{rows.schema,
                       std::make_shared<const std::vector<ValueList>>(std::move(rows.rows))};
  if (!schema || *schema == rows.schema) return given;
  if (schema->fields().size() != rows.schema.fields().size())
    return Fail(InvalidInput("The schema of a LocalRelation does not fit its data"));
  if (sql::DataType::EqualsIgnoringNullability(*schema, rows.schema, true)) {
    given.schema = *schema;
    return given;
  }
  std::vector<std::string> names;
  sql::Select select;
  for (size_t i = 0; i < schema->fields().size(); ++i) {
    names.push_back("c" + std::to_string(i));
    const sql::StructField& field = schema->fields()[i];
    select.items.push_back(
        {MakeNode(sql::Cast{ColumnNamed(names[i]), field.type, false}), field.name, {}});
  }
  select.from = MakeRelation(sql::Aliased{MakeRelation(std::move(given)), "", std::move(names)});
  return sql::Subquery{std::make_shared<const sql::Query>(QueryOf(std::move(select)))};
}

Result<sql::RelationNode> PlanTranslator::Local(const connect::LocalRelation& local) {
  return LocalRows(local.data(), local.schema());
}

Result<sql::RelationNode> PlanTranslator::Chunked(
    const connect::ChunkedCachedLocalRelation& local) {
  std::string schema;
  if (local.has_schemahash()) {
    auto text = session_.artifact("cache/" + local.schemahash());
    if (text == nullptr)
      return Fail(InvalidInput("Not found the cached schema of a local relation"));
    schema = *text;
  }
  ArrowRows all;
  std::vector<sql::RelationPtr> parts;
  for (const std::string& hash : local.datahashes()) {
    auto data = session_.artifact("cache/" + hash);
    if (data == nullptr)
      return Fail(InvalidInput("Not found any cached local relation with the hash"));
    ASSIGN_OR_RETURN(sql::RelationNode node, LocalRows(*data, schema));
    parts.push_back(MakeRelation(std::move(node)));
  }
  if (parts.empty()) return LocalRows({}, schema);
  if (parts.size() == 1) return parts[0]->node;
  sql::QueryTermPtr body;
  for (sql::RelationPtr& part : parts) {
    auto term = std::make_shared<sql::QueryTerm>();
    sql::Select select;
    select.items.push_back(AllColumns());
    select.from = std::move(part);
    term->node = std::move(select);
    if (body == nullptr) {
      body = std::move(term);
      continue;
    }
    auto both = std::make_shared<sql::QueryTerm>();
    both->node =
        sql::SetOperation{sql::SetOperator::kUnion, true, std::move(body), std::move(term)};
    body = std::move(both);
  }
  sql::Query query;
  query.body = std::move(body);
  return sql::Subquery{std::make_shared<const sql::Query>(std::move(query))};
}

namespace {

sql::JoinType JoinTypeOf(connect::Join::JoinType type) {
  switch (type) {
    case connect::Join::JOIN_TYPE_FULL_OUTER:
      return sql::JoinType::kFullOuter;
    case connect::Join::JOIN_TYPE_LEFT_OUTER:
      return sql::JoinType::kLeftOuter;
    case connect::Join::JOIN_TYPE_RIGHT_OUTER:
      return sql::JoinType::kRightOuter;
    case connect::Join::JOIN_TYPE_LEFT_ANTI:
      return sql::JoinType::kLeftAnti;
    case connect::Join::JOIN_TYPE_LEFT_SEMI:
      return sql::JoinType::kLeftSemi;
    case connect::Join::JOIN_TYPE_CROSS:
      return sql::JoinType::kCross;
    default:
      return sql::JoinType::kInner;
  }
}

}  // namespace

Result<sql::RelationNode> PlanTranslator::JoinOf(const connect::Join& join) {
  sql::Join out;
  ASSIGN_OR_RETURN(out.left, Source(join.left()));
  ASSIGN_OR_RETURN(out.right, Source(join.right()));
  out.type = JoinTypeOf(join.join_type());
  if (join.has_join_condition()) {
    ASSIGN_OR_RETURN(out.condition, Expression(join.join_condition()));
  }
  out.using_columns.assign(join.using_columns().begin(), join.using_columns().end());
  return out;
}

Result<sql::RelationNode> PlanTranslator::LateralJoinOf(const connect::LateralJoin& join) {
  sql::Join out;
  ASSIGN_OR_RETURN(out.left, Source(join.left()));
  ASSIGN_OR_RETURN(out.right, Source(join.right()));
  out.type = JoinTypeOf(join.join_type());
  out.lateral = true;
  if (join.has_join_condition()) {
    ASSIGN_OR_RETURN(out.condition, Expression(join.join_condition()));
  }
  return out;
}

Result<sql::RelationNode> PlanTranslator::TableFunctionOf(
    const connect::UnresolvedTableValuedFunction& function) {
  sql::TableFunction out{{function.function_name()}, {}};
  for (const auto& arg : function.arguments()) {
    ASSIGN_OR_RETURN(ExprPtr expr, Expression(arg));
    out.args.push_back({{}, std::move(expr)});
  }
  return out;
}

Result<sql::RelationNode> PlanTranslator::UnpivotOf(const connect::Unpivot& unpivot) {
  sql::Unpivot out;
  out.include_nulls = true;
  out.value_columns = {unpivot.value_column_name()};
  out.name_column = unpivot.variable_column_name();
  // Ids and values together: other columns are left out first.
  sql::Select select;
  select.position = kNoPlace;
  ASSIGN_OR_RETURN(select.from, Source(unpivot.input()));
  ASSIGN_OR_RETURN(select.items, Items(unpivot.ids()));
  std::vector<std::string> values;
  if (unpivot.has_values()) {
    for (const auto& value : unpivot.values().values()) {
      ASSIGN_OR_RETURN(sql::NamedExpr item, Item(value));
      const auto* column = item.expr->As<sql::NamedColumn>();
      values.push_back(!item.alias.empty() || column == nullptr ? item.alias
                                                                : column->parts.back());
      select.items.push_back(std::move(item));
    }
  } else {
    ASSIGN_OR_RETURN(sql::QueryPtr input, Query(unpivot.input()));
    ASSIGN_OR_RETURN(std::vector<plan::Column> columns, session_.describe(*input));
    for (const plan::Column& column : columns) {
      bool id =
          std::any_of(select.items.begin(), select.items.end(), [&](const sql::NamedExpr& item) {
            const auto* named = item.expr->As<sql::NamedColumn>();
            return named != nullptr && EqualsIgnoreCase(named->parts.back(), column.name);
          });
      if (!id) values.push_back(column.name);
    }
    for (const std::string& value : values) select.items.push_back({ColumnNamed(value), {}, {}});
  }
  for (const std::string& value : values) out.sets.push_back({{{value}}, {}});
  out.child = SubqueryRelation(QueryOf(std::move(select)), {-1});
  return out;
}

}  // namespace iceblink::server
