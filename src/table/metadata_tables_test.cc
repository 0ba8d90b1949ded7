#include "table/metadata_tables.h"

#include "table/test_tables.h"

namespace iceblink::table {
namespace {

using spec::DataFile;
using spec::DataFileContent;
using spec::ManifestFile;
using spec::TableMetadata;

std::string Show(const Value& v);

std::string ShowList(const ValueList& list, char open, char close) {
  std::string out(1, open);
  for (size_t i = 0; i < list.size(); i++) out += (i > 0 ? "," : "") + Show(list[i]);
  return out + close;
}

struct Shower {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(int32_t n) const { return std::to_string(n); }
  std::string operator()(int64_t n) const { return std::to_string(n); }
  std::string operator()(const std::string& s) const { return s; }
  std::string operator()(const StructValue& s) const { return ShowList(*s.fields, '{', '}'); }
  std::string operator()(const ArrayValue& a) const { return ShowList(*a.elements, '[', ']'); }
  std::string operator()(const MapValue& m) const {
    ValueList pairs;
    for (const auto& [k, value] : *m.entries) pairs.push_back(Value(Show(k) + ":" + Show(value)));
    return ShowList(pairs, '[', ']');
  }
  template <typename T>
  std::string operator()(const T&) const {
    return "?";
  }
};

// A text of a value for comparisons: structs {}, maps and lists [].
std::string Show(const Value& v) { return std::visit(Shower{}, v.storage()); }

std::vector<std::string> Names(const spec::Schema& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields()) names.push_back(field.name);
  return names;
}

// The table of a merge-on-read scenario: two data files, a third, a position delete on the first,
// then a second spec.
class MetadataTablesTest : public testing::Test {
 protected:
  MetadataTablesTest() {
    auto metadata = std::make_shared<TableMetadata>(SmallTable());
    metadata_ = metadata;
    metadata->metadata_file_location = "memory://w/t/metadata/2.json";
    metadata->metadata_log = {{500, "memory://w/t/metadata/0.json"},
                              {1000, "memory://w/t/metadata/1.json"}};
    metadata->last_updated_ms = 2500;
    DataFile second = SmallFile("c", "c", 1);
    Commit(*metadata, 1, {{SmallFile("a", "a", 2), SmallFile("b", Value(), 1)}, {}});
    DataFile deletes = SmallFile("d", "a", 1);
    deletes.content = DataFileContent::kPositionDeletes;
    deletes.value_counts.clear();
    deletes.null_value_counts.clear();
    deletes.nan_value_counts.clear();
    deletes.referenced_data_file = "memory://w/t/data/a.parquet";
    Commit(*metadata, 2, {{second}, {deletes}});
    metadata->specs.push_back(
        spec::PartitionSpec{1,
                            {{2, 1000, "dep", spec::Transform::Identity()},
                             {1, 1001, "id_bucket_2", spec::Transform::Bucket(2)}}});
    metadata->default_spec_id = 1;
  }

  struct Added {
    std::vector<DataFile> data;
    std::vector<DataFile> deletes;
  };
  void Commit(TableMetadata& metadata, int64_t id, const Added& added) {
    std::vector<ManifestFile> manifests;
    if (const spec::Snapshot* current = metadata.CurrentSnapshot())
      manifests = Must(ReadManifests(context_, *current));
    for (const auto* files : {&added.data, &added.deletes}) {
      if (files->empty()) continue;
      ManifestWriteOptions options;
      options.snapshot_id = id;
      options.content =
          files == &added.data ? spec::ManifestContent::kData : spec::ManifestContent::kDeletes;
      const std::string path =
          "memory://w/m" + std::to_string(id) + (files == &added.data ? "d" : "x") + ".avro";
      auto writer = Must(ManifestWriter::Create(files_, path, metadata.schema(), metadata.spec(),
                                                PartitionTypes(metadata).Find(0)->type, options));
      for (const DataFile& file : *files) EXPECT_TRUE(writer->AddAdded(file).has_value());
      manifests.push_back(Must(writer->Close()));
    }
    spec::Snapshot snapshot;
    snapshot.snapshot_id = id;
    if (id > 1) snapshot.parent_id = id - 1;
    snapshot.sequence_number = id;
    snapshot.timestamp_ms = 1000 * id;
    snapshot.operation = "append";
    snapshot.summary = {{"added-data-files", "2"}};
    snapshot.manifest_list = "memory://w/list" + std::to_string(id) + ".avro";
    snapshot.schema_id = 0;
    auto list = Must(ManifestListWriter::Create(
        files_, snapshot.manifest_list,
        {.snapshot_id = id, .parent_snapshot_id = {}, .sequence_number = id}));
    for (const ManifestFile& m : manifests) Must(list->Add(m));
    EXPECT_TRUE(list->Close().has_value());
    metadata.snapshots.push_back(snapshot);
    metadata.current_snapshot_id = id;
    metadata.snapshot_log.push_back({snapshot.timestamp_ms, id});
    metadata.refs["main"] = {id};
  }

  std::vector<std::string> Rows(MetadataTableKind kind, std::vector<std::string> columns = {},
                                std::optional<int64_t> snapshot = 2) {
    MetadataTableRequest request;
    request.kind = kind;
    request.metadata = metadata_;
    request.snapshot_id = snapshot;
    request.columns = columns;
    const spec::Schema schema = Must(MetadataTableSchema(kind, *metadata_));
    auto source = Must(OpenMetadataTable(context_, std::move(request)));
    std::vector<std::string> lines;
    while (true) {
      const std::vector<ValueList> rows = Must(source->Next());
      if (rows.empty()) return lines;
      for (const ValueList& row : rows) {
        EXPECT_EQ(row.size(), schema.fields().size());
        ValueList shown;
        for (size_t i = 0; i < row.size(); i++) {
          const std::string& name = schema.fields()[i].name;
          if (columns.empty() || std::find(columns.begin(), columns.end(), name) != columns.end())
            shown.push_back(row[i]);
        }
        lines.push_back(Show(Value::Struct(shown)));
      }
    }
  }
  using Lines = std::vector<std::string>;

  io::MemoryFileSystem files_;
  ReadContext context_{&files_, nullptr};
  spec::TableMetadataPtr metadata_;
};

TEST_F(MetadataTablesTest, NamesAndTimeTravel) {
  EXPECT_EQ(ParseMetadataTableKind("All_Data_FILES"), MetadataTableKind::kAllDataFiles);
  EXPECT_EQ(ParseMetadataTableKind("changes"), std::nullopt);
  EXPECT_EQ(MetadataTableName(MetadataTableKind::kRefs), "refs");
  EXPECT_EQ(MetadataTableTimeTravel(MetadataTableKind::kPositionDeletes), TimeTravel::kPinned);
  EXPECT_EQ(MetadataTableTimeTravel(MetadataTableKind::kHistory), TimeTravel::kIgnored);
  EXPECT_EQ(MetadataTableTimeTravel(MetadataTableKind::kAllEntries), TimeTravel::kRefused);
}

TEST_F(MetadataTablesTest, HistoryKinds) {
  EXPECT_EQ(Rows(MetadataTableKind::kSnapshots),
            (Lines{"{1000000,1,null,append,memory://w/list1.avro,[added-data-files:2]}",
                   "{2000000,2,1,append,memory://w/list2.avro,[added-data-files:2]}"}));
  EXPECT_EQ(Rows(MetadataTableKind::kHistory),
            (Lines{"{1000000,1,null,true}", "{2000000,2,1,true}"}));
  EXPECT_EQ(Rows(MetadataTableKind::kRefs), Lines{"{main,BRANCH,2,null,null,null}"});
  EXPECT_EQ(Rows(MetadataTableKind::kMetadataLogEntries),
            (Lines{"{500000,memory://w/t/metadata/0.json,null,null,null}",
                   "{1000000,memory://w/t/metadata/1.json,1,0,1}",
                   "{2500000,memory://w/t/metadata/2.json,2,0,2}"}));
}

TEST_F(MetadataTablesTest, FilesShowTheUnionOfSpecs) {
  EXPECT_EQ(
      Rows(MetadataTableKind::kFiles, {"content", "spec_id", "partition", "record_count"}),
      (Lines{"{0,0,{a,null},2}", "{0,0,{null,null},1}", "{0,0,{c,null},1}", "{1,0,{a,null},1}"}));
  EXPECT_EQ(Rows(MetadataTableKind::kDeleteFiles,
                 {"value_counts", "column_sizes", "referenced_data_file"}),
            Lines{"{[1:10,2:20,3:30],null,memory://w/t/data/a.parquet}"});
  EXPECT_EQ(Rows(MetadataTableKind::kDataFiles, {"record_count"}, 1), (Lines{"{2}", "{1}"}));
  EXPECT_EQ(Rows(MetadataTableKind::kFiles, {"record_count"}, std::nullopt), Lines{});
  EXPECT_EQ(Rows(MetadataTableKind::kAllFiles, {"record_count"}).size(),
            4u);  // a manifest in two lists counts once
  EXPECT_EQ(Rows(MetadataTableKind::kDataFiles, {"lower_bounds"}, 1), (Lines{"{[]}", "{[]}"}));
}

TEST_F(MetadataTablesTest, ReadableMetrics) {
  const spec::Schema schema = Must(MetadataTableSchema(MetadataTableKind::kFiles, *metadata_));
  const spec::NestedField& metrics = schema.fields().back();
  EXPECT_EQ(metrics.id, schema.HighestFieldId());
  EXPECT_EQ(metrics.type.AsStruct().fields[0].name, "dep");  // sorted by name
  EXPECT_EQ(metrics.type.AsStruct().fields[1].type.AsStruct().fields[4].type, spec::Type::Int());
  EXPECT_EQ(Rows(MetadataTableKind::kDataFiles, {"readable_metrics"}, 1)[0],
            "{{{20,2,0,null,null,null},{10,2,0,null,null,null},{30,2,0,0,null,null}}}");
}

TEST_F(MetadataTablesTest, Entries) {
  EXPECT_EQ(Rows(MetadataTableKind::kEntries,
                 {"status", "snapshot_id", "sequence_number", "file_sequence_number"}),
            (Lines{"{1,1,1,1}", "{1,1,1,1}", "{1,2,2,2}", "{1,2,2,2}"}));
  EXPECT_EQ(Rows(MetadataTableKind::kAllEntries, {"status"}).size(), 4u);
}

TEST_F(MetadataTablesTest, Manifests) {
  const Lines rows =
      Rows(MetadataTableKind::kManifests, {"content", "path", "added_data_files_count",
                                           "added_delete_files_count", "partition_summaries"});
  EXPECT_EQ(rows, (Lines{"{0,memory://w/m1d.avro,2,0,[{true,false,a,a}]}",
                         "{0,memory://w/m2d.avro,1,0,[{false,false,c,c}]}",
                         "{1,memory://w/m2x.avro,0,1,[{false,false,a,a}]}"}));
  EXPECT_EQ(Rows(MetadataTableKind::kAllManifests, {"path", "reference_snapshot_id"}),
            (Lines{"{memory://w/m1d.avro,1}", "{memory://w/m1d.avro,2}", "{memory://w/m2d.avro,2}",
                   "{memory://w/m2x.avro,2}"}));
}

TEST_F(MetadataTablesTest, Partitions) {
  EXPECT_EQ(
      Rows(MetadataTableKind::kPartitions),
      (Lines{"{{a,null},0,2,1,200,1,1,0,0,2000000,2}", "{{null,null},0,1,1,100,0,0,0,0,1000000,1}",
             "{{c,null},0,1,1,100,0,0,0,0,2000000,2}"}));
}

TEST_F(MetadataTablesTest, UnpartitionedTablesLackPartitionColumns) {
  TableMetadata metadata = SmallTable();
  metadata.specs = {spec::PartitionSpec{}};
  EXPECT_EQ(Names(Must(MetadataTableSchema(MetadataTableKind::kPartitions, metadata)))[0],
            "record_count");
  const spec::Schema files = Must(MetadataTableSchema(MetadataTableKind::kFiles, metadata));
  EXPECT_EQ(files.FindField("partition"), nullptr);
  EXPECT_EQ(files.fields().size(), 21u);
  EXPECT_EQ(Names(Must(MetadataTableSchema(MetadataTableKind::kPositionDeletes, metadata))),
            (std::vector<std::string>{"file_path", "pos", "row", "spec_id", "delete_file_path"}));
}

TEST_F(MetadataTablesTest, PositionDeletesComeFromTheCaller) {
  MetadataTableRequest request;
  request.kind = MetadataTableKind::kPositionDeletes;
  request.metadata = metadata_;
  request.snapshot_id = 2;
  EXPECT_EQ(Must(OpenMetadataTable(context_, request))->Next().error().code,
            ErrorCode::kUnsupported);
  request.read_position_deletes = [](const DataFile& file, const PositionVisitor& visit) {
    return visit(*file.referenced_data_file, 3, Value());
  };
  const auto rows = Must(Must(OpenMetadataTable(context_, request))->Next());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(Show(Value::Struct(rows[0])),
            "{memory://w/t/data/a.parquet,3,null,{a,null},0,memory://w/t/data/d.parquet}");
}

}  // namespace
}  // namespace iceblink::table
