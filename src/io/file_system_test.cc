// The same promises for every FileSystem, then what is particular to the local disk and to
// locations.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/uuid.h"
#include "io/catalog_file_system.h"
#include "io/local_file_system.h"
#include "io/memory_file_system.h"

namespace iceblink::io {
namespace {

class FileSystemTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "s3") {
      if (std::getenv("ICEBLINK_TEST_S3") == nullptr)
        GTEST_SKIP() << "ICEBLINK_TEST_S3 (s3://bucket, reached as AWS_* variables say) is not set";
      files_ = std::make_shared<CatalogFileSystem>(FileSystemProperties());
      root_ = std::string(std::getenv("ICEBLINK_TEST_S3")) + "/" + NewUuid();
      return;
    }
    if (GetParam() == "memory") {
      files_ = std::make_shared<MemoryFileSystem>();
      root_ = "memory://w";
      return;
    }
    folder_ = std::filesystem::temp_directory_path() / ("iceblink-" + NewUuid());
    files_ = std::make_shared<LocalFileSystem>();
    root_ = (GetParam() == "uri" ? "file:" : "") + folder_.string();
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::string At(const std::string& name) const { return root_ + "/" + name; }
  std::vector<std::string> Names(const std::string& path, bool recursive) {
    std::vector<std::string> names;
    EXPECT_TRUE(files_->List(path, recursive, [&](const FileInfo& info) -> Status {
      names.push_back(info.path + (info.is_directory ? "/" : ""));
      return {};
    }));
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path folder_;
  std::shared_ptr<FileSystem> files_;
  std::string root_;
};

TEST_P(FileSystemTest, WritesThenReads) {
  const std::string path = At("a/b/c.txt");
  ASSERT_TRUE(files_->WriteAll(path, "hello", WriteMode::kCreateNew));
  EXPECT_EQ(files_->ReadAll(path).value(), "hello");
  EXPECT_EQ(files_->Stat(path)->size, 5);
  EXPECT_GT(files_->Stat(path)->modified_ms, 1'600'000'000'000);
  const auto file = files_->OpenRead(path).value();
  char two[2];
  ASSERT_TRUE(file->ReadAt(3, 2, two));
  EXPECT_EQ(std::string(two, 2), "lo");
  EXPECT_EQ(file->ReadAt(4, 2, two).error().code, ErrorCode::kCorrupt);
}

TEST_P(FileSystemTest, HidesAFileUntilClosed) {
  {
    const auto file = files_->Create(At("x"), WriteMode::kCreateNew).value();
    ASSERT_TRUE(file->Append("half"));
    EXPECT_EQ(file->position(), 4);
    EXPECT_FALSE(files_->Exists(At("x")).value());
  }
  EXPECT_TRUE(Names(root_, true).empty());
}

TEST_P(FileSystemTest, CreatesOnceAndReplacesOnDemand) {
  ASSERT_TRUE(files_->WriteAll(At("x"), "1", WriteMode::kCreateNew));
  EXPECT_EQ(files_->WriteAll(At("x"), "2", WriteMode::kCreateNew).error().code,
            ErrorCode::kAlreadyExists);
  ASSERT_TRUE(files_->WriteAll(At("x"), "3", WriteMode::kReplace));
  EXPECT_EQ(files_->ReadAll(At("x")).value(), "3");
}

TEST_P(FileSystemTest, LetsOneOfManyRacersWin) {
  std::atomic<int> winners = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++) {
    threads.emplace_back([&, i] {
      const std::string temp = At("t" + std::to_string(i));
      ASSERT_TRUE(files_->WriteAll(temp, temp, WriteMode::kCreateNew));
      const Status status = files_->RenameNoReplace(temp, At("v1"));
      if (status)
        winners++;
      else
        EXPECT_EQ(status.error().code, ErrorCode::kAlreadyExists);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
}

TEST_P(FileSystemTest, NamesWhatIsMissing) {
  const auto read = files_->ReadAll(At("nosuch"));
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read.error().message, "Failed to open input stream for file: " + At("nosuch"));
  EXPECT_EQ(read.error().exception, "NotFoundException");
  const Status deleted = files_->Delete(At("nosuch"));
  EXPECT_TRUE(deleted ? GetParam() == "s3" : deleted.error().code == ErrorCode::kNotFound);
  EXPECT_EQ(files_->Stat(At("nosuch")).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(Names(At("nosuch"), true).empty());
}

TEST_P(FileSystemTest, ListsInTheFormAsked) {
  for (const char* name : {"d/1", "d/e/2", "d2/3"})
    ASSERT_TRUE(files_->WriteAll(At(name), "", WriteMode::kCreateNew));
  EXPECT_EQ(Names(At("d"), true), (std::vector<std::string>{At("d/1"), At("d/e/2")}));
  EXPECT_EQ(Names(At("d/"), false), (std::vector<std::string>{At("d/1"), At("d/e/")}));
  EXPECT_TRUE(files_->Stat(At("d"))->is_directory);
}

TEST_P(FileSystemTest, KeepsEmptyFoldersAndDeletesTrees) {
  ASSERT_TRUE(files_->CreateDirectory(At("a/b")));
  EXPECT_TRUE(files_->Stat(At("a"))->is_directory);
  EXPECT_EQ(Names(At("a"), false), std::vector<std::string>{At("a/b/")});
  ASSERT_TRUE(files_->WriteAll(At("a/b/x"), "", WriteMode::kCreateNew));
  ASSERT_TRUE(files_->DeleteDirectory(At("a")));
  EXPECT_EQ(Names(At("a"), true), std::vector<std::string>());
  // SeaweedFS keeps folders within a folder, empty.
  EXPECT_TRUE(GetParam() == "s3" || !files_->Exists(At("a")).value());
  EXPECT_TRUE(files_->DeleteDirectory(At("a")));
}

TEST_P(FileSystemTest, DeletesManyAndCountsMissingOnes) {
  ASSERT_TRUE(files_->WriteAll(At("x"), "", WriteMode::kCreateNew));
  EXPECT_EQ(files_->DeleteMany({At("x"), At("y")}, {}), 2u);
  EXPECT_FALSE(files_->Exists(At("x")).value());
}

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest, testing::Values("memory", "local", "uri", "s3"),
                         [](const auto& info) { return info.param; });

TEST(Locations, AreReadInEveryForm) {
  EXPECT_EQ(LocalPath("file:///w/t"), "/w/t");
  EXPECT_EQ(LocalPath("file:/w/t"), "/w/t");
  EXPECT_EQ(LocalPath("file://localhost/w"), "/w");
  EXPECT_EQ(LocalPath("/w/a:b"), "/w/a:b");
  EXPECT_EQ(Scheme("s3://b/k"), "s3");
  EXPECT_EQ(Scheme("/w/x:/y"), "");
  EXPECT_EQ(Scheme("C:/x"), "");
  EXPECT_EQ(JoinPath("a/", "/b"), "a/b");
  EXPECT_EQ(BaseName("a/b"), "b");
}

TEST(SchemeRouter, RefusesUnknownSchemes) {
  SchemeRouter router;
  EXPECT_EQ(router.ReadAll("gs://b/k").error().code, ErrorCode::kUnsupported);
  ASSERT_TRUE(router.WriteAll("memory://a", "x", WriteMode::kCreateNew));
  EXPECT_EQ(router.ReadAll("memory://a").value(), "x");
}

TEST(LocalFileSystem, NamesAReadOnlyFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const auto folder = std::filesystem::temp_directory_path() / ("iceblink-" + NewUuid());
  std::filesystem::create_directories(folder);
  ::chmod(folder.c_str(), 0555);
  const Status status = LocalFileSystem().WriteAll(folder / "x", "", WriteMode::kCreateNew);
  EXPECT_EQ(status.error().code, ErrorCode::kForbidden);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace iceblink::io
