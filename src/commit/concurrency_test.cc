// Lost swaps, unknown outcomes, several writers, writers killed at any moment.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "commit/commit_queue.h"
#include "commit/test_tables.h"

extern char** environ;

namespace iceblink::commit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A catalog whose commits go through a hook.
class HookedCatalog final : public catalog::Catalog {
 public:
  using Commit =
      std::function<Result<catalog::LoadedTable>(const catalog::LoadedTable&, spec::TableMetadata)>;
  explicit HookedCatalog(catalog::Catalog& real) : real_(real) {}
  Commit on_commit;

  const std::string& name() const override { return real_.name(); }
  const catalog::Properties& properties() const override { return real_.properties(); }
  io::FileSystem& file_system() override { return real_.file_system(); }
  Result<std::vector<catalog::Namespace>> ListNamespaces(const catalog::Namespace& ns) override {
    return real_.ListNamespaces(ns);
  }
  Result<bool> NamespaceExists(const catalog::Namespace& ns) override {
    return real_.NamespaceExists(ns);
  }
  Result<catalog::Properties> LoadNamespace(const catalog::Namespace& ns) override {
    return real_.LoadNamespace(ns);
  }
  Status CreateNamespace(const catalog::Namespace& ns, const catalog::Properties& p) override {
    return real_.CreateNamespace(ns, p);
  }
  Status DropNamespace(const catalog::Namespace& ns) override { return real_.DropNamespace(ns); }
  Status SetNamespaceProperties(const catalog::Namespace& ns,
                                const catalog::Properties& p) override {
    return real_.SetNamespaceProperties(ns, p);
  }
  Status RemoveNamespaceProperties(const catalog::Namespace& ns,
                                   const std::vector<std::string>& keys) override {
    return real_.RemoveNamespaceProperties(ns, keys);
  }
  Result<std::vector<catalog::TableIdentifier>> ListTables(const catalog::Namespace& ns) override {
    return real_.ListTables(ns);
  }
  Result<bool> TableExists(const catalog::TableIdentifier& id) override {
    return real_.TableExists(id);
  }
  Result<catalog::LoadedTable> LoadTable(const catalog::TableIdentifier& id) override {
    return real_.LoadTable(id);
  }
  Result<std::string> DefaultTableLocation(const catalog::TableIdentifier& id) override {
    return real_.DefaultTableLocation(id);
  }
  Result<catalog::LoadedTable> CreateTable(const catalog::TableIdentifier& id,
                                           spec::TableMetadata metadata) override {
    return real_.CreateTable(id, std::move(metadata));
  }
  Result<catalog::LoadedTable> CommitTable(const catalog::TableIdentifier&,
                                           const catalog::LoadedTable& base,
                                           spec::TableMetadata updated) override {
    return on_commit(base, std::move(updated));
  }
  Status DropTable(const catalog::TableIdentifier& id) override { return real_.DropTable(id); }
  Status RenameTable(const catalog::TableIdentifier& from,
                     const catalog::TableIdentifier& to) override {
    return real_.RenameTable(from, to);
  }
  Result<catalog::LoadedTable> RegisterTable(const catalog::TableIdentifier& id,
                                             const std::string& path) override {
    return real_.RegisterTable(id, path);
  }

 private:
  catalog::Catalog& real_;
};

SnapshotChange AppendOf(spec::DataFile file) {
  SnapshotChange change;
  change.added_files = {std::move(file)};
  return change;
}

class HookedTest : public testing::Test {
 protected:
  Result<CommitOutcome> Commit(SnapshotChange change) {
    Transaction::Options options;
    options.clock = &clock_;
    options.queue = false;  // the hooks commit inside a commit
    return CommitChange(hooked_, t_.id, std::move(change), options);
  }
  SmallTable t_;
  HookedCatalog hooked_{*t_.catalog};
  ManualClock clock_{SystemClock().NowMicros()};
  int calls_ = 0;
};

TEST_F(HookedTest, LostSwapIsRetriedOnTheNewState) {
  Must(t_.Append({t_.File("a", "x", 1)}));
  hooked_.on_commit = [&](const catalog::LoadedTable& base, spec::TableMetadata updated) {
    if (calls_++ < 2) Must(t_.Append({t_.File("other" + std::to_string(calls_), "x", 1)}));
    return t_.catalog->CommitTable(t_.id, base, std::move(updated));
  };
  const int64_t started = clock_.NowMillis();
  SnapshotChange change;
  change.kind = ChangeKind::kOverwrite;
  change.removed_files = {{t_.File("a", "x", 1), {}}};
  change.added_files = {t_.File("b", "x", 1)};
  const CommitOutcome outcome = Must(Commit(change));
  EXPECT_EQ(outcome.attempts, 3);
  EXPECT_THAT(t_.LiveFiles(), ElementsAre("b", "other1", "other2"));
  EXPECT_EQ(outcome.summary.at("total-records"), "3");
  EXPECT_GE(clock_.NowMillis() - started, 50 + 100);
  EXPECT_LE(clock_.NowMillis() - started, 100 + 200);
  EXPECT_EQ(t_.CountMetadataFiles("snap-"), 4u) << "lists of lost attempts are deleted";
  EXPECT_EQ(t_.CountMetadataFiles("-m"), 5u) << "the filtered manifest was written once";
}

TEST_F(HookedTest, RetriesEnd) {
  hooked_.on_commit = [&](const catalog::LoadedTable&,
                          spec::TableMetadata) -> Result<catalog::LoadedTable> {
    calls_++;
    Error lost = Error::Make(ErrorCode::kConflict, "Cannot commit: stale", "CommitFailedException");
    lost.retryable = true;
    return Fail(lost);
  };
  EXPECT_EQ(MessageOf(Commit(AppendOf(t_.File("a", "x", 1)))),
            "CommitFailedException: Cannot commit: stale");
  EXPECT_EQ(calls_, 5);
  EXPECT_EQ(t_.CountMetadataFiles(".avro"), 0u);
}

TEST_F(HookedTest, ValidationErrorsAreNotRetried) {
  const int64_t start = *Must(t_.Append({t_.File("a", "x", 1)})).snapshot_id;
  hooked_.on_commit = [&](const catalog::LoadedTable& base, spec::TableMetadata updated) {
    if (calls_++ == 0) Must(t_.Append({t_.File("other", "x", 1)}));
    return t_.catalog->CommitTable(t_.id, base, std::move(updated));
  };
  SnapshotChange change;
  change.kind = ChangeKind::kOverwrite;
  change.removed_files = {{t_.File("a", "x", 1), {}}};
  change.validation =
      CopyOnWriteValidation(Isolation::kSerializable, start, expr::Expression::True());
  EXPECT_THAT(MessageOf(Commit(change)),
              HasSubstr("Found conflicting files that can contain records matching true: ["));
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(t_.CountMetadataFiles("-m"), 2u);
}

TEST_F(HookedTest, UnknownOutcomeThatLandedIsSuccess) {
  hooked_.on_commit = [&](const catalog::LoadedTable& base,
                          spec::TableMetadata updated) -> Result<catalog::LoadedTable> {
    Must(t_.catalog->CommitTable(t_.id, base, std::move(updated)));
    return Fail(ErrorCode::kCommitUnknown, "connection reset", "CommitStateUnknownException");
  };
  EXPECT_TRUE(Must(Commit(AppendOf(t_.File("a", "x", 1)))).committed);
  EXPECT_THAT(t_.LiveFiles(), ElementsAre("a"));
}

TEST_F(HookedTest, UnknownOutcomeThatDidNotLandIsRetried) {
  hooked_.on_commit = [&](const catalog::LoadedTable& base,
                          spec::TableMetadata updated) -> Result<catalog::LoadedTable> {
    if (calls_++ == 0)
      return Fail(ErrorCode::kCommitUnknown, "connection reset", "CommitStateUnknownException");
    return t_.catalog->CommitTable(t_.id, base, std::move(updated));
  };
  EXPECT_EQ(Must(Commit(AppendOf(t_.File("a", "x", 1)))).attempts, 2);
}

TEST_F(HookedTest, UnknownOutcomeStaysUnknownAndKeepsFiles) {
  hooked_.on_commit = [&](const catalog::LoadedTable&,
                          spec::TableMetadata) -> Result<catalog::LoadedTable> {
    Must(t_.Append({t_.File("other", "x", 1)}));
    return Fail(ErrorCode::kCommitUnknown, "connection reset", "CommitStateUnknownException");
  };
  EXPECT_THAT(MessageOf(Commit(AppendOf(t_.File("a", "x", 1)))),
              HasSubstr("CommitStateUnknownException"));
  EXPECT_EQ(t_.CountMetadataFiles("-m"), 2u);
  EXPECT_EQ(t_.CountMetadataFiles("snap-"), 2u);
}

TEST_F(HookedTest, LateLandingOfALostAttemptIsSuccess) {
  std::optional<spec::TableMetadata> in_flight;
  catalog::LoadedTable first_base;
  hooked_.on_commit = [&](const catalog::LoadedTable& base,
                          spec::TableMetadata updated) -> Result<catalog::LoadedTable> {
    if (calls_++ == 0) {
      in_flight = std::move(updated);
      first_base = base;
      return Fail(ErrorCode::kCommitUnknown, "timed out", "CommitStateUnknownException");
    }
    Must(t_.catalog->CommitTable(t_.id, first_base, *in_flight));
    return t_.catalog->CommitTable(t_.id, base, std::move(updated));
  };
  const CommitOutcome outcome = Must(Commit(AppendOf(t_.File("a", "x", 1))));
  EXPECT_TRUE(outcome.committed);
  EXPECT_TRUE(outcome.landed_late);
  EXPECT_THAT(t_.LiveFiles(), ElementsAre("a"));
}

TEST(CommitQueueTest, OneAtATime) {
  const std::string table = "00000000-0000-0000-0000-00000000test";
  CommitTurn first(table, 1'000);
  ASSERT_TRUE(first.held());
  EXPECT_FALSE(CommitTurn(table, 20).held());
  first.Release();
  EXPECT_TRUE(CommitTurn(table, 20).held());
}

// Runs in a process of its own, started by the tests below.
TEST(WriterProcess, DISABLED_Appends) {
  const char* folder = getenv("ICEBLINK_WRITER_FOLDER");
  ASSERT_NE(folder, nullptr);
  const std::string name = getenv("ICEBLINK_WRITER_NAME");
  const int count = atoi(getenv("ICEBLINK_WRITER_COUNT"));
  auto catalog = OpenSqlCatalog(folder);
  const catalog::TableIdentifier id{{"db"}, "t"};
  for (int i = 0; i < count; i++) {
    spec::DataFile file;
    file.file_path = fmt::format("/data/{}-{}.parquet", name, i);
    file.partition = {Value("x")};
    file.record_count = 1;
    file.file_size_in_bytes = 1;
    Must(CommitChange(*catalog, id, AppendOf(file)));
  }
}

pid_t StartWriter(const std::string& folder, const std::string& name, int count) {
  setenv("ICEBLINK_WRITER_FOLDER", folder.c_str(), 1);
  setenv("ICEBLINK_WRITER_NAME", name.c_str(), 1);
  setenv("ICEBLINK_WRITER_COUNT", std::to_string(count).c_str(), 1);
  char program[] = "/proc/self/exe";
  char filter[] = "--gtest_filter=WriterProcess.DISABLED_Appends";
  char run[] = "--gtest_also_run_disabled_tests";
  char brief[] = "--gtest_brief=1";
  char* arguments[] = {program, filter, run, brief, nullptr};
  pid_t pid = 0;
  EXPECT_EQ(posix_spawn(&pid, program, nullptr, nullptr, arguments, environ), 0);
  return pid;
}

TEST(ProcessesTest, TwoWritersOfFiftyAppendsMakeAHundredSnapshots) {
  SmallTable t;
  const auto started = std::chrono::steady_clock::now();
  const pid_t one = StartWriter(t.folder.path(), "one", 50);
  const pid_t two = StartWriter(t.folder.path(), "two", 50);
  for (pid_t pid : {one, two}) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const auto elapsed = std::chrono::steady_clock::now() - started;
  RecordProperty("milliseconds", std::to_string(elapsed / std::chrono::milliseconds(1)));
  auto metadata = t.Load();
  EXPECT_EQ(metadata->snapshots.size(), 100u);
  EXPECT_EQ(metadata->CurrentSnapshot()->summary.at("total-data-files"), "100");
  EXPECT_EQ(t.LiveFiles().size(), 100u);
}

// Each kill leaves a table that reads, and the next writer goes on.
TEST(ProcessesTest, KilledWriterLeavesTheTableWhole) {
  SmallTable t;
  size_t snapshots = 0;
  for (int round = 0; round < 8; round++) {
    const pid_t pid = StartWriter(t.folder.path(), "r" + std::to_string(round), 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 13 * round));
    kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    auto metadata = t.Load();
    EXPECT_GE(metadata->snapshots.size(), snapshots);
    snapshots = metadata->snapshots.size();
    EXPECT_EQ(t.LiveFiles().size(), snapshots);
  }
  const size_t before = snapshots;
  Must(t.Append({t.File("last", "x", 1)}));
  EXPECT_EQ(t.Load()->snapshots.size(), before + 1);
}

TEST(ThreadsTest, WritersOfOneProcess) {
  SmallTable t;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; k++) {
    threads.emplace_back([&t, k] {
      for (int i = 0; i < 10; i++) {
        spec::DataFile file = t.File(fmt::format("{}-{}", k, i), "x", 1);
        EXPECT_EQ(MessageOf(t.Append({file})), "no error");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(t.Load()->snapshots.size(), 40u);
}

}  // namespace
}  // namespace iceblink::commit
