#include "spec/updates.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "spec/json.h"

namespace iceblink::spec {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;

// id int, data string, ts timestamp; provisional ids that a new table must renumber.
NewTable BaseTable() {
  NewTable table;
  table.schema = Schema({NestedField::Required(10, "id", Type::Int()),
                         NestedField::Optional(20, "data", Type::String()),
                         NestedField::Optional(30, "ts", Type::Timestamp())});
  table.spec = PartitionSpec{0, {{30, 1, "ts_day", Transform::Day()}}};
  table.location = "/wh/t";
  table.uuid = "u-1";
  return table;
}

TableMetadata Base() { return NewTableMetadata(BaseTable(), kNow).value(); }

Snapshot SnapshotOf(int64_t id, int64_t sequence, std::optional<int64_t> parent = {}) {
  Snapshot snapshot;
  snapshot.snapshot_id = id;
  snapshot.sequence_number = sequence;
  snapshot.parent_id = parent;
  snapshot.timestamp_ms = kNow + sequence;
  snapshot.operation = operation::kAppend;
  snapshot.manifest_list = "/wh/t/m.avro";
  return snapshot;
}

TableMetadata Apply(const TableMetadata& base, std::vector<TableUpdate> updates,
                    int64_t now = kNow + 100) {
  auto out = ApplyUpdates(base, updates, now);
  EXPECT_TRUE(out) << out.error().message;
  return out ? *out : base;
}

std::string Refusal(const TableMetadata& base, std::vector<TableUpdate> updates) {
  auto out = ApplyUpdates(base, updates, kNow);
  return out ? "" : out.error().message;
}

TEST(NewTable, RenumbersAndStoresDefaults) {
  NewTable table = BaseTable();
  table.properties = {{"format-version", "3"}, {"owner", "o"}};
  auto metadata = NewTableMetadata(table, kNow);
  ASSERT_TRUE(metadata) << metadata.error().message;
  EXPECT_EQ(metadata->format_version, 3);
  EXPECT_EQ(metadata->last_column_id, 3);
  EXPECT_EQ(metadata->spec().fields[0].ToString(), "1000: ts_day: day(3)");
  EXPECT_EQ(metadata->last_partition_id, 1000);
  EXPECT_EQ(metadata->default_sort_order_id, 0);
  EXPECT_EQ(metadata->properties,
            (std::map<std::string, std::string>{{"owner", "o"},
                                                {"write.parquet.compression-codec", "zstd"}}));
}

TEST(NewTable, RefusesTypesOfLaterVersions) {
  NewTable table = BaseTable();
  table.schema = Schema({NestedField::Optional(1, "v", Type::Variant())});
  table.spec = {};
  EXPECT_EQ(NewTableMetadata(table, kNow).error().message,
            "Invalid schema for v2:\n- Invalid type for v: variant is not supported until v3");
}

TEST(ReplaceTable, KeepsIdsByNameAndHistory) {
  TableMetadata base = Apply(Base(), {update::AddSnapshot{SnapshotOf(1, 1)},
                                      update::SetSnapshotRef{"main", SnapshotRef{1}}});
  NewTable table;
  table.schema = Schema({NestedField::Optional(1, "ts", Type::TimestampTz()),
                         NestedField::Optional(2, "x", Type::Int())});
  table.spec =
      PartitionSpec{0, {{2, 1, "x", Transform::Identity()}, {1, 2, "ts_day", Transform::Day()}}};
  auto replaced = ReplaceTableMetadata(base, table, kNow + 5);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->schema().FindField("ts")->id, 3);
  EXPECT_EQ(replaced->schema().FindField("x")->id, 4);
  EXPECT_EQ(replaced->spec().fields[0].field_id, 1001);
  EXPECT_EQ(replaced->spec().fields[1].field_id, 1000);
  EXPECT_FALSE(replaced->current_snapshot_id);
  EXPECT_EQ(replaced->snapshots.size(), 1u);
  EXPECT_EQ(replaced->location, "/wh/t");
  auto updates = UpdatesForReplace(base, *replaced);
  auto again = ApplyUpdates(base, updates, kNow + 5);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *replaced);
}

TEST(Updates, DiffTakesAwayWhatIsGone) {
  TableMetadata base = *NewTableMetadata({.schema = Schema({NestedField{
                                              .id = 1, .name = "a", .type = Type::Int()}}),
                                          .location = "/w/t",
                                          .uuid = "u"},
                                         kNow);
  const TableMetadata lean = base;
  base.schemas.push_back(Schema({NestedField{.id = 1, .name = "b", .type = Type::Int()}}, 7));
  PartitionSpec spec = base.spec();
  spec.spec_id = 9;
  base.specs.push_back(spec);
  const auto updates = UpdatesForReplace(base, lean);
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_EQ(std::get<update::RemovePartitionSpecs>(updates[0]).spec_ids, std::vector<int32_t>{9});
  EXPECT_EQ(std::get<update::RemoveSchemas>(updates[1]).schema_ids, std::vector<int32_t>{7});
}

TEST(ApplyUpdates, ReusesEqualSchemasSpecsAndOrders) {
  TableMetadata base = Base();
  PartitionSpec same{7, {{3, 1000, "ts_day", Transform::Day()}}};
  TableMetadata out =
      Apply(base, {update::AddSchema{base.schema().WithId(9), {}}, update::SetCurrentSchema{},
                   update::AddSpec{same}, update::SetDefaultSpec{},
                   update::AddSortOrder{SortOrder{5, {{Transform::Identity(), 1}}}},
                   update::SetDefaultSortOrder{}});
  EXPECT_EQ(out.schemas.size(), 1u);
  EXPECT_EQ(out.specs.size(), 1u);
  EXPECT_EQ(out.default_sort_order_id, 1);
}

TEST(ApplyUpdates, KeepsOnlyTheLastHeadInTheSnapshotLog) {
  TableMetadata out = Apply(
      Base(),
      {update::AddSnapshot{SnapshotOf(1, 1)}, update::SetSnapshotRef{"main", SnapshotRef{1}},
       update::AddSnapshot{SnapshotOf(2, 2, 1)}, update::SetSnapshotRef{"main", SnapshotRef{2}}});
  ASSERT_EQ(out.snapshot_log.size(), 1u);
  EXPECT_EQ(out.snapshot_log[0], (SnapshotLogEntry{kNow + 2, 2}));
  EXPECT_EQ(out.last_sequence_number, 2);
  EXPECT_EQ(out.last_updated_ms, kNow + 2);
  TableMetadata back = Apply(out, {update::SetSnapshotRef{"main", SnapshotRef{1}}}, kNow + 50);
  EXPECT_EQ(back.snapshot_log.back(), (SnapshotLogEntry{kNow + 50, 1}));
  TableMetadata expired = Apply(back, {update::RemoveSnapshots{{2}}});
  EXPECT_EQ(expired.snapshot_log.size(), 1u);
}

TEST(ApplyUpdates, AppendsThePreviousFileWithinItsLimit) {
  TableMetadata base = Base();
  base.metadata_file_location = "/wh/t/0.json";
  base.metadata_log = {{kNow - 2, "a"}, {kNow - 1, "b"}};
  base.properties["write.metadata.previous-versions-max"] = "2";
  TableMetadata out = Apply(base, {update::SetLocation{"/x"}});
  EXPECT_EQ(out.metadata_log,
            (std::vector<MetadataLogEntry>{{kNow - 1, "b"}, {kNow, "/wh/t/0.json"}}));
  EXPECT_EQ(Apply(base, {update::SetLocation{base.location}}), base);
}

TEST(ApplyUpdates, CountsRowIds) {
  TableMetadata base = Apply(Base(), {update::UpgradeFormatVersion{3}});
  Snapshot snapshot = SnapshotOf(1, 1);
  EXPECT_EQ(Refusal(base, {update::AddSnapshot{snapshot}}),
            "Cannot add a snapshot: first-row-id is null");
  snapshot.first_row_id = 0;
  snapshot.added_rows = 25;
  TableMetadata out = Apply(base, {update::AddSnapshot{snapshot}});
  EXPECT_EQ(out.next_row_id, 25);
  snapshot.snapshot_id = 2;
  snapshot.sequence_number = 2;
  EXPECT_EQ(Refusal(out, {update::AddSnapshot{snapshot}}),
            "Cannot add a snapshot, first-row-id is behind table next-row-id: 0 < 25");
}

TEST(ApplyUpdates, RefusesWhatJavaRefuses) {
  TableMetadata base = Apply(Base(), {update::AddSnapshot{SnapshotOf(1, 1)}});
  EXPECT_EQ(Refusal(base, {update::AddSnapshot{SnapshotOf(1, 2)}}),
            "Snapshot already exists for id: 1");
  EXPECT_EQ(Refusal(base, {update::AddSnapshot{SnapshotOf(2, 1, 1)}}),
            "Cannot add snapshot with sequence number 1 older than last sequence number 1");
  EXPECT_EQ(Refusal(base, {update::SetSnapshotRef{"b", SnapshotRef{9}}}),
            "Cannot set b to unknown snapshot: 9");
  EXPECT_EQ(Refusal(base, {update::UpgradeFormatVersion{1}}), "Cannot downgrade v2 table to v1");
  EXPECT_EQ(Refusal(base, {update::SetCurrentSchema{}}),
            "Cannot set last added schema: no schema has been added");
  Schema without_ts({NestedField::Required(1, "id", Type::Int())});
  EXPECT_EQ(Refusal(base, {update::AddSchema{without_ts, {}}, update::SetCurrentSchema{}}),
            "Cannot find source column for partition field: 1000: ts_day: day(3)");
}

TEST(Requirements, AreDerivedAndChecked) {
  TableMetadata base = Apply(Base(), {update::AddSnapshot{SnapshotOf(1, 1)},
                                      update::SetSnapshotRef{"main", SnapshotRef{1}}});
  std::vector<TableUpdate> updates = {update::AddSchema{base.schema(), {}},
                                      update::SetCurrentSchema{},
                                      update::SetSnapshotRef{"main", SnapshotRef{2}}};
  auto requirements = RequirementsForUpdate(base, updates);
  ASSERT_EQ(requirements.size(), 4u);
  EXPECT_TRUE(CheckRequirements(&base, requirements));
  TableMetadata moved = Apply(base, {update::AddSnapshot{SnapshotOf(5, 2, 1)},
                                     update::SetSnapshotRef{"main", SnapshotRef{5}}});
  Status status = CheckRequirements(&moved, requirements);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "Requirement failed: branch main has changed: expected id 1 != 5");
  EXPECT_TRUE(status.error().retryable);
  EXPECT_EQ(CheckRequirements(&base, RequirementsForCreate({})).error().message,
            "Requirement failed: table already exists");
}

TEST(UpdatesJson, GoesBothWays) {
  TableMetadata metadata =
      Apply(Base(), {update::AddSnapshot{SnapshotOf(1, 1)},
                     update::SetSnapshotRef{"main", SnapshotRef{1, RefType::kBranch, 3, 4, 5}}});
  std::vector<TableUpdate> updates = UpdatesForCreate(metadata);
  updates.insert(
      updates.end(),
      {update::RemoveSnapshots{{1, 2}}, update::RemoveSnapshotRef{"b"},
       update::RemoveProperties{{"a"}}, update::SetStatistics{StatisticsFile{1, "p", 2, 3, {}, {}}},
       update::RemoveSchemas{{3}}, update::AddEncryptionKey{EncryptedKey{"k", "e", "m", {}}}});
  for (const TableUpdate& update : updates) {
    Json json = ToJson(update);
    auto back = TableUpdateFromJson(json);
    ASSERT_TRUE(back) << DumpJson(json) << back.error().message;
    EXPECT_EQ(DumpJson(ToJson(*back)), DumpJson(json));
  }
  std::vector<TableUpdate> create(updates.begin(), updates.end() - 6);
  auto created = ApplyCreateUpdates(create, metadata.last_updated_ms);
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_EQ(*created, metadata);
  for (const TableRequirement& requirement : RequirementsForUpdate(metadata, updates)) {
    auto back = TableRequirementFromJson(ToJson(requirement));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(DumpJson(ToJson(*back)), DumpJson(ToJson(requirement)));
  }
}

}  // namespace
}  // namespace iceblink::spec
