// The SQL catalog's rows, as JdbcCatalog and PyIceberg write and expect them; its views; how
// catalogs are made.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/uuid.h"
#include "catalog/catalog.h"
#include "catalog/metadata_file.h"
#include "catalog/sqlite.h"
#include "spec/updates.h"
#include "spec/view_metadata.h"

namespace iceblink::catalog {
namespace {

class SqlCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / ("iceblink-" + NewUuid())).string();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<std::shared_ptr<Catalog>> Make(Properties more = {}, const std::string& name = "demo") {
    more.try_emplace("type", "jdbc");
    more.try_emplace("uri", "jdbc:sqlite:" + folder_ + "/c.db");
    more.try_emplace("warehouse", folder_ + "/w");
    return MakeCatalog(name, more, files_);
  }
  std::unique_ptr<SqliteConnection> Database() {
    return SqliteConnection::Open(folder_ + "/c.db", {}).value();
  }

  static spec::TableMetadata NewMetadata(const std::string& location) {
    spec::NewTable table;
    table.schema =
        spec::Schema({spec::NestedField{.id = 1, .name = "id", .type = spec::Type::Int()}});
    table.location = location;
    table.uuid = NewUuid();
    return spec::NewTableMetadata(table, 1'700'000'000'000).value();
  }
  spec::ViewMetadata NewView() const {
    spec::ViewMetadata view;
    view.uuid = NewUuid();
    view.location = folder_ + "/w/a/v";
    view.schemas = {
        spec::Schema({spec::NestedField{.id = 1, .name = "one", .type = spec::Type::Int()}})};
    view.versions.push_back(
        spec::ViewVersion{.representations = {{"sql", "SELECT 1 AS one", "spark"}}});
    view.version_log = {{0, 1}};
    return view;
  }

  std::string folder_;
  io::SchemeRouter files_;
};

TEST_F(SqlCatalogTest, WritesTheRowsOfJdbcCatalog) {
  const auto catalog = Make().value();
  ASSERT_TRUE(catalog->CreateNamespace({"a", "b"}, {{"k", "v"}}));
  const TableIdentifier id{{"a", "b"}, "t"};
  const LoadedTable first =
      catalog->CreateTable(id, NewMetadata(catalog->DefaultTableLocation(id).value())).value();
  const LoadedTable second = catalog->CommitTable(id, first, *first.metadata).value();
  const auto rows = Database()
                        ->Query(
                            "SELECT catalog_name, table_namespace, table_name, metadata_location, "
                            "previous_metadata_location, iceberg_type "
                            "FROM iceberg_tables")
                        .value();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0], (SqliteConnection::Row{"demo", "a.b", "t", second.metadata_location,
                                            first.metadata_location, "TABLE"}));
  const auto properties = Database()
                              ->Query(
                                  "SELECT namespace, property_key, property_value FROM "
                                  "iceberg_namespace_properties ORDER BY property_key")
                              .value();
  EXPECT_EQ(properties[0], (SqliteConnection::Row{"a.b", "exists", "true"}));
  EXPECT_EQ(properties[1], (SqliteConnection::Row{"a.b", "k", "v"}));
}

TEST_F(SqlCatalogTest, WorksOnSchemaV0UntilAsked) {
  ASSERT_TRUE(Database()->Execute(
      "CREATE TABLE iceberg_tables (catalog_name TEXT NOT NULL, table_namespace TEXT NOT "
      "NULL, table_name TEXT NOT NULL, metadata_location TEXT, previous_metadata_location "
      "TEXT, PRIMARY KEY (catalog_name, table_namespace, table_name))"));
  const TableIdentifier id{{"a"}, "t"};
  {
    const auto catalog = Make().value();
    ASSERT_TRUE(catalog->CreateTable(id, NewMetadata(folder_ + "/w/a/t")));
    EXPECT_TRUE(catalog->TableExists(id).value());
    EXPECT_EQ(catalog->views()->ListViews({"a"}).error().code, ErrorCode::kUnsupported);
  }
  const auto upgraded = Make({{"jdbc.schema-version", "V1"}}).value();
  EXPECT_TRUE(upgraded->TableExists(id).value()) << "a row without type is a table";
  EXPECT_TRUE(upgraded->views()->ListViews({"a"})->empty());
  const LoadedTable table = upgraded->LoadTable(id).value();
  EXPECT_TRUE(upgraded->CommitTable(id, table, *table.metadata));
}

TEST_F(SqlCatalogTest, SeparatesCatalogsOfOneFile) {
  const auto one = Make({}, "one").value(), two = Make({}, "two").value(),
             again = Make({}, "one").value();
  ASSERT_TRUE(one->CreateNamespace({"a"}, {}));
  EXPECT_FALSE(two->NamespaceExists({"a"}).value());
  EXPECT_TRUE(again->NamespaceExists({"a"}).value());
}

TEST_F(SqlCatalogTest, ReportsALockedFileAsRetryable) {
  const auto catalog = Make().value();
  const TableIdentifier id{{"a"}, "t"};
  const LoadedTable table = catalog->CreateTable(id, NewMetadata(folder_ + "/w/a/t")).value();
  const auto blocker = Database();
  ASSERT_TRUE(blocker->Execute("BEGIN IMMEDIATE"));
  const auto waiting = SqliteConnection::Open(folder_ + "/c.db", {.busy_ms = 10}).value();
  const auto refused = waiting->Execute("DELETE FROM iceberg_tables");
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  ASSERT_TRUE(blocker->Execute("ROLLBACK"));
  EXPECT_TRUE(catalog->CommitTable(id, table, *table.metadata));
}

TEST_F(SqlCatalogTest, ReportsAFileThatIsNoDatabase) {
  std::ofstream(folder_ + "/c.db") << std::string(4096, 'x');
  EXPECT_EQ(Make().error().code, ErrorCode::kIo);
}

TEST_F(SqlCatalogTest, KeepsViews) {
  const auto catalog = Make().value();
  ViewCatalog& views = *catalog->views();
  const TableIdentifier id{{"a"}, "v"}, table_id{{"a"}, "t"};
  ASSERT_TRUE(catalog->CreateTable(table_id, NewMetadata(folder_ + "/w/a/t")));
  const LoadedView created = views.CreateView(id, NewView()).value();
  EXPECT_EQ(views.LoadView(id)->metadata->version().representations[0].sql, "SELECT 1 AS one");
  EXPECT_EQ(views.ListViews({"a"}).value(), std::vector<TableIdentifier>{id});
  EXPECT_EQ(catalog->ListTables({"a"}).value(), std::vector<TableIdentifier>{table_id});
  EXPECT_FALSE(catalog->TableExists(id).value());
  EXPECT_EQ(catalog->LoadTable(id).error().message, "Table does not exist: a.v");
  EXPECT_EQ(catalog->CreateTable(id, NewMetadata(folder_ + "/x")).error().message,
            "View with same name already exists: a.v");
  EXPECT_EQ(views.CreateView(table_id, NewView()).error().message,
            "Table with same name already exists: a.t");

  spec::ViewMetadata changed = *created.metadata;
  changed.properties["k"] = "v";
  const LoadedView replaced = views.ReplaceView(id, created, changed).value();
  EXPECT_EQ(MetadataVersion(replaced.metadata_location), 1);
  EXPECT_TRUE(views.ReplaceView(id, created, changed).error().retryable);
  EXPECT_EQ(views.RenameView(id, table_id).error().message,
            "Cannot rename a.v to a.t. Table already exists");
  ASSERT_TRUE(views.RenameView(id, {{"a"}, "w"}));
  EXPECT_EQ(views.LoadView({{"a"}, "w"})->metadata->properties.at("k"), "v");
  ASSERT_TRUE(catalog->DropTable(table_id));
  EXPECT_EQ(catalog->DropNamespace({"a"}).error().message,
            "Namespace a is not empty. Contains 1 view(s).");
  ASSERT_TRUE(views.DropView({{"a"}, "w"}));
  EXPECT_EQ(views.LoadView({{"a"}, "w"}).error().message, "View does not exist: a.w");
}

TEST_F(SqlCatalogTest, IsMadeFromEitherFormOfUri) {
  EXPECT_TRUE(Make({{"uri", "sqlite:///" + folder_ + "/sub/d.db"}}));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/sub/d.db"));
  EXPECT_EQ(Make({{"uri", "jdbc:mysql://h/d"}}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Make({{"uri", ""}}).error().message, "JDBC connection URI is required");
  EXPECT_EQ(Make({{"warehouse", ""}}).error().message,
            "Cannot initialize JDBCCatalog because warehousePath must not be null or empty");
}

TEST_F(SqlCatalogTest, NamesWhatIsNotBuiltIn) {
  EXPECT_EQ(Make({{"type", "hive"}}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Make({{"type", "nosuch"}}).error().message, "Unknown catalog type: nosuch");
  EXPECT_EQ(Make({{"catalog-impl", "x.Y"}}).error().code, ErrorCode::kInvalidArgument)
      << "both are set";
  EXPECT_TRUE(
      MakeCatalog("c", {{"catalog-impl", "org.apache.iceberg.inmemory.InMemoryCatalog"}}, files_));
}

TEST_F(SqlCatalogTest, GivesUniqueLocationsWhenAsked) {
  const auto catalog = Make({{"unique-table-location", "true"}}).value();
  const TableIdentifier id{{"a"}, "t"};
  EXPECT_NE(catalog->DefaultTableLocation(id).value(), catalog->DefaultTableLocation(id).value());
}

TEST(MetadataFile, ReadsVersionsFromNames) {
  EXPECT_EQ(MetadataVersion("/t/metadata/00007-0c2ffc0c-1b2d.metadata.json"), 7);
  EXPECT_EQ(MetadataVersion("/t/metadata/v12.gz.metadata.json"), 12);
  EXPECT_EQ(MetadataVersion("/t/metadata/nothing.metadata.json"), -1);
  EXPECT_EQ(MetadataVersion("/t/metadata/version-hint.text"), -1);
}

TEST(MetadataFile, LogsThePreviousFileOnce) {
  spec::TableMetadata base, updated;
  base.last_updated_ms = 5;
  updated.properties["write.metadata.previous-versions-max"] = "0";
  LogPreviousFile(base, "f1", updated);
  LogPreviousFile(base, "f1", updated);
  EXPECT_EQ(updated.metadata_log, (std::vector<spec::MetadataLogEntry>{{5, "f1"}}));
  LogPreviousFile(base, "f2", updated);
  EXPECT_EQ(updated.metadata_log, (std::vector<spec::MetadataLogEntry>{{5, "f2"}}));
}

}  // namespace
}  // namespace iceblink::catalog
