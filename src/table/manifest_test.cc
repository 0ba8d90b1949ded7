#include "io/avro.h"
#include "table/manifest_schema.h"
#include "table/test_tables.h"

namespace iceblink::table {
namespace {

using spec::DataFile;
using spec::EntryStatus;
using spec::ManifestContent;
using spec::ManifestEntry;
using spec::ManifestFile;
using spec::NestedField;
using spec::Type;

struct Written {
  ManifestFile row;
  std::vector<ManifestEntry> entries;
};

ManifestWriteOptions V(int32_t version, ManifestContent content = ManifestContent::kData) {
  ManifestWriteOptions options;
  options.format_version = version;
  options.content = content;
  options.snapshot_id = 7;
  return options;
}

class ManifestTest : public testing::Test {
 protected:
  std::unique_ptr<ManifestWriter> Writer(const spec::TableMetadata& metadata,
                                         ManifestWriteOptions options) {
    return Must(ManifestWriter::Create(files_, "memory://w/m.avro", metadata.schema(),
                                       metadata.spec(), PartitionTypes(metadata).Find(0)->type,
                                       std::move(options)));
  }
  io::MemoryFileSystem files_;
  ReadContext context_{&files_, nullptr};
};

TEST_F(ManifestTest, KeepsEveryFieldOfAFile) {
  const spec::TableMetadata metadata = SmallTable(3);
  DataFile data = SmallFile("a", "x");
  data.lower_bounds.Set(1, Bytes{std::string("\1\0\0\0", 4)});
  data.upper_bounds.Set(2, Bytes{"zzz"});
  data.key_metadata = Bytes{"key"};
  data.first_row_id = 100;
  DataFile vector = SmallFile("v", Value());
  vector.content = spec::DataFileContent::kPositionDeletes;
  vector.format = spec::FileFormat::kPuffin;
  vector.referenced_data_file = data.file_path;
  vector.content_offset = 4;
  vector.content_size_in_bytes = 40;
  DataFile equality = SmallFile("e", "x");
  equality.content = spec::DataFileContent::kEqualityDeletes;
  equality.equality_ids = {1, 2};

  auto writer = Writer(metadata, V(3));
  ASSERT_OK(writer->AddExisting(data, 5, 3, 3));
  ASSERT_OK(writer->Add({EntryStatus::kExisting, 5, 3, 2, vector}));
  ASSERT_OK(writer->AddDeleted(equality, 2, 2));
  ManifestFile row = Must(writer->Close());
  row.sequence_number = 9;
  row.first_row_id = 1000;
  const auto entries = Must(ReadManifest(context_, row, PartitionTypes(metadata)));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0], (ManifestEntry{EntryStatus::kExisting, 5, 3, 3, data}));
  vector.first_row_id = 1000;  // a data manifest gives every live entry without one an id
  EXPECT_EQ(entries[1], (ManifestEntry{EntryStatus::kExisting, 5, 3, 2, vector}));
  EXPECT_EQ(entries[2], (ManifestEntry{EntryStatus::kDeleted, 7, 2, 2, equality}));
}

TEST_F(ManifestTest, CountsAndSummarizes) {
  const spec::TableMetadata metadata = SmallTable();
  auto writer = Writer(metadata, V(2));
  ASSERT_OK(writer->AddAdded(SmallFile("a", "m", 1)));
  ASSERT_OK(writer->AddAdded(SmallFile("b", "c", 2), 4));
  ASSERT_OK(writer->AddExisting(SmallFile("c", Value(), 3), 5, 3, 3));
  ASSERT_OK(writer->AddDeleted(SmallFile("d", "z", 4), 1, 1));
  const ManifestFile row = Must(writer->Close());
  EXPECT_EQ(row.added_files_count, 2);
  EXPECT_EQ(row.existing_files_count, 1);
  EXPECT_EQ(row.deleted_files_count, 1);
  EXPECT_EQ(row.added_rows_count, 3);
  EXPECT_EQ(row.existing_rows_count, 3);
  EXPECT_EQ(row.deleted_rows_count, 4);
  EXPECT_EQ(row.sequence_number, ManifestFile::kUnassignedSequence);
  EXPECT_EQ(row.min_sequence_number, 3);  // deleted entries do not count
  EXPECT_EQ(row.length, static_cast<int64_t>(Must(files_.ReadAll(row.path)).size()));
  ASSERT_EQ(row.partitions->size(), 1u);
  EXPECT_EQ((*row.partitions)[0], (spec::FieldSummary{true, false, Bytes{"c"}, Bytes{"z"}}));
}

TEST_F(ManifestTest, AddedEntriesInheritFromTheList) {
  const spec::TableMetadata metadata = SmallTable(3);
  ManifestWriteOptions options = V(3);
  options.snapshot_id.reset();
  auto writer = Writer(metadata, options);
  DataFile file = SmallFile("a", "m", 5);
  file.first_row_id = 77;  // of another table; must not be kept
  ASSERT_OK(writer->AddAdded(file));
  ASSERT_OK(writer->AddAdded(file, 2));
  ManifestFile row = Must(writer->Close());
  row.added_snapshot_id = 42;
  row.sequence_number = 6;
  row.first_row_id = 30;
  auto entries = Must(ReadManifest(context_, row, PartitionTypes(metadata)));
  EXPECT_EQ(entries[0].snapshot_id, 42);
  EXPECT_EQ(entries[0].sequence_number, 6);
  EXPECT_EQ(entries[0].file_sequence_number, 6);
  EXPECT_EQ(entries[0].data_file.first_row_id, 30);
  EXPECT_EQ(entries[1].sequence_number, 2);  // a rewrite keeps its sources' number
  EXPECT_EQ(entries[1].file_sequence_number, 6);
  EXPECT_EQ(entries[1].data_file.first_row_id, 35);
  row.first_row_id.reset();
  entries = Must(ReadManifest(context_, row, PartitionTypes(metadata)));
  EXPECT_EQ(entries[1].data_file.first_row_id, std::nullopt);
}

TEST_F(ManifestTest, VersionOneHasNoSequenceNumbers) {
  const spec::TableMetadata metadata = SmallTable(1);
  auto writer = Writer(metadata, V(1));
  ASSERT_OK(writer->AddAdded(SmallFile("a", "m")));
  ASSERT_OK(
      writer->Add({EntryStatus::kExisting, 5, std::nullopt, std::nullopt, SmallFile("b", "m")}));
  ManifestFile row = Must(writer->Close());
  row.sequence_number = 0;
  const auto entries = Must(ReadManifest(context_, row, PartitionTypes(metadata)));
  EXPECT_EQ(entries[0].sequence_number, 0);
  EXPECT_EQ(entries[1].sequence_number, 0);
  EXPECT_EQ(entries[1].snapshot_id, 5);
  const auto deletes = ManifestWriter::Create(files_, "memory://w/d.avro", metadata.schema(),
                                              metadata.spec(), {}, V(1, ManifestContent::kDeletes));
  EXPECT_EQ(deletes.error().message, "Cannot write delete files in a v1 table");
}

TEST_F(ManifestTest, SelectsMetricsAndLiveEntries) {
  const spec::TableMetadata metadata = SmallTable();
  auto writer = Writer(metadata, V(2));
  DataFile file = SmallFile("a", "m");
  SetBounds(file, 1, "1111", "2222");
  SetBounds(file, 2, "a", "b");
  ASSERT_OK(writer->AddDeleted(file, 1, 1));
  ASSERT_OK(writer->AddAdded(file));
  ManifestFile row = Must(writer->Close());
  row.sequence_number = 1;
  ManifestReadOptions options;
  options.stats = StatsSelection::Of({2});
  options.live_only = true;
  options.split_offsets = false;
  const auto entries = Must(ReadManifest(context_, row, PartitionTypes(metadata), options));
  ASSERT_EQ(entries.size(), 1u);
  const DataFile& read = entries[0].data_file;
  EXPECT_EQ(read.value_counts.size(), 1u);
  EXPECT_EQ(read.lower_bounds.Find(1), nullptr);
  EXPECT_EQ(*read.lower_bounds.Find(2), Bytes{"a"});
  EXPECT_TRUE(read.split_offsets.empty());
}

TEST_F(ManifestTest, PartitionValuesOfEveryType) {
  spec::TableMetadata metadata = SmallTable();
  const std::vector<std::pair<Type, Value>> values = {
      {Type::Boolean(), true},
      {Type::Int(), -5},
      {Type::Long(), int64_t{1} << 40},
      {Type::Float(), 1.5f},
      {Type::Double(), -2.5},
      {Type::Decimal(9, 2), Decimal{-12345, 2}},
      {Type::Decimal(9, 2), Decimal{7, 2}},  // the same named type twice
      {Type::Decimal(38, 10), Decimal{static_cast<Int128>(1) << 100, 10}},
      {Type::Date(), 19000},
      {Type::Time(), int64_t{1}},
      {Type::Timestamp(), int64_t{-1}},
      {Type::TimestampTz(), int64_t{2}},
      {Type::TimestampNs(), int64_t{3}},
      {Type::String(), "naïve"},
      {Type::Uuid(), Bytes{std::string(16, 'u')}},
      {Type::Fixed(3), Bytes{"abc"}},
      {Type::Binary(), Bytes{std::string("\0\xff", 2)}},
  };
  std::vector<NestedField> columns;
  DataFile file = SmallFile("a", Value());
  file.partition.clear();
  metadata.specs[0].fields.clear();
  for (size_t i = 0; i < values.size(); i++) {
    const int32_t id = static_cast<int32_t>(i) + 1;
    columns.push_back(NestedField::Optional(id, "c." + std::to_string(id), values[i].first));
    metadata.specs[0].fields.push_back(
        {id, 1000 + id, "c." + std::to_string(id), spec::Transform::Identity()});
    file.partition.push_back(values[i].second);
  }
  metadata.schemas = {spec::Schema(columns)};
  auto writer = Writer(metadata, V(2));
  ASSERT_OK(writer->AddAdded(file));
  const DataFile all = file;
  for (Value& value : file.partition) value = Value();
  ASSERT_OK(writer->AddAdded(file));
  ManifestFile row = Must(writer->Close());
  row.sequence_number = 1;
  const auto entries = Must(ReadManifest(context_, row, PartitionTypes(metadata)));
  EXPECT_EQ(entries[0].data_file.partition, all.partition);
  EXPECT_EQ(entries[1].data_file.partition, file.partition);
  const ManifestHeader header = Must(ReadManifestHeader(context_, row.path));
  EXPECT_EQ(header.spec, metadata.spec());
  EXPECT_EQ(header.file.added_snapshot_id, 7);
}

TEST_F(ManifestTest, DamagedFilesAreCorruptNotFatal) {
  const spec::TableMetadata metadata = SmallTable();
  ManifestWriteOptions plain = V(2);
  plain.codec = "null";
  auto writer = Writer(metadata, plain);
  for (int i = 0; i < 20; i++) ASSERT_OK(writer->AddAdded(SmallFile("f" + std::to_string(i), "m")));
  const ManifestFile row = Must(writer->Close());
  const std::string good = Must(files_.ReadAll(row.path));
  const PartitionTypes types(metadata);
  int failures = 0;
  for (size_t at = 0; at < good.size(); at += 17) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x5a);
    ASSERT_OK(files_.WriteAll(row.path, bad, io::WriteMode::kReplace));
    const auto read = ReadManifest(context_, row, types);
    if (!read) failures++;
  }
  EXPECT_GT(failures, 0);
  ASSERT_OK(files_.WriteAll(row.path, good.substr(0, good.size() - 1), io::WriteMode::kReplace));
  EXPECT_EQ(ReadManifest(context_, row, types).error().code, ErrorCode::kCorrupt);
}

TEST_F(ManifestTest, CacheServesTheSecondRead) {
  const spec::TableMetadata metadata = SmallTable();
  auto writer = Writer(metadata, V(2));
  ASSERT_OK(writer->AddAdded(SmallFile("a", "m")));
  ManifestFile row = Must(writer->Close());
  row.sequence_number = 1;
  ManifestCache cache;
  const ReadContext cached{&files_, &cache};
  const auto first = Must(ReadManifest(cached, row, PartitionTypes(metadata)));
  EXPECT_GT(cache.bytes(), 0u);
  ASSERT_OK(files_.Delete(row.path));
  EXPECT_EQ(Must(ReadManifest(cached, row, PartitionTypes(metadata))), first);
  cache.Erase(row.path);
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_EQ(ReadManifest(cached, row, PartitionTypes(metadata)).error().code, ErrorCode::kNotFound);
}

TEST_F(ManifestTest, ListAssignsSequenceNumbersAndRowIds) {
  ManifestListOptions options;
  options.format_version = 3;
  options.snapshot_id = 7;
  options.sequence_number = 12;
  options.first_row_id = 500;
  auto writer = Must(ManifestListWriter::Create(files_, "memory://w/list.avro", options));
  ManifestFile fresh{.path = "a",
                     .length = 1,
                     .sequence_number = -1,
                     .min_sequence_number = -1,
                     .added_snapshot_id = 7,
                     .added_files_count = 1,
                     .existing_files_count = 1,
                     .deleted_files_count = 0,
                     .added_rows_count = 10,
                     .existing_rows_count = 5,
                     .deleted_rows_count = 0};
  fresh.partitions =
      std::vector<spec::FieldSummary>{{true, std::nullopt, Bytes{"a"}, std::nullopt}};
  ManifestFile old = fresh;
  old.path = "b";
  old.added_snapshot_id = 3;
  old.sequence_number = 4;
  old.min_sequence_number = 2;
  old.first_row_id = 20;
  old.key_metadata = Bytes{"k"};
  ManifestFile deletes = fresh;
  deletes.content = ManifestContent::kDeletes;
  std::vector<ManifestFile> rows;
  for (const ManifestFile& m : {fresh, old, deletes, fresh}) rows.push_back(Must(writer->Add(m)));
  EXPECT_EQ(Must(writer->Close()), 530);
  EXPECT_EQ(rows[0].sequence_number, 12);
  EXPECT_EQ(rows[0].first_row_id, 500);
  EXPECT_EQ(rows[1], old);
  EXPECT_EQ(rows[2].first_row_id, std::nullopt);
  EXPECT_EQ(rows[3].first_row_id, 515);
  spec::Snapshot snapshot;
  snapshot.manifest_list = "memory://w/list.avro";
  EXPECT_EQ(Must(ReadManifests(context_, snapshot)), rows);

  auto again = Must(ManifestListWriter::Create(files_, "memory://w/list2.avro", options));
  fresh.added_snapshot_id = 1;
  EXPECT_EQ(again->Add(fresh).error().message,
            "Found unassigned sequence number for a manifest from snapshot: 1");
}

TEST(ManifestSchemaTest, AvroNames) {
  EXPECT_EQ(AvroFieldName("a_b1"), "a_b1");
  EXPECT_EQ(AvroFieldName("p.c"), "p_x2Ec");
  EXPECT_EQ(AvroFieldName("9x y"), "_9x_x20y");
}

// The schema texts of files that Iceberg's Java library wrote.
TEST(ManifestSchemaTest, TextsEqualJavas) {
  if (ForeignTables() == nullptr) GTEST_SKIP() << "ICEBLINK_FOREIGN_TABLES is not set";
  const std::string base =
      std::string(ForeignTables()) + "/duckdb__duckdb-iceberg/data/persistent/";
  io::LocalFileSystem files;
  const auto text = [&](const std::string& path) {
    return *Must(io::avro::Reader::Open(files, base + path)).FindMetadata("avro.schema");
  };
  EXPECT_EQ(AvroSchemaText(ManifestEntryType(2, {}), "manifest_entry"),
            text("is_null_is_not_null/metadata/163ec66f-4a86-487f-a94e-130b40217192-m0.avro"));
  EXPECT_EQ(AvroSchemaText(ManifestFileType(2), "manifest_file"),
            text("is_null_is_not_null/metadata/"
                 "snap-6009550004485738065-1-6718024b-7e1a-4ab0-9180-e98bf657d633.avro"));
  const spec::StructType partition{
      {NestedField::Optional(1000, "partition_col", Type::Decimal(16, 11))}};
  std::string expected =
      text("partition_decimal_bigint/metadata/bad4520d-32bc-4c8e-841c-5c9ccc3aab3c-m0.avro");
  std::string ours = AvroSchemaText(ManifestEntryType(2, partition), "manifest_entry");
  const size_t newer =
      ours.find(",{\"name\":\"referenced_data_file\"");  // the older writer lacks it
  ours.erase(newer, ours.find("]},\"field-id\":2}") - newer);
  EXPECT_EQ(ours, expected);
}

TEST(ForeignManifestTest, ReadsEveryTable) {
  if (ForeignTables() == nullptr) GTEST_SKIP() << "ICEBLINK_FOREIGN_TABLES is not set";
  int tables = 0;
  for (const auto& at : std::filesystem::recursive_directory_iterator(ForeignTables())) {
    if (!at.is_directory() || at.path().filename() != "metadata") continue;
    const std::string folder = at.path().parent_path().string();
    if (folder.find("bad_data") != std::string::npos) continue;
    const ForeignTable table = OpenForeign(folder);
    const PartitionTypes types(*table.metadata);
    for (const spec::Snapshot& snapshot : table.metadata->snapshots) {
      int64_t records = 0;
      for (const ManifestFile& manifest : Must(ReadManifests(table.context(), snapshot))) {
        for (const ManifestEntry& entry : Must(ReadManifest(table.context(), manifest, types))) {
          EXPECT_TRUE(entry.sequence_number.has_value());
          EXPECT_EQ(entry.data_file.partition.size(),
                    table.metadata->SpecById(manifest.spec_id)->fields.size());
          if (entry.is_live() && entry.data_file.is_data()) records += entry.data_file.record_count;
        }
      }
      auto total = snapshot.summary.find("total-records");
      if (total != snapshot.summary.end()) {
        EXPECT_EQ(std::to_string(records), total->second) << folder;
      }
    }
    tables++;
  }
  EXPECT_GE(tables, 20);
}

}  // namespace
}  // namespace iceblink::table
