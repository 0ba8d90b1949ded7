// What the tests of this room share: a small table in a catalog, files for it, and a look at what a
// snapshot lists.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "commit/transaction.h"
#include "spec/updates.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"

namespace iceblink::commit {

// The value, or the end of the test program.
template <typename T>
T Must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return *std::move(result);
}

template <typename T>
std::string MessageOf(const Result<T>& result) {
  return result ? std::string("no error")
                : result.error().exception + ": " + result.error().message;
}

inline spec::NewTable SmallDefinition(int32_t format_version = 2, bool partitioned = true) {
  using spec::NestedField;
  using spec::Type;
  spec::NewTable table;
  table.schema = spec::Schema({NestedField::Optional(1, "id", Type::Int()),
                               NestedField::Optional(2, "dep", Type::String()),
                               NestedField::Optional(3, "v", Type::Double())});
  if (partitioned) table.spec.fields = {{2, 1000, "dep", spec::Transform::Identity()}};
  table.format_version = format_version;
  return table;
}

// A temporary folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "iceblink_commit_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::shared_ptr<catalog::Catalog> OpenSqlCatalog(const std::string& folder) {
  return Must(catalog::MakeCatalog("c", {{"type", "jdbc"},
                                         {"uri", "jdbc:sqlite:" + folder + "/catalog.db"},
                                         {"warehouse", folder + "/warehouse"}}));
}

// db.t in a SQL catalog of its own, or in a memory catalog.
class SmallTable {
 public:
  explicit SmallTable(int32_t format_version = 2,
                      std::map<std::string, std::string> properties = {}, bool partitioned = true)
      : catalog(OpenSqlCatalog(folder.path())) {
    spec::NewTable definition = SmallDefinition(format_version, partitioned);
    definition.properties = std::move(properties);
    definition.uuid = "";
    Create(std::move(definition));
  }

  void Create(spec::NewTable definition) {
    if (!Must(catalog->NamespaceExists(id.ns))) (void)catalog->CreateNamespace(id.ns, {});
    definition.location = Must(catalog->DefaultTableLocation(id));
    Must(catalog->CreateTable(id,
                              Must(spec::NewTableMetadata(definition, SystemClock().NowMillis()))));
  }

  spec::TableMetadataPtr Load() { return Must(catalog->LoadTable(id)).metadata; }
  io::FileSystem& files() { return catalog->file_system(); }
  int64_t Current() { return Load()->current_snapshot_id.value_or(-1); }

  spec::DataFile File(const std::string& name, Value dep, int64_t rows, int32_t min_id = 0,
                      int32_t max_id = 1000) {
    spec::DataFile file;
    file.file_path = Load()->location + "/data/" + name + ".parquet";
    if (!Load()->spec().fields.empty()) file.partition = {std::move(dep)};
    file.record_count = rows;
    file.file_size_in_bytes = 100 * rows;
    file.value_counts = spec::CountMap({{1, rows}, {2, rows}, {3, rows}});
    file.null_value_counts = spec::CountMap({{1, 0}, {2, 0}, {3, 0}});
    file.lower_bounds.Set(1, spec_bound(min_id));
    file.upper_bounds.Set(1, spec_bound(max_id));
    return file;
  }
  spec::DataFile PositionDeletes(const std::string& name, const spec::DataFile& of, int64_t rows) {
    spec::DataFile file = File(name, of.partition.empty() ? Value() : of.partition[0], rows);
    file.content = spec::DataFileContent::kPositionDeletes;
    file.referenced_data_file = of.file_path;
    file.value_counts.clear();
    file.null_value_counts.clear();
    file.lower_bounds.clear();
    file.upper_bounds.clear();
    return file;
  }

  Result<CommitOutcome> Append(std::vector<spec::DataFile> added,
                               ChangeKind kind = ChangeKind::kMergeAppend) {
    SnapshotChange change;
    change.kind = kind;
    change.added_files = std::move(added);
    return CommitChange(*catalog, id, std::move(change));
  }

  std::vector<spec::ManifestFile> Manifests() {
    auto metadata = Load();
    const spec::Snapshot* snapshot = metadata->CurrentSnapshot();
    if (snapshot == nullptr) return {};
    return Must(table::ReadManifests({&files(), nullptr}, *snapshot));
  }
  // Names of live files of the current snapshot, sorted, deletes with a minus.
  std::vector<std::string> LiveFiles() {
    auto metadata = Load();
    const table::PartitionTypes types(*metadata);
    std::vector<std::string> names;
    for (const spec::ManifestFile& manifest : Manifests()) {
      for (const auto& entry : Must(table::ReadManifest({&files(), nullptr}, manifest, types))) {
        if (!entry.is_live()) continue;
        std::string name(io::BaseName(entry.data_file.file_path));
        names.push_back((entry.data_file.is_data() ? "" : "-") + name.substr(0, name.rfind('.')));
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  size_t CountMetadataFiles(const std::string& part) {
    size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(Load()->location + "/metadata")) {
      if (file.path().filename().string().find(part) != std::string::npos) count++;
    }
    return count;
  }

  TemporaryFolder folder;
  std::shared_ptr<catalog::Catalog> catalog;
  catalog::TableIdentifier id{{"db"}, "t"};

 private:
  static Bytes spec_bound(int32_t value) {
    Bytes bytes;
    bytes.data.assign(reinterpret_cast<const char*>(&value), sizeof value);
    return bytes;
  }
};

}  // namespace iceblink::commit
