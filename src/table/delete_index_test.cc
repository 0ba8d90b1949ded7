#include "table/delete_index.h"

#include "table/metadata_columns.h"
#include "table/test_tables.h"

namespace iceblink::table {
namespace {

using spec::DataFile;
using spec::DataFileContent;

DeleteFilePtr Deletes(DataFileContent content, const std::string& name, Value dep, int64_t sequence,
                      int32_t spec = 0) {
  DataFile file = SmallFile(name, std::move(dep));
  file.content = content;
  file.spec_id = spec;
  if (spec == 1) file.partition.clear();
  if (content == DataFileContent::kEqualityDeletes) file.equality_ids = {1};
  return std::make_shared<DeleteFile>(DeleteFile{std::move(file), sequence});
}

DeleteFilePtr Vector(const std::string& name, const DataFile& data, int64_t sequence) {
  DataFile file = SmallFile(name, data.partition[0]);
  file.content = DataFileContent::kPositionDeletes;
  file.format = spec::FileFormat::kPuffin;
  file.referenced_data_file = data.file_path;
  file.content_offset = 4;
  file.content_size_in_bytes = 50;
  return std::make_shared<DeleteFile>(DeleteFile{std::move(file), sequence});
}

class DeleteIndexTest : public testing::Test {
 protected:
  DeleteIndexTest() : metadata_(SmallTable()) {
    metadata_.specs.push_back(spec::PartitionSpec{1, {}});
    types_ = PartitionTypes(metadata_);
  }
  // Sequence numbers of the deletes that apply.
  std::vector<int64_t> For(std::vector<DeleteFilePtr> deletes, const DataFile& file,
                           int64_t sequence) {
    const DeleteIndex index =
        Must(DeleteIndex::Build(std::move(deletes), types_, metadata_.schema()));
    std::vector<int64_t> found;
    for (const DeleteFilePtr& d : Must(index.For(file, sequence)))
      found.push_back(d->sequence_number);
    return found;
  }
  using Numbers = std::vector<int64_t>;
  spec::TableMetadata metadata_;
  PartitionTypes types_;
  const DataFile data_ = SmallFile("a", "x");
};

TEST_F(DeleteIndexTest, PositionsByPartitionAndSequence) {
  const auto position = DataFileContent::kPositionDeletes;
  EXPECT_EQ(For({Deletes(position, "1", "x", 9), Deletes(position, "2", "x", 4),
                 Deletes(position, "3", "x", 5), Deletes(position, "4", "y", 6)},
                data_, 5),
            (Numbers{5, 9}));
}

TEST_F(DeleteIndexTest, PositionsOfOneFile) {
  DataFile scoped = SmallFile("d", "x");
  scoped.content = DataFileContent::kPositionDeletes;
  SetBounds(scoped, kDeleteFilePathId, data_.file_path, data_.file_path);
  const auto deletes = std::make_shared<DeleteFile>(DeleteFile{scoped, 7});
  EXPECT_EQ(For({deletes}, data_, 7), Numbers{7});
  EXPECT_EQ(For({deletes}, SmallFile("other", "x"), 7), Numbers{});
}

TEST_F(DeleteIndexTest, EqualityIsOlderThanStrictly) {
  const auto equality = DataFileContent::kEqualityDeletes;
  EXPECT_EQ(For({Deletes(equality, "1", "x", 5), Deletes(equality, "2", "x", 6),
                 Deletes(equality, "3", "y", 9), Deletes(equality, "4", Value(), 8, 1),
                 Deletes(equality, "5", Value(), 5, 1)},
                data_, 5),
            (Numbers{8, 6}));  // global ones first
}

TEST_F(DeleteIndexTest, BoundsRuleEqualityDeletesOut) {
  const auto with_bounds = [](DataFile file, std::string lower, std::string upper) {
    SetBounds(file, 1, std::move(lower), std::move(upper));
    return file;
  };
  const DataFile data =
      with_bounds(data_, std::string("\x0a\0\0\0", 4), std::string("\x14\0\0\0", 4));
  DataFile below = with_bounds(Deletes(DataFileContent::kEqualityDeletes, "1", "x", 9)->file,
                               std::string("\1\0\0\0", 4), std::string("\x9\0\0\0", 4));
  EXPECT_EQ(For({std::make_shared<DeleteFile>(DeleteFile{below, 9})}, data, 1), Numbers{});
  below.upper_bounds.Set(1, Bytes{std::string("\x0a\0\0\0", 4)});
  EXPECT_EQ(For({std::make_shared<DeleteFile>(DeleteFile{below, 9})}, data, 1), Numbers{9});
  DataFile all_null = data;
  all_null.null_value_counts.Set(1, all_null.record_count);
  EXPECT_EQ(For({std::make_shared<DeleteFile>(DeleteFile{below, 9})}, all_null, 1), Numbers{});
}

TEST_F(DeleteIndexTest, VectorReplacesPositions) {
  EXPECT_EQ(For({Deletes(DataFileContent::kPositionDeletes, "1", "x", 9), Vector("v", data_, 6)},
                data_, 5),
            Numbers{6});
  const auto twice = DeleteIndex::Build({Vector("v", data_, 6), Vector("w", data_, 7)}, types_,
                                        metadata_.schema());
  EXPECT_TRUE(
      twice.error().message.starts_with("Can't index multiple DVs for " + data_.file_path + ": "));
  const DeleteIndex old =
      Must(DeleteIndex::Build({Vector("v", data_, 6)}, types_, metadata_.schema()));
  EXPECT_EQ(
      old.For(data_, 8).error().message,
      "DV data sequence number (6) must be greater than or equal to data file sequence number (8)");
}

}  // namespace
}  // namespace iceblink::table
