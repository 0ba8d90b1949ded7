#include "commit/refs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "commit/test_tables.h"

namespace iceblink::commit {
namespace {

using testing::ElementsAre;

// Statements and answers as Spark recorded them.
class RefsTest : public testing::Test {
 protected:
  std::string Change(RefAction action, spec::RefType type, std::string name,
                     std::optional<int64_t> snapshot = {}) {
    RefChange change;
    change.action = action;
    change.type = type;
    change.name = std::move(name);
    change.snapshot_id = snapshot;
    return MessageOf(ChangeRef(*t_.catalog, t_.id, change));
  }
  std::string Branch(RefAction action, std::string name, std::optional<int64_t> snapshot = {}) {
    return Change(action, spec::RefType::kBranch, std::move(name), snapshot);
  }
  std::string Tag(RefAction action, std::string name, std::optional<int64_t> snapshot = {}) {
    return Change(action, spec::RefType::kTag, std::move(name), snapshot);
  }
  int64_t AppendOne(const std::string& name) {
    return *Must(t_.Append({t_.File(name, "x", 1)})).snapshot_id;
  }
  int64_t Stage(const std::string& name, const std::string& wap_id) {
    SnapshotChange change;
    change.added_files = {t_.File(name, "x", 1)};
    change.stage_only = true;
    change.summary = {{"wap.id", wap_id}};
    return *Must(CommitChange(*t_.catalog, t_.id, change)).snapshot_id;
  }

  SmallTable t_;
};

TEST_F(RefsTest, EmptyTable) {
  EXPECT_EQ(Tag(RefAction::kCreate, "early"),
            "IllegalArgumentException: Cannot complete create or replace tag operation on db.t, "
            "main has no snapshot");
  EXPECT_EQ(Branch(RefAction::kReplace, "b"),
            "IllegalArgumentException: Cannot complete replace branch operation on db.t, main has "
            "no snapshot");
  EXPECT_EQ(Branch(RefAction::kCreate, "empty"), "no error");
  EXPECT_EQ(Branch(RefAction::kCreate, "empty"),
            "IllegalArgumentException: Ref empty already exists");
  EXPECT_EQ(Branch(RefAction::kCreateIfNotExists, "empty"), "no error");
  auto metadata = t_.Load();
  EXPECT_FALSE(metadata->current_snapshot_id);
  EXPECT_EQ(metadata->SnapshotOfRef("empty")->summary.at("total-records"), "0");
}

TEST_F(RefsTest, Messages) {
  const int64_t s1 = AppendOne("a");
  AppendOne("b");
  EXPECT_EQ(Tag(RefAction::kCreate, "t1", s1), "no error");
  EXPECT_EQ(Tag(RefAction::kCreate, "t1"), "IllegalArgumentException: Ref t1 already exists");
  EXPECT_EQ(Tag(RefAction::kCreateIfNotExists, "t1"), "no error");
  EXPECT_EQ(t_.Load()->Ref("t1")->snapshot_id, s1);
  EXPECT_EQ(Tag(RefAction::kCreateOrReplace, "t1"), "no error");
  EXPECT_EQ(t_.Load()->Ref("t1")->snapshot_id, t_.Current());
  EXPECT_EQ(Tag(RefAction::kCreate, "bad", 99),
            "ValidationException: Cannot set bad to unknown snapshot: 99");
  EXPECT_EQ(Tag(RefAction::kCreate, "main"), "IllegalArgumentException: Ref main already exists");
  EXPECT_EQ(Branch(RefAction::kCreate, "t1"), "IllegalArgumentException: Ref t1 already exists");
  EXPECT_EQ(Tag(RefAction::kReplace, "nosuch"),
            "IllegalArgumentException: Tag does not exist: nosuch");
  EXPECT_EQ(Branch(RefAction::kReplace, "nosuch"),
            "IllegalArgumentException: Branch does not exist: nosuch");
  EXPECT_EQ(Branch(RefAction::kReplace, "t1"),
            "IllegalArgumentException: Ref t1 is a tag not a branch");
  EXPECT_EQ(Branch(RefAction::kDrop, "t1"),
            "IllegalArgumentException: Ref t1 is a tag not a branch");
  EXPECT_EQ(Tag(RefAction::kDrop, "main"),
            "IllegalArgumentException: Ref main is a branch not a tag");
  EXPECT_EQ(Branch(RefAction::kDrop, "main"),
            "IllegalArgumentException: Cannot remove main branch");
  EXPECT_EQ(Tag(RefAction::kDrop, "t1"), "no error");
  EXPECT_EQ(Tag(RefAction::kDrop, "t1"), "IllegalArgumentException: Tag does not exist: t1");
  EXPECT_EQ(Tag(RefAction::kDropIfExists, "t1"), "no error");
}

TEST_F(RefsTest, RetentionIsKeptUnlessMentioned) {
  const int64_t s1 = AppendOne("a");
  RefChange change{RefAction::kCreate, spec::RefType::kBranch, "b", {}, 7, 3, 5};
  Must(ChangeRef(*t_.catalog, t_.id, change));
  change = {RefAction::kReplace, spec::RefType::kBranch, "b", s1, {}, 4, {}};
  Must(ChangeRef(*t_.catalog, t_.id, change));
  const spec::SnapshotRef expected{s1, spec::RefType::kBranch, 4, 5, 7};
  EXPECT_EQ(*t_.Load()->Ref("b"), expected);
  change.min_snapshots_to_keep = 0;
  EXPECT_EQ(MessageOf(ChangeRef(*t_.catalog, t_.id, change)),
            "IllegalArgumentException: Min snapshots to keep must be greater than 0");
  change = {RefAction::kReplace, spec::RefType::kBranch, "b", s1, -1, {}, {}};
  EXPECT_EQ(MessageOf(ChangeRef(*t_.catalog, t_.id, change)),
            "IllegalArgumentException: Max reference age must be greater than 0");
}

TEST_F(RefsTest, RollbackAndSetCurrent) {
  const int64_t s1 = AppendOne("a");
  const int64_t s2 = AppendOne("b");
  const int64_t s3 = AppendOne("c");
  const RefMove back = Must(RollbackToSnapshot(*t_.catalog, t_.id, s2));
  EXPECT_EQ(back.previous, s3);
  EXPECT_EQ(back.current, s2);
  EXPECT_EQ(
      MessageOf(RollbackToSnapshot(*t_.catalog, t_.id, s3)),
      "ValidationException: Cannot roll back to snapshot, not an ancestor of the current state: " +
          std::to_string(s3));
  EXPECT_EQ(MessageOf(SetCurrentSnapshot(*t_.catalog, t_.id, 42)),
            "ValidationException: Cannot roll back to unknown snapshot id: 42");
  Must(SetCurrentSnapshot(*t_.catalog, t_.id, s3));
  EXPECT_EQ(
      MessageOf(RollbackToTimestamp(*t_.catalog, t_.id, 978307200000)),
      "IllegalArgumentException: Cannot roll back, no valid snapshot older than: 978307200000");
  const int64_t s2_time = t_.Load()->SnapshotById(s2)->timestamp_ms;
  EXPECT_EQ(Must(RollbackToTimestamp(*t_.catalog, t_.id, s2_time)).current, s1);
  EXPECT_EQ(MessageOf(SetCurrentToRef(*t_.catalog, t_.id, "nosuch")),
            "ValidationException: Cannot find matching snapshot ID for ref nosuch");
  EXPECT_EQ(t_.Load()->snapshot_log.size(), 6u);
}

TEST_F(RefsTest, FastForward) {
  const int64_t s1 = AppendOne("a");
  Branch(RefAction::kCreate, "dev");
  Tag(RefAction::kCreate, "keep");
  SnapshotChange change;
  change.added_files = {t_.File("b", "x", 1)};
  change.branch = "dev";
  const int64_t s2 = *Must(CommitChange(*t_.catalog, t_.id, change)).snapshot_id;
  EXPECT_EQ(MessageOf(FastForward(*t_.catalog, t_.id, "main", "nosuch")),
            "IllegalArgumentException: Ref does not exist: nosuch");
  RefMove move = Must(FastForward(*t_.catalog, t_.id, "main", "dev"));
  EXPECT_EQ(move.previous, s1);
  EXPECT_EQ(move.current, s2);
  move = Must(FastForward(*t_.catalog, t_.id, "main", "dev"));
  EXPECT_FALSE(move.outcome.committed);
  EXPECT_EQ(move.previous, s2);
  EXPECT_EQ(MessageOf(FastForward(*t_.catalog, t_.id, "main", "keep")),
            "IllegalArgumentException: Cannot fast-forward: main is not an ancestor of keep");
  move = Must(FastForward(*t_.catalog, t_.id, "fresh", "dev"));
  EXPECT_FALSE(move.previous);
  EXPECT_EQ(move.current, s2);
}

TEST_F(RefsTest, CherryPickAppend) {
  AppendOne("a");
  const int64_t s2 = AppendOne("b");
  Must(RollbackToSnapshot(*t_.catalog, t_.id, *t_.Load()->CurrentSnapshot()->parent_id));
  AppendOne("c");
  const RefMove pick = Must(CherryPick(*t_.catalog, t_.id, s2));
  EXPECT_EQ(pick.previous, s2);
  EXPECT_NE(pick.current, s2);
  EXPECT_THAT(t_.LiveFiles(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(pick.outcome.summary.at("source-snapshot-id"), std::to_string(s2));
  EXPECT_EQ(MessageOf(CherryPick(*t_.catalog, t_.id, s2)),
            fmt::format("CherrypickAncestorCommitException: Cannot cherrypick snapshot {}: already "
                        "picked to create "
                        "ancestor {}",
                        s2, *pick.current));
  EXPECT_EQ(MessageOf(CherryPick(*t_.catalog, t_.id, 12345)),
            "ValidationException: Cannot cherry-pick unknown snapshot ID: 12345");
  EXPECT_EQ(
      MessageOf(CherryPick(*t_.catalog, t_.id, *pick.current)),
      fmt::format(
          "CherrypickAncestorCommitException: Cannot cherrypick snapshot {}: already an ancestor",
          *pick.current));
}

TEST_F(RefsTest, PublishChanges) {
  AppendOne("a");
  const int64_t w1 = Stage("b", "w1");
  RefMove publish = Must(PublishChanges(*t_.catalog, t_.id, "w1"));
  EXPECT_EQ(publish.current, w1) << "fast-forwarded as itself";
  EXPECT_EQ(MessageOf(PublishChanges(*t_.catalog, t_.id, "w1")),
            "DuplicateWAPCommitException: Duplicate request to cherry pick wap id that was "
            "published already: w1");
  EXPECT_EQ(MessageOf(PublishChanges(*t_.catalog, t_.id, "nosuch")),
            "ValidationException: Cannot apply unknown WAP ID 'nosuch'");
  const int64_t w2 = Stage("c", "w2");
  AppendOne("d");
  publish = Must(PublishChanges(*t_.catalog, t_.id, "w2"));
  EXPECT_EQ(publish.previous, w2);
  EXPECT_EQ(publish.outcome.summary.at("published-wap-id"), "w2");
  EXPECT_FALSE(publish.outcome.summary.contains("wap.id"));
  Stage("e", "w2");
  EXPECT_EQ(MessageOf(PublishChanges(*t_.catalog, t_.id, "w2")),
            "ValidationException: Cannot apply non-unique WAP ID. Found multiple snapshots with "
            "WAP ID 'w2'");
}

TEST_F(RefsTest, CherryPickDynamicOverwrite) {
  Must(t_.Append({t_.File("a", "x", 1), t_.File("b", "y", 1)}));
  SnapshotChange change;
  change.kind = ChangeKind::kReplacePartitions;
  change.added_files = {t_.File("a2", "x", 1)};
  change.stage_only = true;
  const int64_t staged = *Must(CommitChange(*t_.catalog, t_.id, change)).snapshot_id;
  Must(t_.Append({t_.File("b2", "y", 1)}));
  const RefMove pick = Must(CherryPick(*t_.catalog, t_.id, staged));
  EXPECT_EQ(pick.outcome.operation, "overwrite");
  EXPECT_THAT(t_.LiveFiles(), ElementsAre("a2", "b", "b2"));
  change.added_files = {t_.File("a3", "x", 1)};
  const int64_t late = *Must(CommitChange(*t_.catalog, t_.id, change)).snapshot_id;
  Must(t_.Append({t_.File("a4", "x", 1)}));
  EXPECT_EQ(MessageOf(CherryPick(*t_.catalog, t_.id, late)),
            "ValidationException: Cannot cherry-pick replace partitions with changed partition: "
            "PartitionData{dep=x}");
}

}  // namespace
}  // namespace iceblink::commit
