#include "table/scan.h"

#include <set>

#include "table/reachability.h"
#include "table/test_tables.h"

namespace iceblink::table {
namespace {

using expr::Expression;
using expr::Op;
using spec::DataFile;
using spec::DataFileContent;
using spec::TableMetadata;

std::string Int(int32_t n) {
  std::string bytes;
  for (int i = 0; i < 4; i++) bytes.push_back(static_cast<char>(n >> (8 * i)));
  return bytes;
}

DataFile File(const std::string& name, Value dep, int32_t lower, int32_t upper) {
  DataFile file = SmallFile(name, std::move(dep));
  SetBounds(file, 1, Int(lower), Int(upper));
  return file;
}

// Snapshot 1 appends a (dep x, ids 0-9) and b (dep y, ids 10-19); 2 appends c (dep x, ids 20-29); 3
// is a delete with position deletes for dep x and an equality delete of id 10 in dep y.
class ScanTest : public testing::Test {
 protected:
  ScanTest() : metadata_(std::make_shared<TableMetadata>(SmallTable())) {
    Commit(1, "append", {File("a", "x", 0, 9), File("b", "y", 10, 19)}, {});
    Commit(2, "append", {File("c", "x", 20, 29)}, {});
    DataFile positions = SmallFile("p", "x");
    positions.content = DataFileContent::kPositionDeletes;
    positions.value_counts.clear();
    positions.null_value_counts.clear();
    DataFile equality = File("e", "y", 10, 10);
    equality.content = DataFileContent::kEqualityDeletes;
    equality.equality_ids = {1};
    Commit(3, "delete", {}, {positions, equality});
  }

  void Write(int64_t id, const std::vector<DataFile>& files, spec::ManifestContent content,
             std::vector<spec::ManifestFile>& manifests) {
    if (files.empty()) return;
    ManifestWriteOptions options;
    options.snapshot_id = id;
    options.content = content;
    const std::string path =
        "memory://w/m" + std::to_string(id) + std::to_string(static_cast<int>(content));
    auto writer = Must(ManifestWriter::Create(files_, path, metadata_->schema(), metadata_->spec(),
                                              PartitionTypes(*metadata_).Find(0)->type, options));
    for (const DataFile& file : files) EXPECT_TRUE(writer->AddAdded(file).has_value());
    manifests.push_back(Must(writer->Close()));
  }

  void Commit(int64_t id, const char* operation, const std::vector<DataFile>& data,
              const std::vector<DataFile>& deletes) {
    std::vector<spec::ManifestFile> manifests;
    if (const auto* current = metadata_->CurrentSnapshot())
      manifests = Must(ReadManifests(context_, *current));
    Write(id, data, spec::ManifestContent::kData, manifests);
    Write(id, deletes, spec::ManifestContent::kDeletes, manifests);
    spec::Snapshot snapshot;
    snapshot.snapshot_id = id;
    if (id > 1) snapshot.parent_id = id - 1;
    snapshot.sequence_number = id;
    snapshot.operation = operation;
    snapshot.manifest_list = "memory://w/list" + std::to_string(id);
    auto list = Must(ManifestListWriter::Create(
        files_, snapshot.manifest_list,
        {.snapshot_id = id, .parent_snapshot_id = {}, .sequence_number = id}));
    for (const auto& m : manifests) Must(list->Add(m));
    EXPECT_TRUE(list->Close().has_value());
    metadata_->snapshots.push_back(snapshot);
    metadata_->current_snapshot_id = id;
  }

  // "name(delete names):residual" for each task.
  std::vector<std::string> Plan(Expression filter, std::optional<int64_t> snapshot = 3,
                                std::optional<int64_t> after = std::nullopt) {
    ScanRequest request;
    request.metadata = metadata_;
    request.snapshot_id = snapshot;
    request.after_snapshot_id = after;
    request.filter = std::move(filter);
    std::vector<std::string> lines;
    for (const FileScanTask& task : Must(PlanFiles(context_, std::move(request), &counters_))) {
      EXPECT_TRUE(task.file.value_counts.empty());
      std::string line(io::BaseName(task.file.file_path).substr(0, 1));
      for (const auto& d : task.deletes)
        line += "(" + std::string(io::BaseName(d->file.file_path).substr(0, 1)) + ")";
      lines.push_back(line + ":" + task.residual.ToString());
    }
    return lines;
  }
  using Lines = std::vector<std::string>;

  io::MemoryFileSystem files_;
  ManifestCache cache_;
  ReadContext context_{&files_, &cache_};
  std::shared_ptr<TableMetadata> metadata_;
  ScanCounters counters_;
};

TEST_F(ScanTest, EverythingWithItsDeletes) {
  EXPECT_EQ(Plan(Expression::True()), (Lines{"a(p):true", "b(e):true", "c(p):true"}));
  EXPECT_EQ(Plan(Expression::True(), 2), (Lines{"a:true", "b:true", "c:true"}));
  EXPECT_EQ(Plan(Expression::True(), std::nullopt), Lines{});
  EXPECT_EQ(counters_.result_data_files, 0);
}

TEST_F(ScanTest, PartitionsPruneAndDecideResiduals) {
  EXPECT_EQ(Plan(Expression::Predicate(Op::kEq, "dep", {Value("x")})),
            (Lines{"a(p):true", "c(p):true"}));
  EXPECT_EQ(counters_.skipped_data_files, 1);
  EXPECT_EQ(Plan(Expression::Predicate(Op::kEq, "dep", {Value("y")})), Lines{"b(e):true"});
  EXPECT_EQ(counters_.scanned_data_manifests, 1);  // the second manifest holds x only
  EXPECT_EQ(counters_.total_data_manifests, 2);
}

TEST_F(ScanTest, MetricsPruneFilesAndDeletes) {
  const auto id_is = [](int32_t n) { return Expression::Predicate(Op::kEq, "id", {Value(n)}); };
  EXPECT_EQ(Plan(id_is(25)), Lines{"c(p):ref(name=\"id\") == 25"});
  EXPECT_EQ(Plan(id_is(15)),
            Lines{"b:ref(name=\"id\") == 15"});  // the equality delete cannot match
  EXPECT_EQ(Plan(id_is(99)), Lines{});
  EXPECT_EQ(Plan(Expression::And(id_is(5), Expression::Predicate(Op::kEq, "dep", {Value("x")}))),
            Lines{"a(p):ref(name=\"id\") == 5"});
}

TEST_F(ScanTest, IncrementalAppends) {
  EXPECT_EQ(Plan(Expression::True(), 3, 1), Lines{"c:true"});
  ScanRequest request;
  request.metadata = metadata_;
  request.snapshot_id = 3;
  request.after_snapshot_id = 3;
  EXPECT_EQ(PlanFiles(context_, request).error().message,
            "Starting snapshot (exclusive) 3 is not a parent ancestor of end snapshot 3");
}

TEST_F(ScanTest, UnknownColumn) {
  ScanRequest request;
  request.metadata = metadata_;
  request.snapshot_id = 3;
  request.filter = Expression::Predicate(Op::kEq, "nosuch", {Value(1)});
  EXPECT_EQ(PlanFiles(context_, request).error().exception, "ValidationException");
}

TEST_F(ScanTest, ReachableFiles) {
  std::multiset<std::string> paths;
  std::vector<const spec::Snapshot*> snapshots = {&metadata_->snapshots[0],
                                                  &metadata_->snapshots[1]};
  ASSERT_OK(ForEachReachableFile(context_, *metadata_, snapshots, {},
                                 [&](const ReachableFile& file) -> Status {
                                   paths.insert(file.path);
                                   return {};
                                 }));
  EXPECT_EQ(paths, (std::multiset<std::string>{
                       "memory://w/list1", "memory://w/list2", "memory://w/m10", "memory://w/m20",
                       "memory://w/t/data/a.parquet", "memory://w/t/data/b.parquet",
                       "memory://w/t/data/c.parquet"}));
}

}  // namespace
}  // namespace iceblink::table
