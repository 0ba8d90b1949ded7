// PostgreSQL as the SQL catalog's database: addresses, wrong passwords, two writers, broken
// connections.
#include "catalog/postgres.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "catalog/sql_pointer_store.h"
#include "catalog/test_backends.h"

namespace iceblink::catalog {
namespace {

using Settings = PostgresConnection::Settings;

TEST(PostgresUri, IsRead) {
  EXPECT_EQ(
      *ParsePostgresUri("jdbc:postgresql://db.example:5433/lake?sslmode=require"),
      (Settings{
          {"host", "db.example"}, {"port", "5433"}, {"dbname", "lake"}, {"sslmode", "require"}}));
  EXPECT_EQ(*ParsePostgresUri("postgresql+psycopg2://me:p%40ss@h/d"),
            (Settings{{"user", "me"}, {"password", "p@ss"}, {"host", "h"}, {"dbname", "d"}}));
  EXPECT_EQ(*ParsePostgresUri("jdbc:postgresql:lake"), (Settings{{"dbname", "lake"}}));
  EXPECT_EQ(*ParsePostgresUri("jdbc:postgresql:///lake?currentSchema=s"),
            (Settings{{"dbname", "lake"}, {"options", "-csearch_path=s"}}));
  EXPECT_FALSE(ParsePostgresUri("jdbc:sqlite:file"));
}

class PostgresTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto uri = NewPostgresSchema();
    if (!uri) GTEST_SKIP() << uri.error().message;
    settings_ = *ParsePostgresUri(*uri);
    settings_.emplace_back("user", "iceblink");
  }
  std::unique_ptr<PostgresConnection> Open() {
    Settings settings = settings_;
    settings.emplace_back("password", "sesame");
    return PostgresConnection::Open(settings).value();
  }
  Settings settings_;
};

TEST_F(PostgresTest, RefusesWrongPasswordsWithoutSayingThem) {
  settings_.emplace_back("password", "open-up");
  const auto refused = PostgresConnection::Open(settings_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(refused.error().message.find("password authentication failed"), std::string::npos);
  EXPECT_EQ(refused.error().message.find("open-up"), std::string::npos);
}

TEST_F(PostgresTest, CountsAndRollsBack) {
  const auto database = Open();
  ASSERT_TRUE(database->Execute("CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT)"));
  EXPECT_TRUE(database->HasTable("t").value());
  EXPECT_FALSE(database->HasTable("nosuch").value());
  EXPECT_TRUE(database->HasColumn("t", "v").value());
  EXPECT_EQ(database->Execute("INSERT INTO t VALUES (?, ?)", {"a", std::nullopt}).value(), 1);
  EXPECT_EQ(database->Execute("INSERT INTO t VALUES (?, ?)", {"a", "x"}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_FALSE(database->ExecuteAll(
      {{"INSERT INTO t VALUES (?, 'x')", {"b"}}, {"INSERT INTO nosuch VALUES (?)", {"b"}}}));
  EXPECT_EQ(database
                ->ExecuteEach({{"INSERT INTO t VALUES (?, 'x')", {"b"}},
                               {"UPDATE t SET v = 'y' WHERE k = ?", {"nosuch"}}})
                .value(),
            std::optional<size_t>(1));
  const auto rows = database->Query("SELECT k, v FROM t").value();
  EXPECT_EQ(rows, (std::vector<SqlConnection::Row>{{"a", std::nullopt}}));
}

TEST_F(PostgresTest, ReplacesBrokenConnections) {
  const auto database = Open(), other = Open();
  ASSERT_TRUE(
      other->Query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE "
                   "application_name = 'iceblink' AND pid <> pg_backend_pid()"));
  // A change could not be sent twice: the broken connection is noticed before.
  EXPECT_TRUE(database->Execute("CREATE TABLE t (k TEXT)"));
  EXPECT_EQ(database->Query("SELECT 'still here'").value()[0][0], "still here");
}

TEST_F(PostgresTest, IsPreparedByManyAtOnce) {
  for (int round = 0; round < 10; round++) {
    Open()->Execute("DROP TABLE IF EXISTS iceberg_tables, iceberg_namespace_properties").value();
    std::vector<std::thread> opening;
    for (int i = 0; i < 8; i++) {
      opening.emplace_back([&] {
        const auto store = SqlPointerStore::Open(Open(), {.catalog_name = "c"});
        EXPECT_TRUE(store) << store.error().message;
      });
    }
    for (std::thread& thread : opening) thread.join();
  }
}

// Each writer has a connection of its own, as another process has.
TEST_F(PostgresTest, LetsOneOfManyWritersWin) {
  const auto store = [&] { return SqlPointerStore::Open(Open(), {.catalog_name = "c"}).value(); };
  std::vector<std::unique_ptr<SqlPointerStore>> stores(4);
  std::vector<std::thread> opening;
  for (auto& one : stores) opening.emplace_back([&] { one = store(); });
  for (std::thread& thread : opening) thread.join();
  const TableIdentifier id{{"a"}, "t"};
  ASSERT_TRUE(stores[0]->Insert(id, {PointerKind::kTable, "0"}).value());
  std::atomic<int> swaps = 0;
  std::vector<std::thread> writers;
  for (auto& one : stores) {
    writers.emplace_back([&] {
      for (int i = 0; i < 50; i++) {
        const auto swapped =
            one->Swap(id, PointerKind::kTable, std::to_string(i), std::to_string(i + 1));
        ASSERT_TRUE(swapped) << swapped.error().message;
        swaps += *swapped ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : writers) thread.join();
  EXPECT_EQ(stores[0]->Find(id).value()->metadata_location, std::to_string(swaps));
  EXPECT_GE(swaps, 50);
}

}  // namespace
}  // namespace iceblink::catalog
