// add_files and snapshot: tables over data files that exist.
#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "engine/errors.h"
#include "engine/file_import.h"
#include "engine/procedures.h"
#include "engine/table_write.h"
#include "sql/parser.h"
#include "table/scan.h"

namespace iceblink::engine {
namespace {

std::string DottedName(const TableHandle& table) {
  return table.catalog_name + "." + table.id.ToString();
}

// A table of the session catalog: `t`, `db.t` or `spark_catalog.db.t`.
Result<TableHandle> SessionTable(const ProcedureCall& call, sql::Name name) {
  if (name.size() > 1 && name.front() == kSessionCatalog) name.erase(name.begin());
  if (name.size() == 1) name.insert(name.begin(), "default");
  name.insert(name.begin(), kSessionCatalog);
  return call.scope.names.GetTable(name);
}

bool IsPathFormat(const std::string& word) {
  return EqualsIgnoreCase(word, "parquet") || EqualsIgnoreCase(word, "orc") ||
         EqualsIgnoreCase(word, "avro");
}

Result<FileSource> SourceOf(const ProcedureCall& call, const TableHandle& target) {
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(call.Text("source_table")));
  if (name.size() == 2 && IsPathFormat(name.front())) {
    if (!EqualsIgnoreCase(name.front(), "parquet"))
      return Fail(UnsupportedFeature("importing " + AsciiUpper(name.front()) + " files"));
    return ListFolder(target.catalog->file_system(), name.back());
  }
  ASSIGN_OR_RETURN(TableHandle table, SessionTable(call, std::move(name)));
  return ListTable(call.scope, table);
}

std::vector<std::string> PartitionNames(const spec::PartitionSpec& spec) {
  std::vector<std::string> names;
  for (const spec::PartitionField& field : spec.fields) names.push_back(field.name);
  return names;
}

Status CheckPartitionFilter(const TableHandle& target,
                            const std::map<std::string, std::string>& filter) {
  const spec::PartitionSpec& spec = target.metadata().spec();
  if (filter.empty()) return {};
  if (spec.is_unpartitioned()) {
    return IllegalArgument("Cannot use partition filter with an unpartitioned table " +
                           DottedName(target));
  }
  const std::vector<std::string> known = PartitionNames(spec);
  std::vector<std::string> unknown;
  for (const auto& [key, value] : filter) {
    if (std::find(known.begin(), known.end(), key) == known.end()) unknown.push_back(key);
  }
  if (unknown.empty()) return {};
  return IllegalArgument(
      "Cannot add files to target table " + DottedName(target) + ". " + DottedName(target) +
      " is partitioned but the specified partition filter refers to columns "
      "that are not partitioned: [" +
      Join(unknown, ", ") + "] . Valid partition columns: [" + Join(known, ", ") + "]");
}

// The spec whose identity fields are the source's partition columns.
Result<const spec::PartitionSpec*> SpecFor(const TableHandle& target, const FileSource& source) {
  const auto lower = [](const std::vector<std::string>& names) {
    std::set<std::string> out;
    for (const std::string& name : names) out.insert(AsciiLower(name));
    return out;
  };
  for (const spec::PartitionSpec& spec : target.metadata().specs) {
    const bool identities =
        std::all_of(spec.fields.begin(), spec.fields.end(),
                    [](const spec::PartitionField& f) { return f.transform.is_identity(); });
    if (identities && lower(PartitionNames(spec)) == lower(source.partition_columns)) return &spec;
  }
  return IllegalArgument("Cannot find a partition spec in Iceberg table " + DottedName(target) +
                         " that matches the partition columns ([" +
                         Join(source.partition_columns, ", ") + "]) in input table");
}

// Keeps the files of the partitions that the filter names.
void Restrict(const std::map<std::string, std::string>& filter, FileSource& source) {
  std::erase_if(source.files, [&](const SourceFile& file) {
    return std::any_of(filter.begin(), filter.end(), [&](const auto& wanted) {
      auto at = file.partition.find(wanted.first);
      return at == file.partition.end() || at->second != wanted.second;
    });
  });
}

Status CheckDuplicates(const ProcedureCall& call, const TableHandle& target,
                       const FileSource& source) {
  if (call.Has("check_duplicate_files") && !call.Flag("check_duplicate_files")) return {};
  if (!target.metadata().current_snapshot_id) return {};
  std::set<std::string> wanted;
  for (const SourceFile& file : source.files) wanted.insert(file.path);
  std::set<std::string> present;
  table::ScanRequest request;
  request.metadata = target.loaded.metadata;
  request.snapshot_id = target.metadata().current_snapshot_id;
  RETURN_IF_ERROR(table::PlanFiles(call.scope.session.ReadContextOf(*target.catalog), request,
                                   [&](table::FileScanTask&& task) -> Status {
                                     if (wanted.count(task.file.file_path) > 0)
                                       present.insert(task.file.file_path);
                                     return {};
                                   }));
  if (present.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "Cannot complete import because data files to be imported already exist within the "
              "target table: " +
                  Join(present, ",") +
                  ".  This is disabled by default as Iceberg is not designed for multiple "
                  "references to the same file within the same table.  If you are sure, you may "
                  "set 'check_duplicate_files' to false to force the import.",
              "IllegalStateException");
}

Status CheckParallelism(const ProcedureCall& call) {
  if (call.Number("parallelism").value_or(1) > 0) return {};
  return IllegalArgument("Parallelism should be larger than 0");
}

// ---- snapshot ----------------------------------------------------------------------------------

Result<TableHandle> SnapshotSource(const ProcedureCall& call) {
  if (call.Text("source_table").empty())
    return IllegalArgument("Cannot handle an empty identifier for parameter 'source_table'");
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(call.Text("source_table")));
  if (name.size() > 2 && name.front() != kSessionCatalog) {
    return IllegalArgument(
        "Cannot snapshot a table that isn't in the session catalog (i.e. "
        "spark_catalog). Found source catalog: " +
        name.front() + ".");
  }
  return SessionTable(call, std::move(name));
}

Result<TableHandle> CreateSnapshotTable(const ProcedureCall& call, const TableHandle& source) {
  sql::Name name;
  ASSIGN_OR_RETURN(name, sql::ParseMultipartIdentifier(call.Text("table")));
  if (name.size() > 1 && name.front() == call.catalog_name) name.erase(name.begin());
  TableHandle made{
      call.catalog, call.catalog_name, {{name.begin(), name.end() - 1}, name.back()}, {}};
  ASSIGN_OR_RETURN(const bool exists, call.catalog->TableExists(made.id));
  if (exists) {
    return Fail(ErrorCode::kAlreadyExists,
                "Cannot create table " + made.id.ToString() + " as it already exists",
                "AlreadyExistsException");
  }
  const spec::TableMetadata& from = source.metadata();
  spec::NewTable table;
  table.schema = from.schema();
  table.spec = from.spec();
  table.properties = from.properties;
  for (const char* key : {"owner", "write.format.default"}) table.properties.erase(key);
  table.properties["gc.enabled"] = "false";
  table.properties["snapshot"] = "true";
  for (const auto& [key, value] : call.Options("properties")) table.properties[key] = value;
  if (call.Has("location")) table.location = call.Text("location");
  if (table.location == from.location && !table.location.empty()) {
    return IllegalArgument(
        "The snapshot table location cannot be same as the source table "
        "location. This would mix snapshot table files with original table "
        "files.");
  }
  table.uuid = NewUuid();
  ASSIGN_OR_RETURN(spec::TableMetadata staged,
                   call.catalog->StageTable(made.id, std::move(table), call.scope.now_ms()));
  ASSIGN_OR_RETURN(made.loaded, call.catalog->CreateTable(made.id, std::move(staged)));
  return made;
}

Result<int64_t> Import(StatementScope& scope, TableHandle& target, const FileSource& source) {
  RETURN_IF_ERROR(EnsureNameMapping(target));
  const spec::PartitionSpec spec = target.metadata().spec();
  ASSIGN_OR_RETURN(std::vector<spec::DataFile> files, DescribeSource(target, spec, source));
  const auto count = static_cast<int64_t>(files.size());
  if (count > 0) RETURN_IF_ERROR(AppendImported(scope, target, spec, std::move(files)));
  return count;
}

}  // namespace

Result<ProcedureRows> AddFiles(const ProcedureCall& call) {
  RETURN_IF_ERROR(CheckParallelism(call));
  ASSIGN_OR_RETURN(TableHandle target, call.Table());
  const std::map<std::string, std::string> filter = call.Options("partition_filter");
  RETURN_IF_ERROR(CheckPartitionFilter(target, filter));
  ASSIGN_OR_RETURN(FileSource source, SourceOf(call, target));
  ASSIGN_OR_RETURN(const spec::PartitionSpec* found, SpecFor(target, source));
  const spec::PartitionSpec spec = *found;
  Restrict(filter, source);
  if (source.files.empty() && !filter.empty()) {
    return IllegalArgument("Cannot find any matching partitions in table " +
                           call.Text("source_table"));
  }
  RETURN_IF_ERROR(EnsureNameMapping(target));
  RETURN_IF_ERROR(CheckDuplicates(call, target, source));
  ASSIGN_OR_RETURN(std::vector<spec::DataFile> files, DescribeSource(target, spec, source));
  const auto count = static_cast<int64_t>(files.size());
  if (count > 0) RETURN_IF_ERROR(AppendImported(call.scope, target, spec, std::move(files)));
  return ProcedureRows{{Value(count), Value()}};
}

Result<ProcedureRows> SnapshotTable(const ProcedureCall& call) {
  RETURN_IF_ERROR(CheckParallelism(call));
  ASSIGN_OR_RETURN(const TableHandle source, SnapshotSource(call));
  if (call.Text("table").empty())
    return IllegalArgument("Cannot handle an empty identifier for parameter 'table'");
  ASSIGN_OR_RETURN(const FileSource files, ListTable(call.scope, source));
  ASSIGN_OR_RETURN(TableHandle target, CreateSnapshotTable(call, source));
  auto imported = Import(call.scope, target, files);
  if (!imported) {
    (void)target.catalog->DropTable(target.id);
    return Fail(std::move(imported).error());
  }
  return ProcedureRows{{Value(*imported)}};
}

}  // namespace iceblink::engine
