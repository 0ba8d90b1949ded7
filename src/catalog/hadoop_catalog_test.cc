// What is particular to the Hadoop layout: hints that lag, lie or are missing, and folders that
// other engines wrote.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/uuid.h"
#include "catalog/catalog.h"
#include "spec/updates.h"

namespace iceblink::catalog {
namespace {

class HadoopCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    catalog_ =
        MakeCatalog("lake", {{"type", "hadoop"}, {"warehouse", "memory://w"}}, files_).value();
    spec::NewTable table;
    table.schema =
        spec::Schema({spec::NestedField{.id = 1, .name = "id", .type = spec::Type::Int()}});
    table.location = "memory://w/db/t";
    metadata_ = spec::NewTableMetadata(table, 1'700'000'000'000).value();
    table_ = catalog_->CreateTable(id_, metadata_).value();
  }
  void Commit() { table_ = catalog_->CommitTable(id_, table_, *table_.metadata).value(); }
  void SetHint(std::string_view text) {
    ASSERT_TRUE(files_.WriteAll(folder_ + "/version-hint.text", text, io::WriteMode::kReplace));
  }

  const TableIdentifier id_{{"db"}, "t"};
  const std::string folder_ = "memory://w/db/t/metadata";
  io::SchemeRouter files_;
  std::shared_ptr<Catalog> catalog_;
  spec::TableMetadata metadata_;
  LoadedTable table_;
};

TEST_F(HadoopCatalogTest, WritesVersionsAndTheirHint) {
  EXPECT_EQ(table_.metadata_location, folder_ + "/v1.metadata.json");
  Commit();
  EXPECT_EQ(table_.metadata_location, folder_ + "/v2.metadata.json");
  EXPECT_EQ(files_.ReadAll(folder_ + "/version-hint.text").value(), "2");
}

TEST_F(HadoopCatalogTest, FindsTheNewestWhateverTheHintSays) {
  for (int i = 0; i < 11; i++) Commit();
  for (const char* hint : {"12\n", "3", "99", "not a number", ""}) {
    SetHint(hint);
    EXPECT_EQ(catalog_->LoadTable(id_)->metadata_location, folder_ + "/v12.metadata.json") << hint;
  }
  ASSERT_TRUE(files_.Delete(folder_ + "/version-hint.text"));
  EXPECT_EQ(catalog_->LoadTable(id_)->metadata_location, folder_ + "/v12.metadata.json");
}

// The version after an old base may have been cleaned up, so that creating it would succeed.
TEST_F(HadoopCatalogTest, RefusesAStaleBaseWhoseSuccessorIsGone) {
  const LoadedTable old = table_;
  Commit();
  Commit();
  ASSERT_TRUE(files_.Delete(folder_ + "/v2.metadata.json"));
  const auto stale = catalog_->CommitTable(id_, old, *old.metadata);
  EXPECT_EQ(stale.error().message, "Cannot commit changes based on stale table metadata");
  EXPECT_TRUE(stale.error().retryable);
}

TEST_F(HadoopCatalogTest, KeepsTablesWhereTheyAre) {
  spec::TableMetadata elsewhere = metadata_;
  elsewhere.location = "file:/elsewhere/loc";
  EXPECT_EQ(
      catalog_->CreateTable({{"db"}, "loc"}, elsewhere).error().message,
      "Cannot set a custom location for a path-based table. Expected memory://w/db/loc but got "
      "file:/elsewhere/loc");
  EXPECT_EQ(catalog_->CommitTable(id_, table_, elsewhere).error().message,
            "Hadoop path-based tables cannot be relocated");
  spec::TableMetadata moved = metadata_;
  moved.properties["write.metadata.path"] = "/m";
  EXPECT_EQ(catalog_->CommitTable(id_, table_, moved).error().message,
            "Hadoop path-based tables cannot relocate metadata");
  EXPECT_EQ(catalog_->views(), nullptr);
}

TEST(HadoopCatalogForeign, ReadsFoldersOfOtherEngines) {
  const char* root = std::getenv("ICEBLINK_FOREIGN_TABLES");
  if (root == nullptr) GTEST_SKIP() << "ICEBLINK_FOREIGN_TABLES is not set";
  io::SchemeRouter files;
  const auto catalog =
      MakeCatalog("lake",
                  {{"type", "hadoop"},
                   {"warehouse", std::string(root) +
                                     "/apache__impala/testdata/data/iceberg_test/hadoop_catalog"}},
                  files)
          .value();
  EXPECT_EQ(catalog->ListNamespaces({})->size(), 2u);
  const Namespace ns = {"hadoop_catalog_test", "functional_parquet"};
  EXPECT_EQ(catalog->ListTables(ns).value(),
            (std::vector<TableIdentifier>{{ns, "hadoop_catalog_test"}}));
  const auto table = catalog->LoadTable({ns, "hadoop_catalog_test"});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->metadata->snapshots.size(), 1u);
}

}  // namespace
}  // namespace iceblink::catalog
