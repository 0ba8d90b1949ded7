// Expiry, orphan removal, purge and manifest rewrites.

#include <gmock/gmock.h>

#include "commit/expire.h"
#include "commit/orphan.h"
#include "commit/reachable_files.h"
#include "commit/refs.h"
#include "commit/rewrite_manifests.h"
#include "commit/table_changes.h"
#include "commit/test_tables.h"

namespace iceblink::commit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kFarFuture = 4'900'000'000'000;

// The table and the answers of the recorded scenario: two appends, an update, a delete and an
// overwrite.
class ExpireTest : public testing::Test {
 protected:
  void SetUp() override {
    Append("a");
    Append("b");
    Replace({"a"}, {"a2"});
    Tag("pinned", snapshots_[0]);
    Replace({"b"}, {});
    Replace({"a2"}, {"z"});
  }
  void Append(const std::string& name) {
    snapshots_.push_back(*Must(t_.Append({Make(name)})).snapshot_id);
  }
  spec::DataFile Make(const std::string& name) {
    spec::DataFile file = t_.File(name, "x", 1);
    if (!Must(t_.files().Exists(file.file_path)))
      (void)t_.files().WriteAll(file.file_path, "x", io::WriteMode::kReplace);
    return file;
  }
  void Replace(std::vector<std::string> removed, std::vector<std::string> added) {
    SnapshotChange change;
    change.kind = ChangeKind::kOverwrite;
    for (const auto& name : removed) change.removed_files.push_back({Make(name), {}});
    for (const auto& name : added) change.added_files.push_back(Make(name));
    snapshots_.push_back(*Must(CommitChange(*t_.catalog, t_.id, change)).snapshot_id);
  }
  void Tag(const std::string& name, int64_t id) {
    RefChange change{RefAction::kCreate, spec::RefType::kTag, name, id, {}, {}, {}};
    Must(ChangeRef(*t_.catalog, t_.id, change));
  }
  // Data files, manifests and manifest lists deleted.
  std::vector<int64_t> Expire(ExpireOptions options) {
    const FileCounts counts = Must(ExpireSnapshots(*t_.catalog, t_.id, options)).deleted;
    EXPECT_EQ(counts.position_delete_files + counts.equality_delete_files + counts.statistics_files,
              0);
    return {counts.data_files, counts.manifests, counts.manifest_lists};
  }

  SmallTable t_{2, {}, false};
  std::vector<int64_t> snapshots_;
};

TEST_F(ExpireTest, AsRecorded) {
  ExpireOptions options;
  EXPECT_THAT(Expire(options), ElementsAre(0, 0, 0));
  options.older_than_ms = kFarFuture;
  options.retain_last = 3;
  EXPECT_THAT(Expire(options), ElementsAre(0, 0, 1));
  ExpireOptions ids;
  ids.snapshot_ids = {snapshots_[0]};
  EXPECT_EQ(MessageOf(ExpireSnapshots(*t_.catalog, t_.id, ids)),
            "IllegalArgumentException: Cannot expire " + std::to_string(snapshots_[0]) +
                ". Still referenced by refs: [pinned]");
  ids.snapshot_ids = {snapshots_[1], 42};
  EXPECT_THAT(Expire(ids), ElementsAre(0, 0, 0));
  options.retain_last = 1;
  EXPECT_THAT(Expire(options), ElementsAre(2, 4, 2));
  RefChange drop{RefAction::kDrop, spec::RefType::kTag, "pinned", {}, {}, {}, {}};
  Must(ChangeRef(*t_.catalog, t_.id, drop));
  options.retain_last.reset();
  EXPECT_THAT(Expire(options), ElementsAre(1, 1, 1));
  EXPECT_EQ(t_.Load()->snapshots.size(), 1u);
  EXPECT_TRUE(Must(t_.files().Exists(t_.File("z", {}, 1).file_path)));
  EXPECT_FALSE(Must(t_.files().Exists(t_.File("a", {}, 1).file_path)));
  options.retain_last = 0;
  EXPECT_EQ(
      MessageOf(ExpireSnapshots(*t_.catalog, t_.id, options)),
      "IllegalArgumentException: Number of snapshots to retain must be at least 1, cannot be: 0");
}

TEST_F(ExpireTest, BranchSettingsAndRefAge) {
  RefChange change{RefAction::kCreate, spec::RefType::kBranch, "old", snapshots_[1], 1, {}, {}};
  Must(ChangeRef(*t_.catalog, t_.id, change));
  ExpireOptions options;
  const ManualClock later((SystemClock().NowMillis() + 60'000) * 1000);
  options.clock = &later;
  const ExpireResult result = Must(ExpireSnapshots(*t_.catalog, t_.id, options));
  EXPECT_THAT(result.plan.refs, ElementsAre("old"));
  EXPECT_EQ(t_.Load()->Ref("old"), nullptr);
}

TEST_F(ExpireTest, CleansUnusedSpecsAndSchemas) {
  Must(ChangeSpec(*t_.catalog, t_.id, [](spec::SpecUpdate& update) {
    return update.AddField("dep", spec::Transform::Identity());
  }));
  Must(ChangeSchema(*t_.catalog, t_.id, [](spec::SchemaUpdate& update) {
    return update.AddColumn("", "extra", spec::Type::Long());
  }));
  spec::DataFile file = t_.File("p", "x", 1);
  file.spec_id = 1;
  file.partition = {Value("x")};
  SnapshotChange change;
  change.kind = ChangeKind::kOverwrite;
  change.row_filter = expr::Expression::True();
  change.added_files = {file};
  Must(CommitChange(*t_.catalog, t_.id, change));
  RefChange drop{RefAction::kDrop, spec::RefType::kTag, "pinned", {}, {}, {}, {}};
  Must(ChangeRef(*t_.catalog, t_.id, drop));
  Must(t_.Append({file}));  // the manifest of the old spec has no live files now and is dropped
  ExpireOptions options;
  options.older_than_ms = kFarFuture;
  options.clean_expired_metadata = true;
  const ExpireResult result = Must(ExpireSnapshots(*t_.catalog, t_.id, options));
  EXPECT_THAT(result.plan.spec_ids, ElementsAre(0));
  EXPECT_THAT(result.plan.schema_ids, ElementsAre(0));
  EXPECT_EQ(t_.Load()->specs.size(), 1u);
  EXPECT_EQ(t_.Load()->schemas.size(), 1u);
}

TEST_F(ExpireTest, GcDisabled) {
  Must(ChangeProperties(*t_.catalog, t_.id, {{"gc.enabled", "false"}}, {}));
  EXPECT_EQ(MessageOf(ExpireSnapshots(*t_.catalog, t_.id, {})),
            "ValidationException: Cannot expire snapshots: GC is disabled (deleting files may "
            "corrupt other tables)");
  EXPECT_EQ(MessageOf(RemoveOrphanFiles(*t_.catalog, t_.id, {})),
            "ValidationException: Cannot delete orphan files: GC is disabled (deleting files may "
            "corrupt other tables)");
  EXPECT_EQ(MessageOf(PurgeTable(t_.files(), *t_.Load())),
            "ValidationException: Cannot purge table: GC is disabled (deleting files may corrupt "
            "other tables)");
}

TEST_F(ExpireTest, OrphansAreWhatNothingReaches) {
  const std::string location = t_.Load()->location;
  for (const char* name :
       {"/data/lost.parquet", "/metadata/lost.avro", "/_hidden/x", "/data/.tmp/y"}) {
    ASSERT_TRUE(t_.files().WriteAll(location + name, "x", io::WriteMode::kReplace));
  }
  OrphanOptions options;
  options.dry_run = true;
  EXPECT_THAT(Must(RemoveOrphanFiles(*t_.catalog, t_.id, options)), ElementsAre());
  options.older_than_ms = kFarFuture;
  const std::vector<std::string> expected = {location + "/data/lost.parquet",
                                             location + "/metadata/lost.avro"};
  EXPECT_EQ(Must(RemoveOrphanFiles(*t_.catalog, t_.id, options)), expected);
  options.dry_run = false;
  EXPECT_EQ(Must(RemoveOrphanFiles(*t_.catalog, t_.id, options)), expected);
  EXPECT_THAT(Must(RemoveOrphanFiles(*t_.catalog, t_.id, options)), ElementsAre());
  EXPECT_THAT(t_.LiveFiles(), ElementsAre("z"));
  options.location = "/nonexistent/place";
  EXPECT_EQ(MessageOf(RemoveOrphanFiles(*t_.catalog, t_.id, options)),
            "UncheckedIOException: java.io.FileNotFoundException: File /nonexistent/place does not "
            "exist");
}

TEST_F(ExpireTest, PrefixMismatch) {
  OrphanOptions options;
  options.older_than_ms = kFarFuture;
  options.dry_run = true;
  const std::string path = t_.File("z", {}, 1).file_path;
  options.listed_files = {{"s3://bucket" + path, 0}};
  EXPECT_THAT(Must(RemoveOrphanFiles(*t_.catalog, t_.id, options)), ElementsAre())
      << "a plain path matches any prefix";
  EXPECT_FALSE(ParsePrefixMismatch("nonsense"));
}

TEST(RewriteManifestsTest, MergesManifestsAndKeepsSequenceNumbers) {
  SmallTable t(2);
  Must(t.Append({t.File("a", "z", 1)}));
  Must(t.Append({t.File("b", "x", 2)}));
  Must(t.Append({t.File("c", "y", 3)}));
  const RewriteManifestsResult result = Must(RewriteManifests(*t.catalog, t.id, {}));
  EXPECT_EQ(result.rewritten, 3);
  EXPECT_EQ(result.added, 1);
  EXPECT_EQ(result.outcome.operation, "replace");
  const spec::Summary& summary = result.outcome.summary;
  EXPECT_EQ(summary.at("changed-partition-count"), "0");
  EXPECT_EQ(summary.at("entries-processed"), "0");
  EXPECT_EQ(summary.at("manifests-created"), "1");
  EXPECT_EQ(summary.at("manifests-kept"), "0");
  EXPECT_EQ(summary.at("manifests-replaced"), "3");
  EXPECT_EQ(summary.at("total-records"), "6");
  const auto manifests = t.Manifests();
  ASSERT_EQ(manifests.size(), 1u);
  EXPECT_EQ(manifests[0].sequence_number, 4);
  EXPECT_EQ(manifests[0].min_sequence_number, 1);
  EXPECT_THAT(t.LiveFiles(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(Must(RewriteManifests(*t.catalog, t.id, {})).rewritten, 0);
  RewriteManifestsOptions options;
  options.spec_id = 7;
  EXPECT_EQ(MessageOf(RewriteManifests(*t.catalog, t.id, options)),
            "IllegalArgumentException: Invalid spec id 7");
  options.spec_id = 0;
  options.sort_by = {{"nope"}};
  EXPECT_THAT(
      MessageOf(RewriteManifests(*t.catalog, t.id, options)),
      HasSubstr("Cannot set manifest sorting because specified field(s) [nope] were not found"));
}

TEST(PurgeTest, DeletesEveryFile) {
  SmallTable t;
  Must(t.Append({t.File("a", "z", 1)}));
  const auto metadata = t.Load();
  ASSERT_TRUE(t.files().WriteAll(t.File("a", "z", 1).file_path, "x", io::WriteMode::kReplace));
  ASSERT_TRUE(t.catalog->DropTable(t.id));
  const FileCounts counts = Must(PurgeTable(t.files(), *metadata));
  EXPECT_EQ(counts.data_files, 1);
  EXPECT_EQ(counts.metadata_files, 2);
  size_t left = 0;
  ASSERT_TRUE(t.files().List(metadata->location, true,
                             [&](const io::FileInfo&) -> Status { return left++, Status(); }));
  EXPECT_EQ(left, 0u);
}

}  // namespace
}  // namespace iceblink::commit
