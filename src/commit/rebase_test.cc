#include "commit/rebase.h"

#include <gmock/gmock.h>

#include "commit/refs.h"
#include "commit/test_tables.h"

namespace iceblink::commit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// main holds a; dev adds b, rewrites a and deletes a row of b; main moves on meanwhile.
class RebaseTest : public testing::Test {
 protected:
  void SetUp() override {
    a_ = t_.File("a", "x", 5);
    b_ = t_.File("b", "x", 5);
    Must(t_.Append({a_}));
    Must(ChangeRef(*t_.catalog, t_.id,
                   {RefAction::kCreate, spec::RefType::kBranch, "dev", {}, {}, {}, {}}));
  }
  int64_t OnDev(SnapshotChange change) {
    change.branch = "dev";
    return *Must(CommitChange(*t_.catalog, t_.id, std::move(change))).snapshot_id;
  }
  void WorkOnDev() {
    SnapshotChange append;
    append.added_files = {b_};
    append.summary = {{"spark.app.id", "app"}};
    OnDev(append);
    SnapshotChange rewrite;
    rewrite.kind = ChangeKind::kOverwrite;
    rewrite.removed_files = {{a_, {}}};
    rewrite.added_files = {t_.File("a2", "x", 4)};
    rewritten_ = OnDev(rewrite);
    SnapshotChange deletes;
    deletes.kind = ChangeKind::kRowDelta;
    deletes.added_deletes = {{t_.PositionDeletes("d", b_, 1), {}}};
    OnDev(deletes);
  }
  std::string Rebase() { return MessageOf(RebaseBranch(*t_.catalog, t_.id, "dev", "main")); }

  SmallTable t_;
  spec::DataFile a_;
  spec::DataFile b_;
  int64_t rewritten_ = 0;
};

TEST_F(RebaseTest, ReplaysOnTheMovedBranchAndFastForwards) {
  WorkOnDev();
  Must(t_.Append({t_.File("m", "x", 1)}));
  EXPECT_FALSE(FastForward(*t_.catalog, t_.id, "main", "dev"));
  const RebaseResult result = Must(RebaseBranch(*t_.catalog, t_.id, "dev", "main"));
  ASSERT_EQ(result.replayed.size(), 3u);
  EXPECT_EQ(result.outcome.attempts, 1);
  Must(FastForward(*t_.catalog, t_.id, "main", "dev"));
  EXPECT_EQ(t_.Current(), result.current_head);
  EXPECT_THAT(t_.LiveFiles(), ElementsAre("-d", "a2", "b", "m"));
  auto metadata = t_.Load();
  std::vector<std::string> operations;
  for (const auto& [old_id, new_id] : result.replayed) {
    const spec::Snapshot& snapshot = *metadata->SnapshotById(new_id);
    operations.push_back(*snapshot.operation);
    EXPECT_EQ(snapshot.summary.at("source-snapshot-id"), std::to_string(old_id));
  }
  EXPECT_THAT(operations, ElementsAre("append", "overwrite", "delete"));
  EXPECT_EQ(metadata->SnapshotById(result.replayed[0].second)->summary.at("spark.app.id"), "app");
  EXPECT_EQ(metadata->CurrentSnapshot()->summary.at("total-records"), "10");
  EXPECT_TRUE(Must(RebaseBranch(*t_.catalog, t_.id, "dev", "main")).replayed.empty());
}

TEST_F(RebaseTest, NamesTheConflictingFiles) {
  WorkOnDev();
  SnapshotChange remove;
  remove.kind = ChangeKind::kDeleteFiles;
  remove.removed_paths = {a_.file_path};
  Must(CommitChange(*t_.catalog, t_.id, remove));
  EXPECT_EQ(Rebase(), "ValidationException: Cannot rebase dev onto main: snapshot " +
                          std::to_string(rewritten_) +
                          " (overwrite): Missing required files to delete: " + a_.file_path);
  EXPECT_EQ(t_.Load()->snapshots.size(), 5u);
  EXPECT_EQ(t_.CountMetadataFiles("snap-"), 5u) << "a refused rebase leaves no files";
}

TEST_F(RebaseTest, DeletesOfRewrittenFilesAreRefused) {
  WorkOnDev();
  SnapshotChange deletes;
  deletes.kind = ChangeKind::kRowDelta;
  deletes.added_deletes = {{t_.PositionDeletes("da", a_, 1), {}}};
  Must(CommitChange(*t_.catalog, t_.id, deletes));
  EXPECT_THAT(Rebase(),
              HasSubstr("(overwrite): Cannot commit, found new delete for replaced data file: " +
                        a_.file_path));
}

TEST_F(RebaseTest, UntouchedPartitionsOfDynamicOverwrite) {
  SnapshotChange overwrite;
  overwrite.kind = ChangeKind::kReplacePartitions;
  overwrite.added_files = {t_.File("x2", "x", 1)};
  OnDev(overwrite);
  Must(t_.Append({t_.File("y", "y", 1)}));
  EXPECT_EQ(Rebase(), "no error");
  Must(t_.Append({t_.File("x3", "x", 1)}));
  EXPECT_THAT(
      Rebase(),
      HasSubstr("(overwrite): Found conflicting files that can contain records matching partitions "
                "[dep=x]: [" +
                t_.File("x3", "x", 1).file_path + "]"));
}

}  // namespace
}  // namespace iceblink::commit
