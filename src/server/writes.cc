// DataFrameWriter and DataFrameWriterV2 as INSERT and CREATE TABLE AS.
#include <optional>

#include "base/strings.h"
#include "engine/guards.h"
#include "engine/statement_scope.h"
#include "server/errors.h"
#include "server/execution.h"
#include "sql/parser.h"

namespace iceblink::server {

using W = connect::WriteOperation;
using V2 = connect::WriteOperationV2;
using sql::ExprPtr;

namespace {

template <typename Map>
sql::PropertyMap Properties(const Map& map) {
  return {map.begin(), map.end()};
}

ExprPtr True() { return MakeNode(sql::Literal{Value(true), sql::TypeKind::kBoolean}); }

// days(ts), bucket(4, id), a column.
Result<sql::Transform> TransformOf(const ExprPtr& expr) {
  sql::Transform out;
  out.position = kNoPlace;
  if (const auto* column = expr->As<sql::NamedColumn>()) {
    out.name = "identity";
    out.args.push_back(column->parts);
    return out;
  }
  const auto* call = expr->As<sql::FunctionCall>();
  if (call == nullptr)
    return Fail(InvalidInput("A partition must be a column or a transform of one"));
  out.name = call->name.back();
  for (const sql::Argument& arg : call->args) {
    if (const auto* column = arg.expr->As<sql::NamedColumn>())
      out.args.push_back(column->parts);
    else if (const auto* literal = arg.expr->As<sql::Literal>())
      out.args.push_back(*literal);
    else
      return Fail(InvalidInput("An argument of a transform must be a column or a literal"));
  }
  return out;
}

Result<sql::CreateTable> CreateAs(const std::string& table, sql::QueryPtr query,
                                  const std::string& provider, sql::CreateTable::Mode mode) {
  sql::CreateTable create;
  create.mode = mode;
  create.table_position = kNoPlace;
  ASSIGN_OR_RETURN(create.table, sql::ParseMultipartIdentifier(table));
  if (!provider.empty()) create.provider = provider;
  create.query = std::move(query);
  return create;
}

// A write option becomes a property of a table that the write creates, but for options of the write
// alone.
void PutOptions(const sql::PropertyMap& options, sql::CreateTable& create) {
  for (const auto& option : options) {
    if (EqualsIgnoreCase(option.first, "location") || EqualsIgnoreCase(option.first, "path"))
      create.location = option.second;
    else
      create.options.push_back(option);
  }
}

}  // namespace

Status Execution::RunStatement(sql::StatementNode node) {
  ASSIGN_OR_RETURN(engine::StatementResult result,
                   engine_->Execute(sql::Statement{std::move(node), {}}));
  RETURN_IF_ERROR(result.All());
  return {};
}

namespace {

// Spark's writers pay no heed to Iceberg's option `branch`: the rows go to main.
Status CheckBranchOption(const engine::Configuration& configuration, const std::string& table,
                         const sql::PropertyMap& options) {
  if (engine::StrictGuard(configuration) != engine::Guard::kError) return {};
  for (const auto& [key, value] : options) {
    if (!EqualsIgnoreCase(key, "branch")) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        "The write option 'branch' has no effect in Spark: the rows would go to main. Write to " +
            table + ".branch_" + value + " (iceblink.guards=off lets this pass)",
        "IllegalArgumentException");
  }
  return {};
}

Result<sql::Insert> InsertInto(const engine::Configuration& configuration, const std::string& table,
                               sql::QueryPtr query, sql::PropertyMap options) {
  RETURN_IF_ERROR(CheckBranchOption(configuration, table, options));
  sql::Insert insert;
  insert.table_position = kNoPlace;
  ASSIGN_OR_RETURN(insert.table, sql::ParseMultipartIdentifier(table));
  insert.query = std::move(query);
  insert.options = std::move(options);
  std::erase_if(insert.options,
                [](const auto& option) { return EqualsIgnoreCase(option.first, "branch"); });
  return insert;
}

}  // namespace

Status Execution::RunWriteV2(const V2& write) {
  ASSIGN_OR_RETURN(sql::QueryPtr query, translator_.Query(write.input()));
  sql::PropertyMap options = Properties(write.options());
  switch (write.mode()) {
    case V2::MODE_CREATE:
    case V2::MODE_REPLACE:
    case V2::MODE_CREATE_OR_REPLACE: {
      using Mode = sql::CreateTable::Mode;
      Mode mode = write.mode() == V2::MODE_CREATE    ? Mode::kCreate
                  : write.mode() == V2::MODE_REPLACE ? Mode::kReplace
                                                     : Mode::kCreateOrReplace;
      ASSIGN_OR_RETURN(sql::CreateTable create,
                       CreateAs(write.table_name(), std::move(query), write.provider(), mode));
      PutOptions(options, create);
      create.properties = Properties(write.table_properties());
      for (const auto& expression : write.partitioning_columns()) {
        ASSIGN_OR_RETURN(ExprPtr expr, translator_.Expression(expression));
        ASSIGN_OR_RETURN(sql::Transform transform, TransformOf(expr));
        create.partitioning.push_back(std::move(transform));
      }
      for (const std::string& column : write.clustering_columns())
        create.cluster_by.push_back({column});
      return RunStatement(std::move(create));
    }
    case V2::MODE_APPEND:
    case V2::MODE_OVERWRITE:
    case V2::MODE_OVERWRITE_PARTITIONS:
      break;
    default:
      return Fail(InvalidInput("WriteOperationV2 without a mode"));
  }
  ASSIGN_OR_RETURN(sql::Insert insert, InsertInto(engine_->configuration(), write.table_name(),
                                                  std::move(query), std::move(options)));
  insert.by_name = true;
  if (write.mode() == V2::MODE_OVERWRITE) {
    ASSIGN_OR_RETURN(insert.replace_where, translator_.Expression(write.overwrite_condition()));
  } else if (write.mode() == V2::MODE_OVERWRITE_PARTITIONS) {
    insert.overwrite = true;
    insert.options.emplace_back("overwrite-mode", "dynamic");
  }
  return RunStatement(std::move(insert));
}

namespace {

// save(): a table's name as a path of the iceberg format, or a folder of files, which nobody writes
// here.
Result<std::string> TargetOf(const W& write) {
  if (write.has_table()) return write.table().table_name();
  if (!EqualsIgnoreCase(write.source(), "iceberg"))
    return Fail(NotSupported("writing " + (write.source().empty() ? "parquet" : write.source()) +
                             " files"));
  std::string path = write.path();
  for (const auto& [key, value] : write.options())
    if (EqualsIgnoreCase(key, "path")) path = value;
  return path;
}

}  // namespace

Status Execution::RunWrite(const W& write) {
  if (write.has_bucket_by() || !write.sort_column_names().empty())
    return Fail(NotSupported("bucketBy and sortBy"));
  ASSIGN_OR_RETURN(std::string table, TargetOf(write));
  ASSIGN_OR_RETURN(sql::QueryPtr query, translator_.Query(write.input()));
  sql::PropertyMap options = Properties(write.options());
  bool insert_into = write.has_table() &&
                     write.table().save_method() == W::SaveTable::TABLE_SAVE_METHOD_INSERT_INTO;
  bool save_as = write.has_table() && !insert_into;
  bool overwrite = write.mode() == W::SAVE_MODE_OVERWRITE;
  bool exists = false;
  if (save_as) {
    ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(table));
    sql::Statement statement;
    engine::StatementScope scope(engine_->state(), statement);
    ASSIGN_OR_RETURN(auto found, scope.names.FindTable(name));
    exists = found.has_value();
  }
  bool append = write.mode() == W::SAVE_MODE_APPEND;
  if (save_as && !(append && exists)) {
    sql::CreateTable::Mode mode =
        overwrite ? sql::CreateTable::Mode::kCreateOrReplace : sql::CreateTable::Mode::kCreate;
    ASSIGN_OR_RETURN(sql::CreateTable create,
                     CreateAs(table, std::move(query), write.source(), mode));
    create.if_not_exists = write.mode() == W::SAVE_MODE_IGNORE;
    if (create.if_not_exists && exists) return {};
    PutOptions(options, create);
    for (const std::string& column : write.partitioning_columns()) {
      ASSIGN_OR_RETURN(sql::Transform transform, TransformOf(ColumnNamed(column)));
      create.partitioning.push_back(std::move(transform));
    }
    return RunStatement(std::move(create));
  }
  if (!insert_into && !append && !overwrite) {
    return Fail(WithCondition(
        ErrorCode::kUnsupported, "AnalysisException", "UNSUPPORTED_DATA_SOURCE_SAVE_MODE", "0A000",
        "The data source \"iceberg\" cannot be written in the ErrorIfExists mode. Please use "
        "either the \"Append\" or \"Overwrite\" mode instead."));
  }
  ASSIGN_OR_RETURN(sql::Insert insert, InsertInto(engine_->configuration(), table, std::move(query),
                                                  std::move(options)));
  insert.by_name = !insert_into;
  if (overwrite) {
    if (insert_into)
      insert.overwrite = true;
    else
      insert.replace_where = True();
  }
  return RunStatement(std::move(insert));
}

}  // namespace iceblink::server
