#include "commit/transaction.h"

#include <gmock/gmock.h>

#include <thread>

#include "commit/manifest_merge.h"
#include "commit/test_tables.h"

namespace iceblink::commit {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Entries of a summary without sizes.
std::map<std::string, std::string> Counts(const CommitOutcome& outcome) {
  std::map<std::string, std::string> counts;
  for (const auto& [key, value] : outcome.summary) {
    if (key.find("files-size") == std::string::npos) counts[key] = value;
  }
  return counts;
}

RemovedFile Removed(spec::DataFile file) { return {std::move(file), {}}; }

// Values recorded from Spark: a copy-on-write MERGE that rewrites two files into one.
TEST(SummaryTest, CopyOnWriteMerge) {
  SmallTable t(2, {}, false);
  const auto a = t.File("a", {}, 2);
  const auto b = t.File("b", {}, 2);
  const CommitOutcome first = Must(t.Append({a, b}));
  EXPECT_EQ(first.operation, "append");
  EXPECT_EQ(Counts(first), (std::map<std::string, std::string>{{"added-data-files", "2"},
                                                               {"added-records", "4"},
                                                               {"changed-partition-count", "1"},
                                                               {"manifests-created", "1"},
                                                               {"manifests-kept", "0"},
                                                               {"manifests-replaced", "0"},
                                                               {"total-data-files", "2"},
                                                               {"total-delete-files", "0"},
                                                               {"total-equality-deletes", "0"},
                                                               {"total-position-deletes", "0"},
                                                               {"total-records", "4"}}));
  SnapshotChange change;
  change.kind = ChangeKind::kOverwrite;
  change.added_files = {t.File("c", {}, 5)};
  change.removed_files = {Removed(a), Removed(b)};
  change.summary = {{"spark.merge-into.num-target-rows-copied", "2"}};
  change.validation =
      CopyOnWriteValidation(Isolation::kSerializable, first.snapshot_id, expr::Expression::True());
  const CommitOutcome second = Must(CommitChange(*t.catalog, t.id, change));
  EXPECT_EQ(second.operation, "overwrite");
  EXPECT_EQ(Counts(second),
            (std::map<std::string, std::string>{{"added-data-files", "1"},
                                                {"added-records", "5"},
                                                {"changed-partition-count", "1"},
                                                {"deleted-data-files", "2"},
                                                {"deleted-records", "4"},
                                                {"manifests-created", "2"},
                                                {"manifests-kept", "0"},
                                                {"manifests-replaced", "1"},
                                                {"spark.merge-into.num-target-rows-copied", "2"},
                                                {"total-data-files", "1"},
                                                {"total-delete-files", "0"},
                                                {"total-equality-deletes", "0"},
                                                {"total-position-deletes", "0"},
                                                {"total-records", "5"}}));
  EXPECT_EQ(second.summary.at("added-files-size"), "500");
  EXPECT_EQ(second.summary.at("removed-files-size"), "400");
  EXPECT_EQ(second.summary.at("total-files-size"), "500");
  EXPECT_THAT(t.LiveFiles(), ElementsAre("c"));
}

// Values recorded from Spark: the same MERGE as merge-on-read, then a metadata delete of a
// partition with its deletes.
TEST(SummaryTest, MergeOnReadMergeAndMetadataDelete) {
  SmallTable t;
  const auto a = t.File("a", "x", 2);
  const auto b = t.File("b", "y", 3);
  const CommitOutcome first = Must(t.Append({a, b}));
  EXPECT_EQ(first.summary.at("changed-partition-count"), "2");
  SnapshotChange change;
  change.kind = ChangeKind::kRowDelta;
  change.added_files = {t.File("c", "x", 3)};
  change.added_deletes = {{t.PositionDeletes("da", a, 1), {}}, {t.PositionDeletes("db", b, 1), {}}};
  change.validation =
      MergeOnReadValidation(RowCommand::kMerge, Isolation::kSerializable, first.snapshot_id,
                            expr::Expression::True(), {a.file_path, b.file_path});
  const CommitOutcome merge = Must(CommitChange(*t.catalog, t.id, change));
  EXPECT_EQ(merge.operation, "overwrite");
  EXPECT_THAT(Counts(merge),
              (std::map<std::string, std::string>{{"added-data-files", "1"},
                                                  {"added-delete-files", "2"},
                                                  {"added-position-delete-files", "2"},
                                                  {"added-position-deletes", "2"},
                                                  {"added-records", "3"},
                                                  {"changed-partition-count", "2"},
                                                  {"manifests-created", "2"},
                                                  {"manifests-kept", "1"},
                                                  {"manifests-replaced", "0"},
                                                  {"total-data-files", "3"},
                                                  {"total-delete-files", "2"},
                                                  {"total-equality-deletes", "0"},
                                                  {"total-position-deletes", "2"},
                                                  {"total-records", "8"}}));
  SnapshotChange remove;
  remove.kind = ChangeKind::kDeleteFiles;
  remove.row_filter = expr::Expression::Predicate(expr::Op::kEq, "dep", {Value("y")});
  const CommitOutcome deleted = Must(CommitChange(*t.catalog, t.id, remove));
  EXPECT_EQ(deleted.operation, "delete");
  EXPECT_THAT(Counts(deleted),
              (std::map<std::string, std::string>{{"changed-partition-count", "1"},
                                                  {"deleted-data-files", "1"},
                                                  {"deleted-records", "3"},
                                                  {"manifests-created", "2"},
                                                  {"manifests-kept", "1"},
                                                  {"manifests-replaced", "2"},
                                                  {"removed-delete-files", "1"},
                                                  {"removed-position-delete-files", "1"},
                                                  {"removed-position-deletes", "1"},
                                                  {"total-data-files", "2"},
                                                  {"total-delete-files", "1"},
                                                  {"total-equality-deletes", "0"},
                                                  {"total-position-deletes", "1"},
                                                  {"total-records", "5"}}));
  EXPECT_THAT(t.LiveFiles(), ElementsAre("-da", "a", "c"));
}

TEST(SummaryTest, PartitionsAreListedWithinTheLimit) {
  SmallTable t(2, {{"write.summary.partition-limit", "2"}});
  const CommitOutcome two = Must(t.Append({t.File("a", "x", 2), t.File("b", "y", 3)}));
  EXPECT_EQ(two.summary.at("partition-summaries-included"), "true");
  EXPECT_EQ(two.summary.at("partitions.dep=x"),
            "added-data-files=1,added-records=2,added-files-size=200");
  const CommitOutcome three =
      Must(t.Append({t.File("c", "x", 1), t.File("d", "y", 1), t.File("e", "z", 1)}));
  EXPECT_FALSE(three.summary.contains("partition-summaries-included"));
}

TEST(TransactionTest, EmptyChangesCommitSnapshots) {
  SmallTable t;
  const CommitOutcome append = Must(t.Append({}));
  EXPECT_EQ(append.operation, "append");
  EXPECT_EQ(append.summary.at("changed-partition-count"), "0");
  EXPECT_EQ(append.summary.at("total-records"), "0");
  SnapshotChange change;
  change.kind = ChangeKind::kOverwrite;
  EXPECT_EQ(Must(CommitChange(*t.catalog, t.id, change)).operation, "overwrite");
  EXPECT_EQ(t.Load()->snapshots.size(), 2u);
  EXPECT_EQ(t.Load()->snapshot_log.size(), 2u);
  EXPECT_LT(t.Load()->snapshots[0].timestamp_ms, t.Load()->snapshots[1].timestamp_ms);
}

// Removing the old manifests proves that an append does not open them.
TEST(TransactionTest, AppendLeavesOldManifestsClosed) {
  SmallTable t;
  Must(t.Append({t.File("a", "x", 1)}));
  for (const auto& manifest : t.Manifests()) ASSERT_TRUE(t.files().Delete(manifest.path));
  EXPECT_TRUE(t.Append({t.File("b", "x", 1)}));
  EXPECT_TRUE(t.Append({t.File("c", "x", 1)}, ChangeKind::kFastAppend));
  EXPECT_EQ(t.Manifests().size(), 3u);
}

TEST(TransactionTest, MergesManifestsAtTheCount) {
  SmallTable t(2, {{"commit.manifest.min-count-to-merge", "3"}});
  Must(t.Append({t.File("a", "x", 1)}));
  Must(t.Append({t.File("b", "x", 1)}));
  EXPECT_EQ(t.Manifests().size(), 2u);
  const CommitOutcome third = Must(t.Append({t.File("c", "x", 1)}));
  EXPECT_EQ(third.summary.at("manifests-created"), "1");
  EXPECT_EQ(third.summary.at("manifests-kept"), "0");
  EXPECT_EQ(third.summary.at("manifests-replaced"), "2");
  const auto manifests = t.Manifests();
  ASSERT_EQ(manifests.size(), 1u);
  EXPECT_EQ(manifests[0].added_files_count, 1);
  EXPECT_EQ(manifests[0].existing_files_count, 2);
  EXPECT_EQ(manifests[0].min_sequence_number, 1);
  const table::PartitionTypes types(*t.Load());
  for (const auto& entry : Must(table::ReadManifest({&t.files(), nullptr}, manifests[0], types))) {
    EXPECT_EQ(entry.sequence_number,
              entry.status == spec::EntryStatus::kAdded ? 3 : *entry.file_sequence_number);
  }
  EXPECT_EQ(t.CountMetadataFiles("-m"), 3u) << "the merged-in new manifest is deleted";
}

TEST(PackingTest, FillsBinsFromTheEnd) {
  const std::vector<int64_t> sizes = {1, 4, 4, 2, 3};
  const auto bins = PackFromEnd(sizes.size(), 6, [&](size_t i) { return sizes[i]; });
  EXPECT_THAT(bins, ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3, 4)));
}

TEST(TransactionTest, StagedSnapshotMovesNoRef) {
  SmallTable t;
  Must(t.Append({t.File("a", "x", 1)}));
  const int64_t current = t.Current();
  SnapshotChange change;
  change.added_files = {t.File("b", "x", 1)};
  change.stage_only = true;
  change.summary = {{"wap.id", "w1"}};
  const CommitOutcome staged = Must(CommitChange(*t.catalog, t.id, change));
  EXPECT_EQ(t.Current(), current);
  EXPECT_EQ(t.Load()->SnapshotById(*staged.snapshot_id)->parent_id, current);
  EXPECT_EQ(staged.summary.at("total-records"), "2");
}

TEST(TransactionTest, NewBranchStartsAtMainWithTotalsFromZero) {
  SmallTable t;
  Must(t.Append({t.File("a", "x", 1)}));
  SnapshotChange change;
  change.added_files = {t.File("b", "x", 2)};
  change.branch = "audit";
  const CommitOutcome outcome = Must(CommitChange(*t.catalog, t.id, change));
  EXPECT_EQ(outcome.summary.at("total-records"), "2");
  EXPECT_EQ(t.Load()->SnapshotById(*outcome.snapshot_id)->parent_id, t.Current());
  EXPECT_THAT(t.LiveFiles(), ElementsAre("a"));
}

TEST(TransactionTest, SeveralStepsLandTogether) {
  SmallTable t;
  Transaction transaction(*t.catalog, t.id, Must(t.catalog->LoadTable(t.id)));
  SnapshotChange a;
  a.added_files = {t.File("a", "x", 1)};
  SnapshotChange b;
  b.added_files = {t.File("b", "x", 1)};
  transaction.Add(a).Add(b).Add({spec::update::SetProperties{{{"k", "v"}}}});
  const CommitOutcome outcome = Must(transaction.Commit());
  EXPECT_EQ(outcome.summary.at("total-records"), "2");
  auto metadata = t.Load();
  EXPECT_EQ(metadata->snapshots.size(), 2u);
  EXPECT_EQ(metadata->snapshot_log.size(), 1u);
  EXPECT_EQ(metadata->last_sequence_number, 2);
  EXPECT_EQ(metadata->properties.at("k"), "v");
  EXPECT_EQ(metadata->metadata_log.size(), 1u);
}

TEST(TransactionTest, CreateAndReplaceTable) {
  SmallTable t;
  const catalog::TableIdentifier id{{"db"}, "ctas"};
  spec::NewTable definition = SmallDefinition();
  definition.location = Must(t.catalog->DefaultTableLocation(id));
  auto initial = Must(spec::NewTableMetadata(definition, SystemClock().NowMillis()));
  auto create = Transaction::ForCreate(*t.catalog, id, initial, {});
  SnapshotChange change;
  change.added_files = {t.File("a", "x", 1)};
  Must(create.Add(change).Commit());
  auto created = Must(t.catalog->LoadTable(id));
  EXPECT_TRUE(created.metadata->current_snapshot_id);
  EXPECT_EQ(created.metadata->metadata_log.size(), 0u);

  definition.location.clear();
  auto replace = Must(Transaction::ForReplace(*t.catalog, id, created, definition, {}));
  change.added_files = {t.File("b", "x", 5)};
  const CommitOutcome outcome = Must(replace.Add(change).Commit());
  EXPECT_EQ(outcome.summary.at("total-records"), "5");
  EXPECT_EQ(outcome.table.metadata->uuid, created.metadata->uuid);
  EXPECT_EQ(outcome.table.metadata->snapshots.size(), 2u);
  EXPECT_FALSE(outcome.table.metadata->CurrentSnapshot()->parent_id);
}

TEST(TransactionTest, RowIdsOfVersion3) {
  SmallTable t(3);
  Must(t.Append({t.File("a", "x", 5), t.File("b", "y", 7)}));
  EXPECT_EQ(t.Load()->next_row_id, 12);
  Must(t.Append({t.File("c", "x", 3)}));
  auto metadata = t.Load();
  EXPECT_EQ(metadata->next_row_id, 15);
  EXPECT_EQ(metadata->CurrentSnapshot()->first_row_id, 12);
  EXPECT_EQ(metadata->CurrentSnapshot()->added_rows, 3);
  // A rewritten manifest keeps the ids of its files and takes no new ones.
  SnapshotChange change;
  change.kind = ChangeKind::kDeleteFiles;
  change.removed_paths = {t.File("a", "x", 5).file_path};
  Must(CommitChange(*t.catalog, t.id, change));
  const table::PartitionTypes types(*t.Load());
  std::map<std::string, int64_t> first_ids;
  for (const auto& manifest : t.Manifests()) {
    for (const auto& entry : Must(table::ReadManifest({&t.files(), nullptr}, manifest, types))) {
      if (entry.is_live())
        first_ids[std::string(io::BaseName(entry.data_file.file_path))] =
            *entry.data_file.first_row_id;
    }
  }
  EXPECT_EQ(first_ids, (std::map<std::string, int64_t>{{"b.parquet", 5}, {"c.parquet", 12}}));
}

spec::DataFile Vector(SmallTable& t, const spec::DataFile& of, int64_t rows, int64_t offset) {
  spec::DataFile dv = t.PositionDeletes("dv", of, rows);
  dv.file_path = t.Load()->location + "/data/dv.puffin";
  dv.format = spec::FileFormat::kPuffin;
  dv.content_offset = offset;
  dv.content_size_in_bytes = 40;
  return dv;
}

TEST(TransactionTest, DeletionVectorsGoWithTheirFiles) {
  SmallTable t(3);
  const auto a = t.File("a", "x", 5);
  const auto b = t.File("b", "x", 5);
  const CommitOutcome first = Must(t.Append({a, b}));
  SnapshotChange change;
  change.kind = ChangeKind::kRowDelta;
  change.added_deletes = {{Vector(t, a, 1, 4), {}}, {Vector(t, b, 2, 44), {}}};
  change.validation.from_snapshot = first.snapshot_id;
  const CommitOutcome deletes = Must(CommitChange(*t.catalog, t.id, change));
  EXPECT_EQ(deletes.operation, "delete");
  EXPECT_EQ(deletes.summary.at("added-dvs"), "2");
  EXPECT_EQ(deletes.summary.at("added-files-size"), "80");
  EXPECT_FALSE(deletes.summary.contains("added-position-delete-files"));

  EXPECT_THAT(MessageOf(CommitChange(*t.catalog, t.id, change)),
              HasSubstr("ValidationException: Found concurrently added DV for " + a.file_path +
                        ": DV{location="));

  SnapshotChange rewrite;
  rewrite.kind = ChangeKind::kRewriteFiles;
  rewrite.removed_files = {Removed(a)};
  rewrite.added_files = {t.File("a2", "x", 4)};
  rewrite.data_sequence_number = 2;
  rewrite.validation.from_snapshot = deletes.snapshot_id;
  const CommitOutcome rewritten = Must(CommitChange(*t.catalog, t.id, rewrite));
  EXPECT_EQ(rewritten.operation, "replace");
  EXPECT_EQ(rewritten.summary.at("removed-dvs"), "1");
  EXPECT_EQ(rewritten.summary.at("total-delete-files"), "1");
  EXPECT_THAT(t.LiveFiles(), ElementsAre("-dv", "a2", "b"));
}

TEST(TransactionTest, FormatRulesOfDeletes) {
  SmallTable v2(2);
  SnapshotChange change;
  change.kind = ChangeKind::kRowDelta;
  change.added_deletes = {{Vector(v2, v2.File("a", "x", 5), 1, 4), {}}};
  EXPECT_THAT(
      MessageOf(CommitChange(*v2.catalog, v2.id, change)),
      HasSubstr(
          "IllegalArgumentException: Must not use DVs for position deletes in V2: DV{location="));
  SmallTable v3(3);
  change.added_deletes = {{v3.PositionDeletes("d", v3.File("a", "x", 5), 1), {}}};
  EXPECT_THAT(MessageOf(CommitChange(*v3.catalog, v3.id, change)),
              HasSubstr("IllegalArgumentException: Must use DVs for position deletes in V3: "));
}

TEST(TransactionTest, FailedCommitLeavesNoFiles) {
  SmallTable t;
  Must(t.Append({t.File("a", "x", 1)}));
  const size_t before = t.CountMetadataFiles(".avro");
  SnapshotChange change;
  change.kind = ChangeKind::kRewriteFiles;
  change.removed_files = {Removed(t.File("missing", "x", 1))};
  change.added_files = {t.File("b", "x", 1)};
  EXPECT_THAT(MessageOf(CommitChange(*t.catalog, t.id, change)),
              HasSubstr("ValidationException: Missing required files to delete: "));
  EXPECT_EQ(t.CountMetadataFiles(".avro"), before);
  change.added_files = {t.File("b", "x", 9)};
  change.removed_files = {Removed(t.File("a", "x", 1))};
  EXPECT_EQ(
      MessageOf(CommitChange(*t.catalog, t.id, change)),
      "IllegalArgumentException: Invalid REPLACE operation: 9 added records > 1 replaced records");
}

TEST(TransactionTest, PartlyMatchingFilterIsRefused) {
  SmallTable t;
  Must(t.Append({t.File("a", "x", 10, 0, 9), t.File("b", "x", 10, 10, 19)}));
  SnapshotChange change;
  change.kind = ChangeKind::kDeleteFiles;
  change.row_filter = expr::Expression::Predicate(expr::Op::kLt, "id", {Value(5)});
  EXPECT_THAT(
      MessageOf(CommitChange(*t.catalog, t.id, change)),
      HasSubstr(
          "ValidationException: Cannot delete file where some, but not all, rows match filter "
          "ref(name=\"id\") < 5: "));
  change.row_filter = expr::Expression::Predicate(expr::Op::kLt, "id", {Value(10)});
  Must(CommitChange(*t.catalog, t.id, change));
  EXPECT_THAT(t.LiveFiles(), ElementsAre("b"));
}

TEST(TransactionTest, ReplacePartitions) {
  SmallTable t;
  Must(t.Append({t.File("a", "x", 1), t.File("b", "y", 1)}));
  SnapshotChange change;
  change.kind = ChangeKind::kReplacePartitions;
  change.added_files = {t.File("c", "x", 1)};
  const CommitOutcome outcome = Must(CommitChange(*t.catalog, t.id, change));
  EXPECT_EQ(outcome.operation, "overwrite");
  EXPECT_EQ(outcome.summary.at("replace-partitions"), "true");
  EXPECT_THAT(t.LiveFiles(), ElementsAre("b", "c"));
  change.validation.append_only = true;
  EXPECT_EQ(
      MessageOf(CommitChange(*t.catalog, t.id, change)),
      "ValidationException: Cannot commit file that conflicts with existing partition: dep=x");
}

}  // namespace
}  // namespace iceblink::commit
