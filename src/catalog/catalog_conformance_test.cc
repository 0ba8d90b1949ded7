// What every catalog promises, run over all implementations; what they word differently is a row of
// data.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/catalog.h"
#include "catalog/metadata_file.h"
#include "catalog/test_backends.h"
#include "spec/updates.h"

namespace iceblink::catalog {
namespace {

enum class Needs : uint8_t { kNothing, kPostgres, kRestServer };

struct Flavor {
  std::string name;
  Properties properties;  // {tmp} stands for a fresh folder, {uri} for where what it needs is
  bool implied_namespaces = true;
  bool namespace_properties = true;
  bool renames = true;
  std::string not_empty;   // after "Namespace a is not empty."
  std::string first_file;  // what the first metadata file's name starts with
  Needs needs = Needs::kNothing;
  bool compares_files = true;    // a commit on a base that is not current always fails
  bool chooses_location = true;  // before the table is created
};

const std::vector<Flavor>& Flavors() {
  static const std::vector<Flavor> flavors = {
      {"memory", {{"type", "memory"}}, false, true, true, " Contains 1 table(s).", "00000-"},
      {"memory_on_disk",
       {{"type", "in-memory"}, {"warehouse", "{tmp}/w/"}},
       false,
       true,
       true,
       " Contains 1 table(s).",
       "00000-"},
      {"sql",
       {{"type", "jdbc"}, {"uri", "jdbc:sqlite:{tmp}/c.db"}, {"warehouse", "file:{tmp}/w"}},
       true,
       true,
       true,
       " Contains 1 table(s).",
       "00000-"},
      {"hadoop",
       {{"type", "hadoop"}, {"warehouse", "file://{tmp}/w"}},
       true,
       false,
       false,
       "",
       "v1."},
      {"postgres",
       {{"type", "jdbc"},
        {"uri", "{uri}"},
        {"jdbc.user", "iceblink"},
        {"jdbc.password", "sesame"},
        {"warehouse", "file:{tmp}/w"}},
       true,
       true,
       true,
       " Contains 1 table(s).",
       "00000-",
       Needs::kPostgres},
      {"rest",
       {{"type", "rest"}, {"uri", "{uri}"}},
       false,
       true,
       true,
       " Contains 1 table(s).",
       "00000-",
       Needs::kRestServer,
       false,
       false},
  };
  return flavors;
}

class CatalogTest : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / ("iceblink-" + NewUuid())).string();
    std::filesystem::create_directories(folder_);
    const Status there = Provide();
    if (!there) GTEST_SKIP() << there.error().message;
    catalog_ = Open();
  }
  void TearDown() override {
    catalog_.reset();
    std::filesystem::remove_all(folder_);
  }
  // Starts what the flavor needs.
  Status Provide() {
    switch (flavor().needs) {
      case Needs::kNothing:
        break;
      case Needs::kPostgres: {
        ASSIGN_OR_RETURN(uri_, NewPostgresSchema());
        break;
      }
      case Needs::kRestServer: {
        ASSIGN_OR_RETURN(server_, StartRestServer(folder_));
        uri_ = server_.uri;
        break;
      }
    }
    return {};
  }
  const Flavor& flavor() const { return Flavors()[GetParam()]; }
  std::shared_ptr<Catalog> Open() {
    Properties properties = flavor().properties;
    for (auto& [key, value] : properties)
      value = ReplaceAll(ReplaceAll(value, "{tmp}", folder_), "{uri}", uri_);
    return MakeCatalog("demo", properties, files_).value();
  }
  spec::TableMetadata NewMetadata(const TableIdentifier& id) {
    spec::NewTable table;
    table.schema =
        spec::Schema({spec::NestedField{.id = 1, .name = "id", .type = spec::Type::Int()}});
    table.location = catalog_->DefaultTableLocation(id).value();
    table.uuid = NewUuid();
    return spec::NewTableMetadata(table, 1'700'000'000'000).value();
  }
  LoadedTable Create(const TableIdentifier& id) {
    if (!catalog_->NamespaceExists(id.ns).value()) {
      EXPECT_TRUE(catalog_->CreateNamespace(id.ns, {}));
    }
    const auto created = catalog_->CreateTable(id, NewMetadata(id));
    EXPECT_TRUE(created) << created.error().message;
    return *created;
  }
  static spec::TableMetadata With(const spec::TableMetadata& base, const std::string& key,
                                  const std::string& value) {
    spec::TableMetadata updated = base;
    updated.properties[key] = value;
    return updated;
  }

  std::string folder_;
  std::string uri_;
  TestRestServer server_;
  io::SchemeRouter files_;
  std::shared_ptr<Catalog> catalog_;
};

template <typename T>
void ExpectError(const Result<T>& result, ErrorCode code, const std::string& message,
                 const std::string& exception) {
  ASSERT_FALSE(result);
  EXPECT_EQ(ErrorCodeName(result.error().code), ErrorCodeName(code));
  EXPECT_EQ(result.error().message, message);
  EXPECT_EQ(result.error().exception, exception);
}

TEST_P(CatalogTest, KeepsNamespaces) {
  ASSERT_TRUE(catalog_->CreateNamespace({"a"}, {}));
  ASSERT_TRUE(catalog_->CreateNamespace({"a", "b"}, {}));
  ExpectError(catalog_->CreateNamespace({"a"}, {}), ErrorCode::kAlreadyExists,
              "Namespace already exists: a", "AlreadyExistsException");
  EXPECT_EQ(catalog_->ListNamespaces({}).value(), std::vector<Namespace>{{"a"}});
  EXPECT_EQ(catalog_->ListNamespaces({"a"}).value(), (std::vector<Namespace>{{"a", "b"}}));
  EXPECT_TRUE(catalog_->NamespaceExists({"a", "b"}).value());
  EXPECT_FALSE(catalog_->NamespaceExists({"A"}).value());
  EXPECT_FALSE(catalog_->NamespaceExists({"b"}).value());
  EXPECT_TRUE(catalog_->LoadNamespace({"a", "b"})->at("location").ends_with("/a/b"));
  EXPECT_EQ(catalog_->DropNamespace({"a"}).error().code, ErrorCode::kNotEmpty);
  ASSERT_TRUE(catalog_->DropNamespace({"a", "b"}));
  ASSERT_TRUE(catalog_->DropNamespace({"a"}));
  EXPECT_TRUE(catalog_->ListNamespaces({})->empty());
}

TEST_P(CatalogTest, NamesMissingNamespaces) {
  const std::string message = "Namespace does not exist: no.such",
                    exception = "NoSuchNamespaceException";
  const Namespace ns = {"no", "such"};
  ExpectError(catalog_->ListNamespaces(ns), ErrorCode::kNotFound, message, exception);
  ExpectError(catalog_->ListTables(ns), ErrorCode::kNotFound, message, exception);
  ExpectError(catalog_->LoadNamespace(ns), ErrorCode::kNotFound, message, exception);
  ExpectError(catalog_->DropNamespace(ns), ErrorCode::kNotFound, message, exception);
}

TEST_P(CatalogTest, KeepsNamespaceProperties) {
  if (!flavor().namespace_properties) {
    ExpectError(catalog_->CreateNamespace({"a"}, {{"k", "v"}}), ErrorCode::kUnsupported,
                "Cannot create namespace a: metadata is not supported",
                "UnsupportedOperationException");
    ExpectError(catalog_->SetNamespaceProperties({"a"}, {}), ErrorCode::kUnsupported,
                "Cannot set namespace properties a : setProperties is not supported",
                "UnsupportedOperationException");
    return;
  }
  ASSERT_TRUE(catalog_->CreateNamespace({"a"}, {{"k", "v"}, {"location", "/elsewhere/a/"}}));
  ASSERT_TRUE(catalog_->SetNamespaceProperties({"a"}, {{"k", "w"}, {"x", "y"}}));
  ASSERT_TRUE(catalog_->RemoveNamespaceProperties({"a"}, {"x", "nosuch", "exists"}));
  EXPECT_EQ(catalog_->LoadNamespace({"a"}).value(),
            (Properties{{"k", "w"}, {"location", "/elsewhere/a/"}}));
  if (flavor().chooses_location) {
    EXPECT_EQ(catalog_->DefaultTableLocation({{"a"}, "t"}).value(), "/elsewhere/a/t");
  }
  EXPECT_EQ(catalog_->SetNamespaceProperties({"a"}, {{"exists", "no"}}).error().message,
            "Cannot set reserved property: exists");
}

TEST_P(CatalogTest, CreatesAndLoadsTables) {
  const TableIdentifier id{{"a", "b"}, "t"};
  const LoadedTable created = Create(id);
  EXPECT_TRUE(created.metadata->location.ends_with("/a/b/t"));
  EXPECT_EQ(io::BaseName(created.metadata_location).substr(0, flavor().first_file.size()),
            flavor().first_file);
  const LoadedTable loaded = catalog_->LoadTable(id).value();
  EXPECT_EQ(loaded.metadata_location, created.metadata_location);
  EXPECT_EQ(*loaded.metadata, *created.metadata);
  EXPECT_TRUE(catalog_->TableExists(id).value());
  EXPECT_EQ(catalog_->ListTables({"a", "b"}).value(), std::vector<TableIdentifier>{id});
  EXPECT_TRUE(catalog_->ListTables({"a"})->empty());
  EXPECT_TRUE(catalog_->ListNamespaces({"a", "b"})->empty());
  ExpectError(catalog_->CreateTable(id, NewMetadata(id)), ErrorCode::kAlreadyExists,
              "Table already exists: a.b.t", "AlreadyExistsException");
}

TEST_P(CatalogTest, KnowsWhetherTablesImplyNamespaces) {
  const TableIdentifier id{{"implied"}, "t"};
  const auto created = catalog_->CreateTable(id, NewMetadata(id));
  EXPECT_EQ(created.has_value(), flavor().implied_namespaces);
  EXPECT_EQ(catalog_->NamespaceExists({"implied"}).value(), flavor().implied_namespaces);
}

TEST_P(CatalogTest, NamesMissingTables) {
  ASSERT_TRUE(catalog_->CreateNamespace({"a"}, {}));
  const TableIdentifier id{{"a"}, "nosuch"};
  const std::string message = "Table does not exist: a.nosuch", exception = "NoSuchTableException";
  ExpectError(catalog_->LoadTable(id), ErrorCode::kNotFound, message, exception);
  ExpectError(catalog_->DropTable(id), ErrorCode::kNotFound, message, exception);
  EXPECT_FALSE(catalog_->TableExists(id).value());
}

TEST_P(CatalogTest, CommitsByCompareAndSwap) {
  const TableIdentifier id{{"a"}, "t"};
  const LoadedTable first = Create(id);
  const LoadedTable second =
      catalog_->CommitTable(id, first, With(*first.metadata, "k", "1")).value();
  EXPECT_EQ(MetadataVersion(second.metadata_location),
            MetadataVersion(first.metadata_location) + 1);
  ASSERT_EQ(second.metadata->metadata_log.size(), 1u);
  EXPECT_EQ(second.metadata->metadata_log[0].metadata_file, first.metadata_location);
  EXPECT_EQ(second.metadata->metadata_log[0].timestamp_ms, first.metadata->last_updated_ms);

  if (!flavor().compares_files) return;
  const auto stale = catalog_->CommitTable(id, first, With(*first.metadata, "k", "2"));
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(stale.error().retryable);
  EXPECT_EQ(stale.error().exception, "CommitFailedException");
  EXPECT_EQ(catalog_->LoadTable(id)->metadata->Property("k"), "1");

  int files = 0;  // the loser's file is gone
  ASSERT_TRUE(files_.List(first.metadata->location + "/metadata", true,
                          [&](const io::FileInfo& info) -> Status {
                            files += info.path.ends_with(".json") ? 1 : 0;
                            return {};
                          }));
  EXPECT_EQ(files, 2);
}

TEST_P(CatalogTest, LosesNoCommitOfManyWriters) {
  const TableIdentifier id{{"a"}, "t"};
  Create(id);
  constexpr int kThreads = 4, kCommits = 5;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCommits;) {
        const LoadedTable base = catalog_->LoadTable(id).value();
        const std::string key = "k" + std::to_string(t * kCommits + i);
        const auto done = catalog_->CommitTable(id, base, With(*base.metadata, key, "v"));
        if (done) {
          i++;
        } else {
          ASSERT_TRUE(done.error().retryable) << done.error().message;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto metadata = catalog_->LoadTable(id)->metadata;
  for (int i = 0; i < kThreads * kCommits; i++)
    EXPECT_EQ(metadata->Property("k" + std::to_string(i)), "v");
  EXPECT_EQ(metadata->metadata_log.size(), static_cast<size_t>(kThreads * kCommits));
}

TEST_P(CatalogTest, TrimsTheMetadataLog) {
  const TableIdentifier id{{"a"}, "t"};
  LoadedTable table = Create(id);
  const std::string first = table.metadata_location;
  spec::TableMetadata updated = With(*table.metadata, "write.metadata.previous-versions-max", "2");
  updated.properties["write.metadata.delete-after-commit.enabled"] = "true";
  table = catalog_->CommitTable(id, table, updated).value();
  for (int i = 0; i < 3; i++) {
    table = catalog_->CommitTable(id, table, With(*table.metadata, "i", std::to_string(i))).value();
  }
  EXPECT_EQ(table.metadata->metadata_log.size(), 2u);
  EXPECT_FALSE(files_.Exists(first).value());
  EXPECT_TRUE(files_.Exists(table.metadata->metadata_log[0].metadata_file).value());
  EXPECT_EQ(catalog_->LoadTable(id)->metadata_location, table.metadata_location);
}

TEST_P(CatalogTest, WritesGzipWhenAsked) {
  const TableIdentifier id{{"a"}, "t"};
  const LoadedTable first = Create(id);
  const LoadedTable second =
      catalog_
          ->CommitTable(id, first,
                        With(*first.metadata, "write.metadata.compression-codec", "gzip"))
          .value();
  EXPECT_TRUE(second.metadata_location.ends_with(".gz.metadata.json"));
  EXPECT_TRUE(files_.ReadAll(second.metadata_location)->starts_with("\x1f\x8b"));
  EXPECT_EQ(*catalog_->LoadTable(id)->metadata, *second.metadata);
  const auto bad = catalog_->CommitTable(
      id, second, With(*second.metadata, "write.metadata.compression-codec", "lzo"));
  ExpectError(bad, ErrorCode::kInvalidArgument, "Invalid codec name: lzo",
              "IllegalArgumentException");
}

TEST_P(CatalogTest, DropsTablesAndThenNamespaces) {
  const TableIdentifier id{{"a"}, "t"};
  Create(id);
  ExpectError(catalog_->DropNamespace({"a"}), ErrorCode::kNotEmpty,
              "Namespace a is not empty." + flavor().not_empty, "NamespaceNotEmptyException");
  ASSERT_TRUE(catalog_->DropTable(id));
  EXPECT_FALSE(catalog_->TableExists(id).value());
  ASSERT_TRUE(catalog_->DropNamespace({"a"}));
}

TEST_P(CatalogTest, RenamesTables) {
  const TableIdentifier from{{"a"}, "t"}, to{{"b"}, "u"};
  const LoadedTable table = Create(from);
  if (!flavor().renames) {
    ExpectError(catalog_->RenameTable(from, to), ErrorCode::kUnsupported,
                "Cannot rename Hadoop tables", "UnsupportedOperationException");
    return;
  }
  ExpectError(catalog_->RenameTable(from, to), ErrorCode::kNotFound, "Namespace does not exist: b",
              "NoSuchNamespaceException");
  Create({{"b"}, "taken"});
  ExpectError(catalog_->RenameTable(from, {{"b"}, "taken"}), ErrorCode::kAlreadyExists,
              "Table already exists: b.taken", "AlreadyExistsException");
  ASSERT_TRUE(catalog_->RenameTable(from, to));
  EXPECT_EQ(catalog_->LoadTable(to)->metadata_location, table.metadata_location);
  ExpectError(catalog_->RenameTable(from, to), ErrorCode::kNotFound, "Table does not exist: a.t",
              "NoSuchTableException");
}

TEST_P(CatalogTest, RegistersExistingMetadata) {
  const LoadedTable table = Create({{"a"}, "t"});
  const TableIdentifier id{{"a"}, "again"};
  const LoadedTable registered = catalog_->RegisterTable(id, table.metadata_location).value();
  EXPECT_EQ(registered.metadata->uuid, table.metadata->uuid);
  EXPECT_EQ(catalog_->LoadTable(id)->metadata->uuid, table.metadata->uuid);
  ExpectError(catalog_->RegisterTable(id, table.metadata_location), ErrorCode::kAlreadyExists,
              "Table already exists: a.again", "AlreadyExistsException");
  ExpectError(
      catalog_->RegisterTable({{"a"}, "x"}, "/nonexistent/v1.metadata.json"), ErrorCode::kNotFound,
      "Failed to open input stream for file: /nonexistent/v1.metadata.json", "NotFoundException");
}

TEST_P(CatalogTest, TreatsNamesLiterally) {
  const std::vector<std::string> names = {"a_b", "a%b", "aXb", "with space", "ünïcode", "quo'te"};
  for (const std::string& name : names) Create({{name}, name});
  for (const std::string& name : names) {
    EXPECT_EQ(catalog_->ListTables({name}).value(), (std::vector<TableIdentifier>{{{name}, name}}));
    EXPECT_TRUE(catalog_->ListNamespaces({name})->empty());
  }
  EXPECT_EQ(catalog_->ListNamespaces({})->size(), names.size());
}

spec::TableMetadata WithSnapshot(const spec::TableMetadata& base, int64_t id) {
  spec::Snapshot snapshot;
  snapshot.snapshot_id = id;
  snapshot.sequence_number = base.last_sequence_number + 1;
  snapshot.timestamp_ms = base.last_updated_ms + 1;
  snapshot.manifest_list = base.location + "/metadata/snap-" + std::to_string(id) + ".avro";
  snapshot.operation = "append";
  snapshot.schema_id = base.current_schema_id;
  const spec::SnapshotRef main{.snapshot_id = id};
  const std::vector<spec::TableUpdate> updates = {spec::update::AddSnapshot{snapshot},
                                                  spec::update::SetSnapshotRef{"main", main}};
  return spec::ApplyUpdates(base, updates, base.last_updated_ms + 1).value();
}

TEST_P(CatalogTest, RefusesTheSecondOfTwoSnapshots) {
  const TableIdentifier id{{"a"}, "t"};
  const LoadedTable first = Create(id);
  ASSERT_TRUE(catalog_->CommitTable(id, first, WithSnapshot(*first.metadata, 1)));
  const auto lost = catalog_->CommitTable(id, first, WithSnapshot(*first.metadata, 2));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(lost.error().retryable);
  EXPECT_EQ(lost.error().exception, "CommitFailedException");
  EXPECT_EQ(catalog_->LoadTable(id)->metadata->snapshots.size(), 1u);
}

TEST_P(CatalogTest, CommitsSeveralTablesOrNone) {
  const TableIdentifier one{{"a"}, "one"}, two{{"a"}, "two"};
  const LoadedTable first = Create(one), second = Create(two);
  const auto both = [&](int64_t id) {
    return std::vector<TableChange>{{one, first, WithSnapshot(*first.metadata, id)},
                                    {two, second, WithSnapshot(*second.metadata, id)}};
  };
  const Status done = catalog_->CommitTables(both(1));
  if (!done && done.error().code == ErrorCode::kUnsupported) return;
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_TRUE(catalog_->CommitTable(one, *catalog_->LoadTable(one),
                                    WithSnapshot(*catalog_->LoadTable(one)->metadata, 5)));
  const LoadedTable now = *catalog_->LoadTable(two);
  const Status lost = catalog_->CommitTables(
      {{two, now, WithSnapshot(*now.metadata, 6)}, {one, first, WithSnapshot(*first.metadata, 6)}});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kConflict);
  EXPECT_EQ(catalog_->LoadTable(two)->metadata->snapshots.size(), 1u);
  EXPECT_EQ(catalog_->LoadTable(one)->metadata->snapshots.size(), 2u);
}

TEST_P(CatalogTest, StagesTables) {
  const TableIdentifier id{{"a"}, "staged"};
  ASSERT_TRUE(catalog_->CreateNamespace({"a"}, {}));
  spec::NewTable table;
  table.schema =
      spec::Schema({spec::NestedField{.id = 1, .name = "id", .type = spec::Type::Int()}});
  const spec::TableMetadata staged = catalog_->StageTable(id, table, 1'700'000'000'000).value();
  EXPECT_TRUE(staged.location.ends_with("/a/staged"));
  EXPECT_FALSE(catalog_->TableExists(id).value());
  const LoadedTable made = catalog_->CreateTable(id, WithSnapshot(staged, 7)).value();
  EXPECT_EQ(made.metadata->uuid, staged.uuid);
  EXPECT_EQ(made.metadata->CurrentSnapshot()->snapshot_id, 7);
  const auto again = catalog_->CreateTable(id, WithSnapshot(staged, 8));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(again.error().exception, "AlreadyExistsException");
}

INSTANTIATE_TEST_SUITE_P(All, CatalogTest, testing::Range<size_t>(0, 6),
                         [](const auto& info) { return Flavors()[info.param].name; });

}  // namespace
}  // namespace iceblink::catalog
