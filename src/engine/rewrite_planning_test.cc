#include "engine/rewrite_planning.h"

#include <gtest/gtest.h>

namespace iceblink::engine {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

table::FileScanTask File(const std::string& path, int64_t size, std::vector<Value> partition = {},
                         int32_t spec_id = 0) {
  table::FileScanTask task;
  task.file.file_path = path;
  task.file.file_size_in_bytes = size;
  task.file.record_count = 100;
  task.file.partition = std::move(partition);
  task.file.spec_id = spec_id;
  return task;
}

RewriteOptions Options(std::map<std::string, std::string> given = {}) {
  spec::TableMetadata metadata;
  metadata.specs.push_back({});
  auto options = ParseRewriteOptions(given, metadata, "BIN-PACK");
  EXPECT_TRUE(options.has_value()) << options.error().message;
  return *options;
}

std::vector<std::vector<std::string>> Paths(const std::vector<FileGroup>& groups) {
  std::vector<std::vector<std::string>> paths;
  for (const FileGroup& group : groups) {
    paths.emplace_back();
    for (const auto& task : group.tasks) paths.back().push_back(task.file.file_path);
  }
  return paths;
}

using Groups = std::vector<std::vector<std::string>>;

TEST(RewritePlanning, FourSmallFilesAreLeftAloneFiveAreNot) {
  std::vector<table::FileScanTask> files;
  for (const char* name : {"a", "b", "c", "d"}) files.push_back(File(name, kMiB));
  EXPECT_TRUE(PlanGroups(files, Options()).empty());
  files.push_back(File("e", kMiB));
  EXPECT_EQ(Paths(PlanGroups(files, Options())), (Groups{{"a", "b", "c", "d", "e"}}));
}

TEST(RewritePlanning, FilesOfTheRightSizeStay) {
  std::vector<table::FileScanTask> files{File("small", 70 * kMiB), File("right", 100 * kMiB),
                                         File("large", 190 * kMiB)};
  auto groups = PlanGroups(
      files, Options({{"target-file-size-bytes", "104857600"}, {"min-input-files", "2"}}));
  EXPECT_EQ(Paths(groups), (Groups{{"small", "large"}}));
  EXPECT_EQ(groups[0].bytes, 260 * kMiB);
}

TEST(RewritePlanning, PartitionsAreApartAndOldSpecsTogether) {
  std::vector<table::FileScanTask> files{
      File("a1", 1, {Value("a")}), File("b1", 1, {Value("b")}), File("a2", 1, {Value("a")}),
      File("old1", 1, {Value(int32_t{1})}, 7), File("old2", 1, {}, 8)};
  EXPECT_EQ(Paths(PlanGroups(files, Options({{"rewrite-all", "true"}}))),
            (Groups{{"old1", "old2"}, {"a1", "a2"}, {"b1"}}));
}

TEST(RewritePlanning, BinsCloseWhenTheNextFileDoesNotFit) {
  std::vector<table::FileScanTask> files{File("a", 60), File("b", 60), File("c", 30)};
  auto groups =
      PlanGroups(files, Options({{"rewrite-all", "true"}, {"max-file-group-size-bytes", "100"}}));
  EXPECT_EQ(Paths(groups), (Groups{{"a"}, {"b", "c"}}));
}

TEST(RewritePlanning, DeletesMakeAFileWorthRewriting) {
  table::FileScanTask task = File("a", 400 * kMiB);
  auto vector = std::make_shared<table::DeleteFile>();
  vector->file.content = spec::DataFileContent::kPositionDeletes;
  vector->file.referenced_data_file = "a";
  vector->file.record_count = 29;
  task.deletes = {vector};
  EXPECT_TRUE(PlanGroups({task}, Options()).empty());
  vector->file.record_count = 30;
  EXPECT_EQ(Paths(PlanGroups({task}, Options())), (Groups{{"a"}}));
  EXPECT_EQ(Paths(PlanGroups({task}, Options({{"delete-file-threshold", "1"}}))), (Groups{{"a"}}));
}

TEST(RewritePlanning, RefusesWhatItDoesNotKnow) {
  spec::TableMetadata metadata;
  metadata.specs.push_back({});
  EXPECT_EQ(ParseRewriteOptions({{"nonsense", "1"}}, metadata, "BIN-PACK").error().message,
            "Cannot use options [nonsense], they are not supported by the action or the rewriter "
            "BIN-PACK");
  EXPECT_EQ(
      ParseRewriteOptions({{"target-file-size-bytes", "-1"}}, metadata, "BIN-PACK").error().message,
      "'target-file-size-bytes' is set to -1 but must be > 0");
}

}  // namespace
}  // namespace iceblink::engine
