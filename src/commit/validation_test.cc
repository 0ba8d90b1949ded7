#include "commit/validation.h"

#include <gmock/gmock.h>

#include "commit/test_tables.h"

namespace iceblink::commit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

expr::Expression DepIs(const char* value) {
  return expr::Expression::Predicate(expr::Op::kEq, "dep", {Value(value)});
}

// Each test reads at `start`, lets another writer commit, then commits what it read about.
class ValidationTest : public testing::Test {
 protected:
  void SetUp() override {
    a_ = t_.File("a", "a", 1);
    b_ = t_.File("b", "b", 1);
    start_ = Must(t_.Append({a_, b_})).snapshot_id;
  }
  SnapshotChange Overwrite(Isolation isolation, const char* dep, std::vector<RemovedFile> removed) {
    SnapshotChange change;
    change.kind = ChangeKind::kOverwrite;
    change.removed_files = std::move(removed);
    change.validation = CopyOnWriteValidation(isolation, start_, DepIs(dep));
    return change;
  }
  std::string Commit(SnapshotChange change) {
    return MessageOf(CommitChange(*t_.catalog, t_.id, std::move(change)));
  }

  SmallTable t_;
  spec::DataFile a_;
  spec::DataFile b_;
  std::optional<int64_t> start_;
};

TEST_F(ValidationTest, SerializableRefusesNewRows) {
  Must(t_.Append({t_.File("new", "a", 1)}));
  EXPECT_EQ(Commit(Overwrite(Isolation::kSerializable, "a", {{a_, {}}})),
            "ValidationException: Found conflicting files that can contain records matching "
            "ref(name=\"dep\") == \"a\": [" +
                t_.File("new", "a", 1).file_path + "]");
  EXPECT_EQ(Commit(Overwrite(Isolation::kSerializable, "b", {{b_, {}}})), "no error");
  EXPECT_EQ(Commit(Overwrite(Isolation::kSnapshot, "a", {{a_, {}}})), "no error");
}

TEST_F(ValidationTest, RefusesFilesRemovedMeanwhile) {
  SnapshotChange other;
  other.kind = ChangeKind::kDeleteFiles;
  other.row_filter = DepIs("b");
  EXPECT_EQ(Commit(other), "no error");
  SnapshotChange change = Overwrite(Isolation::kSnapshot, "b", {});
  change.row_filter = DepIs("b");
  EXPECT_EQ(Commit(change),
            "ValidationException: Found conflicting deleted files that can contain records "
            "matching ref(name=\"dep\") == "
            "\"b\": [" +
                b_.file_path + "]");
  EXPECT_EQ(Commit(Overwrite(Isolation::kSnapshot, "b", {{b_, {}}})),
            "ValidationException: Missing required files to delete: " + b_.file_path);
}

TEST_F(ValidationTest, RefusesNewDeletesOfReplacedFiles) {
  SnapshotChange deletes;
  deletes.kind = ChangeKind::kRowDelta;
  deletes.added_deletes = {{t_.PositionDeletes("da", a_, 1), {}}};
  EXPECT_EQ(Commit(deletes), "no error");
  EXPECT_THAT(Commit(Overwrite(Isolation::kSnapshot, "a", {{a_, {}}})),
              HasSubstr("Cannot commit, found new delete for replaced data file: "));
  SnapshotChange rewrite;
  rewrite.kind = ChangeKind::kRewriteFiles;
  rewrite.removed_files = {{a_, {}}};
  rewrite.added_files = {t_.File("a2", "a", 1)};
  rewrite.data_sequence_number = 1;
  rewrite.validation.from_snapshot = start_;
  EXPECT_THAT(Commit(rewrite),
              HasSubstr("Cannot commit, found new position delete for replaced data file: "));
  rewrite.removed_files = {{b_, {}}};
  rewrite.added_files = {t_.File("b2", "b", 1)};
  EXPECT_EQ(Commit(rewrite), "no error");
}

TEST_F(ValidationTest, MergeOnReadChecks) {
  SnapshotChange delta;
  delta.kind = ChangeKind::kRowDelta;
  delta.added_deletes = {{t_.PositionDeletes("da", a_, 1), {}}};
  delta.validation = MergeOnReadValidation(RowCommand::kMerge, Isolation::kSnapshot, start_,
                                           DepIs("a"), {a_.file_path});
  EXPECT_EQ(Commit(delta), "no error");
  delta.added_deletes = {{t_.PositionDeletes("db", a_, 1), {}}};
  EXPECT_EQ(
      Commit(delta),
      "ValidationException: Found new conflicting delete files that can apply to records matching "
      "ref(name=\"dep\") == \"a\": [" +
          t_.PositionDeletes("da", a_, 1).file_path + "]");
  delta.validation = MergeOnReadValidation(RowCommand::kDelete, Isolation::kSnapshot, start_,
                                           DepIs("a"), {a_.file_path});
  EXPECT_EQ(Commit(delta), "no error");

  SnapshotChange rewrite;
  rewrite.kind = ChangeKind::kOverwrite;
  rewrite.removed_files = {{a_, {}}};
  rewrite.added_files = {t_.File("a2", "a", 1)};
  EXPECT_EQ(Commit(rewrite), "no error");
  delta.added_deletes = {{t_.PositionDeletes("dc", a_, 1), {}}};
  EXPECT_EQ(Commit(delta),
            "ValidationException: Cannot commit, missing data files: [" + a_.file_path + "]");
}

TEST_F(ValidationTest, ReplacePartitionsScopesToPartitions) {
  Must(t_.Append({t_.File("new", "b", 1)}));
  SnapshotChange change;
  change.kind = ChangeKind::kReplacePartitions;
  change.added_files = {t_.File("b2", "b", 1)};
  change.validation.from_snapshot = start_;
  change.validation.no_conflicting_data = true;
  change.validation.no_conflicting_deletes = true;
  EXPECT_EQ(Commit(change),
            "ValidationException: Found conflicting files that can contain records matching "
            "partitions [dep=b]: [" +
                t_.File("new", "b", 1).file_path + "]");
  change.added_files = {t_.File("a2", "a", 1)};
  EXPECT_EQ(Commit(change), "no error");
}

TEST_F(ValidationTest, AddedFilesMustMatchTheFilter) {
  SnapshotChange change;
  change.kind = ChangeKind::kOverwrite;
  change.row_filter = DepIs("a");
  change.added_files = {t_.File("b3", "b", 1)};
  change.validation.added_files_match_filter = true;
  EXPECT_EQ(Commit(change),
            "ValidationException: Cannot append file with rows that do not match filter: "
            "ref(name=\"dep\") == \"a\": " +
                change.added_files[0].file_path);
}

TEST_F(ValidationTest, UnknownHistoryIsRefused) {
  SnapshotChange change = Overwrite(Isolation::kSerializable, "a", {{a_, {}}});
  change.validation.from_snapshot = 42;
  EXPECT_EQ(Commit(change),
            "ValidationException: Cannot determine history between starting snapshot 42 and the "
            "last known ancestor " +
                std::to_string(*start_));
}

}  // namespace
}  // namespace iceblink::commit
