#include "engine/file_import.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/metadata_file.h"
#include "commit/table_changes.h"
#include "engine/errors.h"
#include "engine/table_write.h"
#include "exec/parquet_footer.h"
#include "spec/name_mapping.h"
#include "spec/properties.h"
#include "spec/single_value.h"
#include "table/manifest_writer.h"
#include "table/partition_types.h"
#include "table/scan.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kHiveNull = "__HIVE_DEFAULT_PARTITION__";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Hive's escapes in the names of folders: %XX.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
        HexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool IsHidden(std::string_view name) {
  return name.empty() || name[0] == '.' || (name[0] == '_' && name.find('=') == name.npos);
}

// Adds the file at `path` below `folder` unless it is hidden.
void AddFile(const std::string& folder, const std::string& path, FileSource& source) {
  SourceFile file{path, {}};
  std::vector<std::string> parts = Split(std::string_view(path).substr(folder.size()), '/');
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    if (IsHidden(parts[i])) return;
    const size_t equals = parts[i].find('=');
    if (i + 1 == parts.size() || equals == std::string::npos) continue;
    std::string name = Unescaped(parts[i].substr(0, equals));
    std::string value = Unescaped(parts[i].substr(equals + 1));
    if (std::find(source.partition_columns.begin(), source.partition_columns.end(), name) ==
        source.partition_columns.end()) {
      source.partition_columns.push_back(name);
    }
    file.partition[name] =
        value == kHiveNull ? std::nullopt : std::optional<std::string>(std::move(value));
  }
  source.files.push_back(std::move(file));
}

Result<std::vector<Value>> TupleOf(const spec::PartitionSpec& spec, const spec::Schema& schema,
                                   const SourceFile& file) {
  std::vector<Value> tuple;
  for (const spec::PartitionField& field : spec.fields) {
    auto at = file.partition.find(field.name);
    if (at == file.partition.end() || !at->second) {
      tuple.emplace_back();
      continue;
    }
    ASSIGN_OR_RETURN(Value value,
                     spec::FromPartitionString(*schema.FindType(field.source_id), *at->second));
    tuple.push_back(std::move(value));
  }
  return tuple;
}

Result<spec::ManifestFile> StageManifest(const TableHandle& target, const spec::PartitionSpec& spec,
                                         const std::vector<spec::DataFile>& files) {
  const spec::TableMetadata& metadata = target.metadata();
  const std::string path =
      catalog::MetadataFolder(metadata) + "/stage-0-task-0-manifest-" + NewUuid() + ".avro";
  table::ManifestWriteOptions options;
  options.format_version = metadata.format_version;
  ASSIGN_OR_RETURN(auto writer, table::ManifestWriter::Create(
                                    target.catalog->file_system(), path, metadata.schema(), spec,
                                    spec::PartitionType(spec, metadata.schema()), options));
  for (const spec::DataFile& file : files) RETURN_IF_ERROR(writer->AddAdded(file));
  return writer->Close();
}

}  // namespace

Result<FileSource> ListFolder(io::FileSystem& files, const std::string& folder) {
  FileSource source;
  std::string root(StripTrailing(folder, '/'));
  RETURN_IF_ERROR(files.List(root, true, [&](const io::FileInfo& info) -> Status {
    if (!info.is_directory && info.path.starts_with(root)) AddFile(root, info.path, source);
    return {};
  }));
  std::sort(source.files.begin(), source.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return source;
}

Result<FileSource> ListTable(StatementScope& scope, const TableHandle& table) {
  const spec::TableMetadata& metadata = table.metadata();
  FileSource source;
  for (const spec::PartitionField& field : metadata.spec().fields)
    source.partition_columns.push_back(field.name);
  table::ScanRequest request;
  request.metadata = table.loaded.metadata;
  request.snapshot_id = metadata.current_snapshot_id;
  ASSIGN_OR_RETURN(std::vector<table::FileScanTask> tasks,
                   table::PlanFiles(scope.session.ReadContextOf(*table.catalog), request));
  for (const table::FileScanTask& task : tasks) {
    if (!task.deletes.empty() || task.file.format != spec::FileFormat::kParquet ||
        task.file.spec_id != metadata.default_spec_id) {
      return Fail(
          UnsupportedFeature("importing a table with deletes, several specs or formats "
                             "other than Parquet"));
    }
    SourceFile file{task.file.file_path, {}};
    for (size_t i = 0; i < metadata.spec().fields.size(); ++i) {
      const spec::PartitionField& field = metadata.spec().fields[i];
      const Value& value = task.file.partition[i];
      file.partition[field.name] = value.is_null()
                                       ? std::nullopt
                                       : std::optional(field.transform.ToHumanString(
                                             *metadata.schema().FindType(field.source_id), value));
    }
    source.files.push_back(std::move(file));
  }
  std::sort(source.files.begin(), source.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return source;
}

Result<std::vector<spec::DataFile>> DescribeSource(const TableHandle& target,
                                                   const spec::PartitionSpec& spec,
                                                   const FileSource& source) {
  std::vector<std::string> paths;
  for (const SourceFile& file : source.files) paths.push_back(file.path);
  ASSIGN_OR_RETURN(
      std::vector<spec::DataFile> files,
      exec::DescribeParquetFiles(target.catalog->file_system(), target.metadata(), paths));
  for (size_t i = 0; i < files.size(); ++i) {
    files[i].spec_id = spec.spec_id;
    ASSIGN_OR_RETURN(files[i].partition,
                     TupleOf(spec, target.metadata().schema(), source.files[i]));
  }
  return files;
}

Status EnsureNameMapping(TableHandle& table) {
  const std::string key(spec::property::kNameMapping);
  if (!table.metadata().Property(key).empty()) return {};
  const std::string mapping =
      spec::SerializeNameMapping(spec::CreateNameMapping(table.metadata().schema()));
  ASSIGN_OR_RETURN(commit::CommitOutcome outcome,
                   commit::ChangeProperties(*table.catalog, table.id, {{key, mapping}}, {}));
  table.loaded = outcome.table;
  return {};
}

Status AppendImported(StatementScope& scope, const TableHandle& target,
                      const spec::PartitionSpec& spec, std::vector<spec::DataFile> files) {
  commit::SnapshotChange change;
  change.kind = commit::ChangeKind::kMergeAppend;
  if (spec.is_unpartitioned()) {
    change.added_files = std::move(files);
  } else {
    ASSIGN_OR_RETURN(spec::ManifestFile manifest, StageManifest(target, spec, files));
    change.appended_manifests.push_back(std::move(manifest));
  }
  commit::Transaction transaction(*target.catalog, target.id, target.loaded,
                                  TransactionOptions(scope));
  change.summary = EngineSummary(scope.session);
  transaction.Add(std::move(change));
  ASSIGN_OR_RETURN([[maybe_unused]] auto outcome, transaction.Commit());
  return {};
}

}  // namespace iceblink::engine
