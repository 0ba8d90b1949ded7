#include "spec/table_metadata.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "spec/json.h"

namespace iceblink::spec {
namespace {

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(TableMetadata, ReadsFilesOfOtherWriters) {
  const char* root = std::getenv("ICEBLINK_FOREIGN_TABLES");
  if (root == nullptr) GTEST_SKIP() << "ICEBLINK_FOREIGN_TABLES is unset";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    std::string name = entry.path().filename();
    if (!name.ends_with(".metadata.json") || name.ends_with(".gz.metadata.json")) continue;
    auto metadata = ParseTableMetadata(ReadText(entry.path()), entry.path());
    ASSERT_TRUE(metadata) << entry.path() << ": " << metadata.error().message;
    auto again = ParseTableMetadata(SerializeTableMetadata(*metadata), entry.path());
    ASSERT_TRUE(again) << entry.path() << ": " << again.error().message;
    EXPECT_EQ(*metadata, *again) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 20);
}

constexpr std::string_view kV3 =
    R"({"format-version":3,"table-uuid":"f79c3e09-677c-4bbd-a479-3f349cb785e7","location":"s3://b/t",)"
    R"("last-sequence-number":1,"last-updated-ms":1700000000000,"last-column-id":3,"current-schema-id":0,)"
    R"("schemas":[{"type":"struct","schema-id":0,"identifier-field-ids":[1],"fields":[)"
    R"({"id":1,"name":"id","required":true,"type":"long","doc":"key"},)"
    R"J({"id":2,"name":"tags","required":false,"type":{"type":"list","element-id":3,"element":"decimal(9, 2)",)J"
    R"("element-required":false}},{"id":4,"name":"d","required":false,"type":"date","initial-default":"2020-01-02"}]}],)"
    R"("default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[{"name":"id_bucket","transform":"bucket[16]",)"
    R"("source-id":1,"field-id":1000}]}],"last-partition-id":1000,"default-sort-order-id":1,"sort-orders":[{"order-id":1,)"
    R"("fields":[{"transform":"identity","source-id":1,"direction":"desc","null-order":"nulls-last"}]}],)"
    R"("properties":{"a":"b"},"current-snapshot-id":7,"next-row-id":5,"refs":{"main":{"snapshot-id":7,"type":"branch"}},)"
    R"("snapshots":[{"sequence-number":1,"snapshot-id":7,"timestamp-ms":1700000000000,"summary":{"operation":"append",)"
    R"("added-records":"5"},"manifest-list":"s3://b/t/l.avro","schema-id":0,"first-row-id":0,"added-rows":5}],)"
    R"("statistics":[],"partition-statistics":[],"snapshot-log":[{"timestamp-ms":1700000000000,"snapshot-id":7}],)"
    R"("metadata-log":[],"x-vendor":{"k":[1,2]}})";

TEST(TableMetadata, WritesMembersInJavaOrderAndKeepsUnknownOnes) {
  auto metadata = ParseTableMetadata(kV3);
  ASSERT_TRUE(metadata) << metadata.error().message;
  EXPECT_EQ(SerializeTableMetadata(*metadata), kV3);
  EXPECT_EQ(metadata->CurrentSnapshot()->operation, operation::kAppend);
  EXPECT_EQ(metadata->schema().FindField("tags.element")->id, 3);
  EXPECT_EQ(*metadata->schema().FindField("D", false)->initial_default, Value(int32_t{18263}));
}

TEST(TableMetadata, ReadsVersion1WithOneSchemaOnly) {
  auto metadata = ParseTableMetadata(
      R"({"format-version":1,"location":"/t","last-updated-ms":1,"last-column-id":1,"schema":{"type":"struct",
          "fields":[{"id":1,"name":"c","required":false,"type":"timestamp"}]},
          "partition-spec":[{"name":"c_day","transform":"day","source-id":1}],"current-snapshot-id":-1})");
  ASSERT_TRUE(metadata) << metadata.error().message;
  EXPECT_EQ(metadata->spec().fields[0].field_id, 1000);
  EXPECT_EQ(metadata->last_partition_id, 1000);
  EXPECT_FALSE(metadata->current_snapshot_id);
  EXPECT_TRUE(metadata->sort_order().is_unsorted());
}

TEST(TableMetadata, RefusesWhatJavaRefuses) {
  auto message = [](std::string_view from, std::string_view to) {
    std::string text(kV3);
    text.replace(text.find(from), from.size(), to);
    auto metadata = ParseTableMetadata(text);
    return metadata ? std::string("parsed") : metadata.error().message;
  };
  EXPECT_EQ(message(R"("format-version":3)", R"("format-version":9)"),
            "Cannot read unsupported version 9");
  EXPECT_EQ(message(R"("schemas")", R"("s")"), "schemas must exist in format v3");
  EXPECT_EQ(message(R"("current-snapshot-id":7)", R"("current-snapshot-id":8)"),
            "Invalid table metadata: Cannot find current version");
  EXPECT_EQ(
      message(R"("last-updated-ms":1700000000000)", R"("last-updated-ms":1600000000000)"),
      "Invalid update timestamp 1600000000000: before last snapshot log entry at 1700000000000");
  EXPECT_EQ(message(R"("next-row-id":5,)", ""), "Cannot parse missing long: next-row-id");
}

}  // namespace
}  // namespace iceblink::spec
