// Plans scans of a table of 100,000 data files in 1,000 day partitions: prints the seconds of a
// selective plan, the peak resident memory in MiB of the planning process, and how many files each
// plan kept.
//
//   plan_bench          prints "SECONDS MIB full=... selective=..."
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "io/local_file_system.h"
#include "spec/single_value.h"
#include "spec/updates.h"
#include "table/manifest_list.h"
#include "table/manifest_writer.h"
#include "table/scan.h"

namespace iceblink {
namespace {

constexpr int kFiles = 100'000;
constexpr int kManifests = 25;
constexpr int64_t kSnapshot = 1;

spec::TableMetadata Table(const std::string& folder) {
  using spec::NestedField;
  using spec::Type;
  spec::NewTable table;
  table.schema = spec::Schema({NestedField::Optional(1, "id", Type::Long()),
                               NestedField::Optional(2, "day", Type::Date()),
                               NestedField::Optional(3, "customer", Type::String()),
                               NestedField::Optional(4, "amount", Type::Double())});
  table.spec = {0, {{2, 1000, "day", spec::Transform::Identity()}}};
  table.location = folder;
  table.uuid = "00000000-0000-4000-8000-000000000000";
  return *spec::NewTableMetadata(table, 1);
}

spec::DataFile File(int n, const std::string& folder) {
  spec::DataFile file;
  file.file_path = folder + "/data/day=" + std::to_string(n % 1000) + "/00000-0-" +
                   std::to_string(n) + ".parquet";
  file.partition = {Value(int32_t{n % 1000})};
  file.record_count = 1000;
  file.file_size_in_bytes = 100'000;
  for (int32_t id = 1; id <= 4; ++id) {
    file.column_sizes.Set(id, 25'000);
    file.value_counts.Set(id, 1000);
    file.null_value_counts.Set(id, 0);
  }
  auto bound = [&](int32_t id, const spec::Type& type, Value low, Value high) {
    file.lower_bounds.Set(id, spec::ToBound(type, low));
    file.upper_bounds.Set(id, spec::ToBound(type, high));
  };
  bound(1, spec::Type::Long(), int64_t{n} * 1000, int64_t{n} * 1000 + 999);
  bound(2, spec::Type::Date(), int32_t{n % 1000}, int32_t{n % 1000});
  bound(3, spec::Type::String(), "customer-0", "customer-9");
  bound(4, spec::Type::Double(), 0.0, 1000.0);
  file.split_offsets = {4};
  return file;
}

// Writes the manifests and their list; runs in a process of its own, so that its memory does not
// count.
Status Generate(const std::string& folder) {
  spec::TableMetadata metadata = Table(folder);
  io::LocalFileSystem files({.sync = false});
  const spec::PartitionSpec& spec = metadata.specs[0];
  const spec::Schema& schema = metadata.schemas[0];
  ASSIGN_OR_RETURN(auto list, table::ManifestListWriter::Create(
                                  files, folder + "/list.avro",
                                  {.snapshot_id = kSnapshot, .sequence_number = 1}));
  for (int m = 0; m < kManifests; ++m) {
    std::string path = folder + "/m" + std::to_string(m) + ".avro";
    ASSIGN_OR_RETURN(auto writer, table::ManifestWriter::Create(files, path, schema, spec,
                                                                spec::PartitionType(spec, schema),
                                                                {.snapshot_id = kSnapshot}));
    for (int n = 0; n < kFiles / kManifests; ++n) {
      RETURN_IF_ERROR(writer->AddAdded(File(m * (kFiles / kManifests) + n, folder)));
    }
    ASSIGN_OR_RETURN(spec::ManifestFile row, writer->Close());
    RETURN_IF_ERROR(list->Add(row));
  }
  RETURN_IF_ERROR(list->Close());
  return {};
}

Result<int> Plan(const spec::TableMetadataPtr& metadata, const expr::Expression& filter) {
  io::LocalFileSystem files;
  table::ManifestCache cache;
  int count = 0;
  RETURN_IF_ERROR(table::PlanFiles(
      {&files, &cache}, {.metadata = metadata, .snapshot_id = kSnapshot, .filter = filter},
      [&](table::FileScanTask&&) -> Status {
        ++count;
        return {};
      }));
  return count;
}

Status Run(const std::string& folder) {
  auto metadata = std::make_shared<spec::TableMetadata>(Table(folder));
  spec::Snapshot snapshot;
  snapshot.snapshot_id = kSnapshot;
  snapshot.sequence_number = 1;
  snapshot.manifest_list = folder + "/list.avro";
  metadata->snapshots.push_back(snapshot);
  metadata->current_snapshot_id = kSnapshot;
  auto seconds = [](auto since) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  };
  auto begin = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(int full, Plan(metadata, expr::Expression::True()));
  double full_seconds = seconds(begin);
  begin = std::chrono::steady_clock::now();
  auto filter = expr::Expression::Predicate(expr::Op::kLt, "id", {Value(int64_t{1'000'000})});
  ASSIGN_OR_RETURN(int selective, Plan(metadata, filter));
  double selective_seconds = seconds(begin);
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::cout << std::max(full_seconds, selective_seconds) << " " << usage.ru_maxrss / 1024
            << " full=" << full << " in " << full_seconds << " s, selective=" << selective << " in "
            << selective_seconds << " s\n";
  return full == kFiles && selective == 1000 ? Status()
                                             : Fail(ErrorCode::kInternal, "wrong file counts");
}

}  // namespace
}  // namespace iceblink

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "iceblink-plan-bench").string();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  if (fork() == 0) {
    auto made = iceblink::Generate(folder);
    if (!made) std::cerr << made.error().message << "\n";
    _exit(made ? 0 : 1);
  }
  int status = 0;
  wait(&status);
  iceblink::Status ran = status == 0 ? iceblink::Run(folder)
                                     : iceblink::Fail(iceblink::ErrorCode::kIo, "not generated");
  std::filesystem::remove_all(folder);
  if (!ran) std::cerr << ran.error().message << "\n";
  return ran ? 0 : 1;
}
