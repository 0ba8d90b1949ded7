// What the tests of this room share: a small table in memory, and access to tables of other
// writers.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "io/local_file_system.h"
#include "io/memory_file_system.h"
#include "spec/table_metadata.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/manifest_writer.h"

namespace iceblink::table {

// The value, or a failed test and a default.
template <typename T>
T Must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return *std::move(result);
}

// db.t (id int, dep string, v double) PARTITIONED BY (dep).
inline spec::TableMetadata SmallTable(int32_t format_version = 2) {
  using spec::NestedField;
  using spec::Type;
  spec::TableMetadata metadata;
  metadata.format_version = format_version;
  metadata.location = "memory://w/t";
  metadata.schemas = {spec::Schema({NestedField::Optional(1, "id", Type::Int()),
                                    NestedField::Optional(2, "dep", Type::String()),
                                    NestedField::Optional(3, "v", Type::Double())})};
  metadata.specs = {spec::PartitionSpec{0, {{2, 1000, "dep", spec::Transform::Identity()}}}};
  metadata.last_partition_id = 1000;
  metadata.sort_orders = {spec::SortOrder{}};
  metadata.last_column_id = 3;
  return metadata;
}

inline spec::DataFile SmallFile(const std::string& name, Value dep, int64_t rows = 10) {
  spec::DataFile file;
  file.file_path = "memory://w/t/data/" + name + ".parquet";
  file.partition = {std::move(dep)};
  file.record_count = rows;
  file.file_size_in_bytes = 100 * rows;
  for (int32_t id = 1; id <= 3; id++) {
    file.column_sizes.Set(id, 10 * id);
    file.value_counts.Set(id, rows);
    file.null_value_counts.Set(id, 0);
  }
  file.nan_value_counts.Set(3, 0);
  file.split_offsets = {4};
  file.sort_order_id = 0;
  return file;
}

inline void SetBounds(spec::DataFile& file, int32_t id, std::string lower, std::string upper) {
  file.lower_bounds.Set(id, Bytes{std::move(lower)});
  file.upper_bounds.Set(id, Bytes{std::move(upper)});
}

// Reads files of any location from one folder, by base name.
class FolderFileSystem final : public io::FileSystem {
 public:
  explicit FolderFileSystem(std::string folder) : folder_(std::move(folder)) {}
  Result<std::unique_ptr<io::RandomAccessFile>> OpenRead(const std::string& path) override {
    return local_.OpenRead(Local(path));
  }
  Result<io::FileInfo> Stat(const std::string& path) override { return local_.Stat(Local(path)); }
  Result<std::unique_ptr<io::OutputFile>> Create(const std::string&, io::WriteMode) override {
    return ReadOnly();
  }
  Status RenameNoReplace(const std::string&, const std::string&) override { return ReadOnly(); }
  Status Delete(const std::string&) override { return ReadOnly(); }
  Status List(const std::string&, bool,
              const std::function<Status(const io::FileInfo&)>&) override {
    return ReadOnly();
  }
  Status CreateDirectory(const std::string&) override { return ReadOnly(); }
  Status DeleteDirectory(const std::string&) override { return ReadOnly(); }

 private:
  static tl::unexpected<Error> ReadOnly() { return Fail(ErrorCode::kUnsupported, "read-only"); }
  std::string Local(const std::string& path) const {
    return io::JoinPath(folder_, io::BaseName(path));
  }
  std::string folder_;
  io::LocalFileSystem local_;
};

// The newest metadata of a table that another program wrote.
struct ForeignTable {
  std::unique_ptr<FolderFileSystem> files;
  spec::TableMetadataPtr metadata;
  ReadContext context() const { return {files.get(), nullptr}; }
};

inline ForeignTable OpenForeign(const std::string& folder) {
  ForeignTable table;
  table.files = std::make_unique<FolderFileSystem>(folder + "/metadata");
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/metadata")) {
    const std::string path = entry.path().string();
    if (path.ends_with(".metadata.json") && path > newest) newest = path;
  }
  std::ifstream in(newest);
  std::stringstream text;
  text << in.rdbuf();
  table.metadata = std::make_shared<const spec::TableMetadata>(
      Must(spec::ParseTableMetadata(text.str(), newest)));
  return table;
}

// The folder of foreign tables, or a null pointer.
inline const char* ForeignTables() { return std::getenv("ICEBLINK_FOREIGN_TABLES"); }

}  // namespace iceblink::table

#define ASSERT_OK(expr)                                          \
  do {                                                           \
    const auto& status_ = (expr);                                \
    ASSERT_TRUE(status_.has_value()) << status_.error().message; \
  } while (false)
