#include "table/snapshots.h"

#include "table/test_tables.h"

namespace iceblink::table {
namespace {

// 1 <- 2 <- 3 (main), 2 <- 4 (branch dev, tag v2 at 2); 1's parent 0 is expired; 3 is a replace.
TableMetadata History() {
  TableMetadata metadata = SmallTable();
  metadata.schemas.push_back(spec::Schema({}, 1));
  metadata.current_schema_id = 1;
  const auto add = [&](int64_t id, int64_t parent, const char* operation) {
    spec::Snapshot s;
    s.snapshot_id = id;
    s.parent_id = parent;
    s.sequence_number = id;
    s.timestamp_ms = 1000 * id;
    s.operation = operation;
    s.schema_id = 0;
    metadata.snapshots.push_back(s);
  };
  add(1, 0, "append");
  add(2, 1, "append");
  add(3, 2, "replace");
  add(4, 2, "append");
  metadata.current_snapshot_id = 3;
  metadata.snapshot_log = {{1000, 1}, {2000, 2}, {3000, 3}};
  metadata.refs = {{"main", {3}}, {"dev", {4}}, {"v2", {2, spec::RefType::kTag}}};
  return metadata;
}

std::vector<int64_t> Ids(const std::vector<const Snapshot*>& snapshots) {
  std::vector<int64_t> ids;
  for (const Snapshot* s : snapshots) ids.push_back(s->snapshot_id);
  return ids;
}
using IdList = std::vector<int64_t>;

TEST(SnapshotsTest, Ancestors) {
  const TableMetadata m = History();
  EXPECT_EQ(Ids(AncestorsOf(m, 3)), (IdList{3, 2, 1}));
  EXPECT_TRUE(AncestorsOf(m, 99).empty());
  EXPECT_TRUE(AncestorsOf(m, std::nullopt).empty());
  EXPECT_TRUE(IsAncestorOf(m, 3, 3));
  EXPECT_FALSE(IsAncestorOf(m, 3, 4));
  EXPECT_TRUE(IsParentAncestorOf(m, 3, 0));
  EXPECT_FALSE(IsParentAncestorOf(m, 3, 3));
  EXPECT_EQ(Ids(AncestorsBetween(m, 4, 1)), (IdList{4, 2}));
}

TEST(SnapshotsTest, WindowNeedsAKnownStart) {
  const TableMetadata m = History();
  EXPECT_EQ(Ids(Must(HistoryWindow(m, 1, 3))), (IdList{3, 2}));
  EXPECT_EQ(Ids(Must(HistoryWindow(m, 3, 3))), IdList{});
  EXPECT_EQ(Ids(Must(HistoryWindow(m, 0, 3))), (IdList{3, 2, 1}));
  EXPECT_EQ(HistoryWindow(m, 4, 3).error().message,
            "Cannot determine history between starting snapshot 4 and the last known ancestor 1");
  EXPECT_EQ(
      HistoryWindow(m, std::nullopt, 3).error().message,
      "Cannot determine history between starting snapshot null and the last known ancestor 1");
}

TEST(SnapshotsTest, Ranges) {
  const TableMetadata m = History();
  EXPECT_EQ(Ids(Must(AppendsBetween(m, 1, 3))), IdList{2});
  EXPECT_EQ(Ids(Must(ChangesBetween(m, std::nullopt, 4))), (IdList{1, 2, 4}));
  EXPECT_EQ(AppendsBetween(m, 3, 3).error().message,
            "Starting snapshot (exclusive) 3 is not a parent ancestor of end snapshot 3");
}

TEST(SnapshotsTest, TimeTravel) {
  const TableMetadata m = History();
  EXPECT_EQ(SnapshotIdAsOf(m, 2999), 2);
  EXPECT_EQ(Must(ResolveTimestamp(m, 1000)), 1);
  EXPECT_EQ(ResolveTimestamp(m, 999).error().message,
            "Cannot find a snapshot older than 1970-01-01T00:00:00.999+00:00");
  EXPECT_EQ(OldestAncestorAtOrAfter(m, 3, 1500)->snapshot_id, 2);
}

TEST(SnapshotsTest, VersionText) {
  const TableMetadata m = History();
  EXPECT_EQ(Must(ResolveVersion(m, "2")).schema.schema_id(), 0);
  const ResolvedVersion branch = Must(ResolveVersion(m, "dev"));
  EXPECT_EQ(branch.snapshot_id, 4);
  EXPECT_EQ(branch.schema.schema_id(), 1);  // branches are read with the current schema
  const ResolvedVersion tag = Must(ResolveVersion(m, "v2"));
  EXPECT_TRUE(tag.is_tag);
  EXPECT_EQ(tag.schema.schema_id(), 0);
  EXPECT_EQ(Must(ResolveRef(m, "v2", spec::RefType::kBranch)).schema.schema_id(), 1);
  EXPECT_EQ(ResolveVersion(m, "123").error().message, "Cannot find snapshot with ID 123");
  EXPECT_EQ(ResolveVersion(m, "x").error().message,
            "Cannot find matching snapshot ID or reference name for version x");
  EXPECT_EQ(ResolveRef(m, "x", spec::RefType::kBranch).error().message,
            "Cannot use branch (does not exist): x");
}

}  // namespace
}  // namespace iceblink::table
