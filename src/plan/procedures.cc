#include "plan/procedures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/errors.h"
#include "plan/types.h"
#include "sql/parser.h"

namespace iceblink::plan {
namespace {

constexpr std::string_view kMap = "map<string,string>";

constexpr ProcedureParameter kTableAndSnapshot[] = {{"table", "string", true},
                                                    {"snapshot_id", "bigint", true}};
constexpr ProcedureParameter kTableAndOptionalSnapshot[] = {{"table", "string", true},
                                                            {"snapshot_id", "bigint"}};
constexpr ProcedureParameter kRollbackToTimestamp[] = {{"table", "string", true},
                                                       {"timestamp", "timestamp", true}};
constexpr ProcedureParameter kSetCurrent[] = {
    {"table", "string", true}, {"snapshot_id", "bigint"}, {"ref", "string"}};
constexpr ProcedureParameter kPublish[] = {{"table", "string", true}, {"wap_id", "string", true}};
constexpr ProcedureParameter kFastForward[] = {
    {"table", "string", true}, {"branch", "string", true}, {"to", "string", true}};
constexpr ProcedureParameter kRebase[] = {
    {"table", "string", true}, {"branch", "string", true}, {"onto", "string"}};
constexpr ProcedureParameter kRegister[] = {{"table", "string", true},
                                            {"metadata_file", "string", true}};
constexpr ProcedureParameter kExpire[] = {{"table", "string", true},
                                          {"older_than", "timestamp"},
                                          {"retain_last", "int"},
                                          {"max_concurrent_deletes", "int"},
                                          {"stream_results", "boolean"},
                                          {"snapshot_ids", "array<bigint>"},
                                          {"clean_expired_metadata", "boolean"}};
constexpr ProcedureParameter kOrphans[] = {{"table", "string", true},
                                           {"older_than", "timestamp"},
                                           {"location", "string"},
                                           {"dry_run", "boolean"},
                                           {"max_concurrent_deletes", "int"},
                                           {"file_list_view", "string"},
                                           {"equal_schemes", kMap},
                                           {"equal_authorities", kMap},
                                           {"prefix_mismatch_mode", "string"},
                                           {"prefix_listing", "boolean"},
                                           {"stream_results", "boolean"}};
constexpr ProcedureParameter kRewriteData[] = {{"table", "string", true}, {"strategy", "string"},
                                               {"sort_order", "string"},  {"options", kMap},
                                               {"where", "string"},       {"branch", "string"}};
constexpr ProcedureParameter kRewriteManifests[] = {{"table", "string", true},
                                                    {"use_caching", "boolean"},
                                                    {"spec_id", "int"},
                                                    {"sort_by", "array<string>"}};
constexpr ProcedureParameter kRewriteDeletes[] = {
    {"table", "string", true}, {"options", kMap}, {"where", "string"}};
constexpr ProcedureParameter kRewritePath[] = {
    {"table", "string", true},         {"source_prefix", "string", true},
    {"target_prefix", "string", true}, {"start_version", "string"},
    {"end_version", "string"},         {"staging_location", "string"},
    {"create_file_list", "boolean"}};
constexpr ProcedureParameter kTableStats[] = {
    {"table", "string", true}, {"snapshot_id", "bigint"}, {"columns", "array<string>"}};
constexpr ProcedureParameter kAddFiles[] = {{"table", "string", true},
                                            {"source_table", "string", true},
                                            {"partition_filter", kMap},
                                            {"check_duplicate_files", "boolean"},
                                            {"parallelism", "int"}};
constexpr ProcedureParameter kMigrate[] = {{"table", "string", true},
                                           {"properties", kMap},
                                           {"drop_backup", "boolean"},
                                           {"backup_table_name", "string"},
                                           {"parallelism", "int"}};
constexpr ProcedureParameter kSnapshot[] = {{"source_table", "string", true},
                                            {"table", "string", true},
                                            {"location", "string"},
                                            {"properties", kMap},
                                            {"parallelism", "int"}};
constexpr ProcedureParameter kChangelog[] = {{"table", "string", true},
                                             {"changelog_view", "string"},
                                             {"options", kMap},
                                             {"compute_updates", "boolean"},
                                             {"identifier_columns", "array<string>"},
                                             {"net_changes", "boolean"}};

constexpr ProcedureColumn kPreviousAndCurrent[] = {{"previous_snapshot_id", "bigint"},
                                                   {"current_snapshot_id", "bigint"}};
constexpr ProcedureColumn kOptionalPrevious[] = {{"previous_snapshot_id", "bigint", true},
                                                 {"current_snapshot_id", "bigint"}};
constexpr ProcedureColumn kSourceAndCurrent[] = {{"source_snapshot_id", "bigint"},
                                                 {"current_snapshot_id", "bigint"}};
constexpr ProcedureColumn kFastForwardOut[] = {
    {"branch_updated", "string"}, {"previous_ref", "bigint", true}, {"updated_ref", "bigint"}};
constexpr ProcedureColumn kRebaseOut[] = {{"branch", "string"},
                                          {"previous_snapshot_id", "bigint", true},
                                          {"current_snapshot_id", "bigint", true},
                                          {"replayed_snapshots_count", "int"}};
constexpr ProcedureColumn kAncestorsOut[] = {{"snapshot_id", "bigint"}, {"timestamp", "bigint"}};
constexpr ProcedureColumn kRegisterOut[] = {{"current_snapshot_id", "bigint", true},
                                            {"total_records_count", "bigint", true},
                                            {"total_data_files_count", "bigint", true}};
constexpr ProcedureColumn kExpireOut[] = {{"deleted_data_files_count", "bigint", true},
                                          {"deleted_position_delete_files_count", "bigint", true},
                                          {"deleted_equality_delete_files_count", "bigint", true},
                                          {"deleted_manifest_files_count", "bigint", true},
                                          {"deleted_manifest_lists_count", "bigint", true},
                                          {"deleted_statistics_files_count", "bigint", true}};
constexpr ProcedureColumn kOrphansOut[] = {{"orphan_file_location", "string"}};
constexpr ProcedureColumn kRewriteDataOut[] = {{"rewritten_data_files_count", "int"},
                                               {"added_data_files_count", "int"},
                                               {"rewritten_bytes_count", "bigint"},
                                               {"failed_data_files_count", "int"},
                                               {"removed_delete_files_count", "int"}};
constexpr ProcedureColumn kRewriteManifestsOut[] = {{"rewritten_manifests_count", "int"},
                                                    {"added_manifests_count", "int"}};
constexpr ProcedureColumn kRewriteDeletesOut[] = {{"rewritten_delete_files_count", "int"},
                                                  {"added_delete_files_count", "int"},
                                                  {"rewritten_bytes_count", "bigint"},
                                                  {"added_bytes_count", "bigint"}};
constexpr ProcedureColumn kRewritePathOut[] = {{"latest_version", "string"},
                                               {"file_list_location", "string"},
                                               {"rewritten_manifest_file_paths_count", "int"},
                                               {"rewritten_delete_file_paths_count", "int"}};
constexpr ProcedureColumn kTableStatsOut[] = {{"statistics_file", "string"}};
constexpr ProcedureColumn kPartitionStatsOut[] = {{"partition_statistics_file", "string"}};
constexpr ProcedureColumn kAddFilesOut[] = {{"added_files_count", "bigint"},
                                            {"changed_partition_count", "bigint", true}};
constexpr ProcedureColumn kMigrateOut[] = {{"migrated_files_count", "bigint"}};
constexpr ProcedureColumn kSnapshotOut[] = {{"imported_files_count", "bigint"}};
constexpr ProcedureColumn kChangelogOut[] = {{"changelog_view", "string"}};

constexpr Procedure kProcedures[] = {
    {"rollback_to_snapshot", kTableAndSnapshot, kPreviousAndCurrent},
    {"rollback_to_timestamp", kRollbackToTimestamp, kPreviousAndCurrent},
    {"set_current_snapshot", kSetCurrent, kOptionalPrevious},
    {"cherrypick_snapshot", kTableAndSnapshot, kSourceAndCurrent},
    {"publish_changes", kPublish, kSourceAndCurrent},
    {"fast_forward", kFastForward, kFastForwardOut},
    {"rebase_branch", kRebase, kRebaseOut},
    {"ancestors_of", kTableAndOptionalSnapshot, kAncestorsOut},
    {"register_table", kRegister, kRegisterOut},
    {"expire_snapshots", kExpire, kExpireOut},
    {"remove_orphan_files", kOrphans, kOrphansOut},
    {"rewrite_data_files", kRewriteData, kRewriteDataOut},
    {"rewrite_manifests", kRewriteManifests, kRewriteManifestsOut},
    {"rewrite_position_delete_files", kRewriteDeletes, kRewriteDeletesOut},
    {"rewrite_table_path", kRewritePath, kRewritePathOut},
    {"compute_table_stats", kTableStats, kTableStatsOut},
    {"compute_partition_stats", kTableAndOptionalSnapshot, kPartitionStatsOut},
    {"add_files", kAddFiles, kAddFilesOut},
    {"migrate", kMigrate, kMigrateOut},
    {"snapshot", kSnapshot, kSnapshotOut},
    {"create_changelog_view", kChangelog, kChangelogOut},
};

std::string Quoted(std::string_view name) { return fmt::format("`{}`", name); }

std::optional<size_t> ParameterIndex(const Procedure& procedure, std::string_view name) {
  for (size_t i = 0; i < procedure.parameters.size(); ++i)
    if (EqualsIgnoreCase(procedure.parameters[i].name, name)) return i;
  return std::nullopt;
}

Error UnknownParameter(const Procedure& procedure, const std::string& name) {
  std::vector<std::string> names;
  for (const ProcedureParameter& parameter : procedure.parameters)
    names.push_back(Quoted(parameter.name));
  return MakeError("UNRECOGNIZED_PARAMETER_NAME", {{"routineName", Quoted(procedure.name)},
                                                   {"argumentName", Quoted(name)},
                                                   {"proposal", iceblink::Join(names, " ")}});
}

Result<ExprPtr> CastArgument(const ProcedureParameter& parameter, size_t index,
                             const ProcedureArgument& argument) {
  DataType type = ProcedureType(parameter.type);
  const DataType& given = argument.value->type;
  if (DataType::EqualsIgnoringNullability(given, type)) return argument.value;
  if (!CanImplicitlyCast(given, type))
    return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                 {{"sqlExpr", "CALL"},
                  {"paramIndex", OrdinalWord(index + 1)},
                  {"requiredType", InDoubleQuotes(type.SqlString())},
                  {"inputSql", InDoubleQuotes(argument.text)},
                  {"inputType", InDoubleQuotes(given.SqlString())}},
                 ErrorPosition{1, 0});
  return std::make_shared<const Expr>(Expr{Cast{argument.value, CastMode::kAnsi, {}}, type, true});
}

// Before anything is said about names, as in Spark.
Status CheckArgumentOrder(const std::string& routine,
                          const std::vector<ProcedureArgument>& arguments) {
  const std::string* last_named = nullptr;
  for (const ProcedureArgument& argument : arguments) {
    if (!argument.name.empty()) {
      last_named = &argument.name;
    } else if (last_named != nullptr) {
      return Raise("UNEXPECTED_POSITIONAL_ARGUMENT",
                   {{"routineName", routine}, {"parameterName", Quoted(*last_named)}});
    }
  }
  return {};
}

}  // namespace

std::span<const Procedure> Procedures() { return kProcedures; }

const Procedure* FindProcedure(std::string_view name) {
  for (const Procedure& procedure : kProcedures)
    if (EqualsIgnoreCase(procedure.name, name)) return &procedure;
  return nullptr;
}

DataType ProcedureType(std::string_view type) {
  auto parsed = sql::ParseDataType(type);
  return parsed ? *parsed : DataType();
}

std::vector<Column> OutputColumns(const Procedure& procedure) {
  std::vector<Column> columns;
  for (const ProcedureColumn& column : procedure.output)
    columns.push_back({static_cast<ColumnId>(columns.size() + 1), std::string(column.name),
                       ProcedureType(column.type), column.nullable});
  return columns;
}

Result<std::vector<ExprPtr>> BindArguments(const Procedure& procedure,
                                           const std::vector<ProcedureArgument>& arguments) {
  std::vector<const ProcedureArgument*> bound(procedure.parameters.size(), nullptr);
  const std::string routine = Quoted(procedure.name);
  RETURN_IF_ERROR(CheckArgumentOrder(routine, arguments));
  size_t position = 0;
  for (const ProcedureArgument& argument : arguments) {
    if (argument.name.empty()) {
      if (position >= bound.size())
        return Raise("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                     {{"functionName", routine},
                      {"expectedNum", std::to_string(bound.size())},
                      {"actualNum", std::to_string(arguments.size())}});
      bound[position++] = &argument;
      continue;
    }
    auto index = ParameterIndex(procedure, argument.name);
    if (!index) return Fail(UnknownParameter(procedure, argument.name));
    if (bound[*index] != nullptr)
      return Raise(*index < position
                       ? "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED"
                       : "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE",
                   {{"routineName", routine}, {"parameterName", Quoted(argument.name)}});
    bound[*index] = &argument;
  }
  std::vector<ExprPtr> values;
  for (size_t i = 0; i < bound.size(); ++i) {
    const ProcedureParameter& parameter = procedure.parameters[i];
    if (bound[i] == nullptr && parameter.required)
      return Raise("REQUIRED_PARAMETER_NOT_FOUND", {{"routineName", routine},
                                                    {"parameterName", Quoted(parameter.name)},
                                                    {"index", std::to_string(i - position)}});
    if (bound[i] == nullptr) {
      values.push_back(nullptr);
      continue;
    }
    ASSIGN_OR_RETURN(ExprPtr value, CastArgument(parameter, i, *bound[i]));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace iceblink::plan
