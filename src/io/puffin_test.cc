// Golden files: those of Iceberg's own tests of Puffin and deletion vectors.
#include "io/puffin.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "io/compression.h"
#include "io/deletion_vector.h"
#include "io/local_file_system.h"
#include "io/memory_file_system.h"

namespace iceblink::io {
namespace {

std::string GoldenFolder() {
  const char* root = std::getenv("ICEBLINK_FOREIGN_TABLES");
  return root == nullptr
             ? ""
             : std::string(root) + "/apache__iceberg/core/src/test/resources/org/apache/iceberg/";
}

#define REQUIRE_GOLDEN() \
  if (GoldenFolder().empty()) GTEST_SKIP() << "ICEBLINK_FOREIGN_TABLES is not set"

TEST(Compression, RoundTripsEveryCodec) {
  std::string text;
  for (int i = 0; i < 20000; i++) text += "line " + std::to_string(i % 100);
  for (const auto codec :
       {Compression::kNone, Compression::kDeflate, Compression::kZlib, Compression::kGzip,
        Compression::kSnappy, Compression::kZstd, Compression::kLz4Frame}) {
    for (const std::string& plain : {text, std::string(), std::string("x")}) {
      const std::string packed = Compress(codec, plain).value();
      EXPECT_EQ(Decompress(codec, packed).value(), plain);
      if (codec == Compression::kNone || plain.empty()) continue;
      EXPECT_FALSE(Decompress(codec, packed.substr(0, packed.size() - 1)));
      EXPECT_FALSE(Decompress(codec, packed, plain.size() - 1)) << static_cast<int>(codec);
    }
    if (codec == Compression::kNone) continue;
    EXPECT_FALSE(Decompress(codec, "garbage that is no stream"));
  }
}

TEST(Puffin, WritesTheGoldenEmptyFile) {
  REQUIRE_GOLDEN();
  LocalFileSystem local;
  MemoryFileSystem memory;
  PuffinWriter writer =
      PuffinWriter::Create(memory.Create("x", WriteMode::kCreateNew).value(), {}).value();
  ASSERT_TRUE(writer.Close());
  EXPECT_EQ(memory.ReadAll("x").value(),
            local.ReadAll(GoldenFolder() + "puffin/v1/empty-puffin-uncompressed.bin").value());
}

TEST(Puffin, WritesTheGoldenSample) {
  REQUIRE_GOLDEN();
  LocalFileSystem local;
  MemoryFileSystem memory;
  PuffinWriter writer = PuffinWriter::Create(memory.Create("x", WriteMode::kCreateNew).value(),
                                             {{"created-by", "Test 1234"}})
                            .value();
  PuffinBlob first{"some-blob", {1}, 2, 1};
  ASSERT_TRUE(writer.Add(first, "abcdefghi"));
  PuffinBlob second{"some-other-blob", {2}, 2, 1};
  ASSERT_TRUE(writer.Add(
      second,
      std::string("some blob \0 binary data \xf0\x9f\xa4\xaf that is not very very very very "
                  "very very long, is it?",
                  83)));
  ASSERT_TRUE(writer.Close());
  EXPECT_EQ(
      memory.ReadAll("x").value(),
      local.ReadAll(GoldenFolder() + "puffin/v1/sample-metric-data-uncompressed.bin").value());
}

TEST(Puffin, ReadsGoldenBlobsInEveryCodec) {
  REQUIRE_GOLDEN();
  LocalFileSystem files;
  for (const char* name :
       {"sample-metric-data-uncompressed.bin", "sample-metric-data-compressed-zstd.bin"}) {
    const auto file = files.OpenRead(GoldenFolder() + "puffin/v1/" + name).value();
    const PuffinFooter footer = ReadPuffinFooter(*file).value();
    ASSERT_EQ(footer.blobs.size(), 2u);
    EXPECT_EQ(footer.properties.at("created-by"), "Test 1234");
    EXPECT_EQ(ReadPuffinBlob(*file, footer.blobs[0]).value(), "abcdefghi");
    EXPECT_EQ(ReadPuffinBlob(*file, footer.blobs[1])->size(), 83u);
  }
}

TEST(Puffin, CompressesFooterAndRejectsDamage) {
  MemoryFileSystem files;
  PuffinWriter writer =
      PuffinWriter::Create(files.Create("x", WriteMode::kCreateNew).value(), {}, true).value();
  PuffinBlob blob{"t", {1}, 1, 1, 0, 0, PuffinCodec::kLz4, {{"ndv", "3"}}};
  const PuffinBlob added = writer.Add(blob, "payload").value();
  ASSERT_TRUE(writer.Close());
  const auto file = files.OpenRead("x").value();
  const PuffinFooter footer = ReadPuffinFooter(*file).value();
  EXPECT_EQ(footer.blobs, std::vector<PuffinBlob>{added});
  EXPECT_EQ(footer.footer_size, writer.footer_size());
  EXPECT_EQ(ReadPuffinBlob(*file, added).value(), "payload");
  const std::string bytes = files.ReadAll("x").value();
  for (size_t i = 0; i < bytes.size(); i++) {
    ASSERT_TRUE(files.WriteAll("y", bytes.substr(i), WriteMode::kReplace));
    (void)ReadPuffinFooter(*files.OpenRead("y").value());
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    ASSERT_TRUE(files.WriteAll("y", changed, WriteMode::kReplace));
    (void)ReadPuffinFooter(*files.OpenRead("y").value());
  }
}

TEST(PositionBitmap, AnswersQuestions) {
  PositionBitmap bitmap;
  bitmap.AddRange(5, 8);
  bitmap.Add((int64_t{1} << 32) + 1);
  const int64_t more[] = {100, 5};
  bitmap.AddMany(more, 2);
  EXPECT_EQ(bitmap.Cardinality(), 5);
  EXPECT_TRUE(bitmap.Contains(7));
  EXPECT_FALSE(bitmap.Contains(8));
  EXPECT_FALSE(bitmap.Contains(-1));
  EXPECT_EQ(bitmap.CountRange(6, 101), 3);
  EXPECT_EQ(bitmap.CountRange(0, INT64_MAX), 5);
  bool alive[4];
  bitmap.MarkSurvivors(4, 4, alive);
  EXPECT_TRUE(alive[0]);
  EXPECT_FALSE(alive[1] || alive[2] || alive[3]);
  std::vector<int64_t> seen;
  bitmap.ForEach([&](int64_t p) { return seen.push_back(p), seen.size() < 4; });
  EXPECT_EQ(seen, (std::vector<int64_t>{5, 6, 7, 100}));
  PositionBitmap wide;
  wide.AddRange((int64_t{1} << 32) - 2, (int64_t{1} << 32) + 2);
  EXPECT_EQ(wide.Cardinality(), 4);
  wide.Merge(bitmap);
  EXPECT_EQ(wide.Cardinality(), 8);
  EXPECT_EQ(PositionBitmap::FromBlob(wide.ToBlob()).value(), wide);
}

TEST(DeletionVector, MatchesJavasBytes) {
  REQUIRE_GOLDEN();
  LocalFileSystem files;
  const std::string folder = GoldenFolder() + "deletes/";
  PositionBitmap alternating;
  for (const int64_t p : {1, 3, 5, 7, 9}) alternating.Add(p);
  EXPECT_EQ(alternating.ToBlob(),
            files.ReadAll(folder + "small-alternating-values-position-index.bin").value());
  EXPECT_EQ(PositionBitmap().ToBlob(), files.ReadAll(folder + "empty-position-index.bin").value());
  PositionBitmap containers;
  constexpr int64_t kContainer = 1 << 16;
  for (const int64_t base : {int64_t{0}, int64_t{1} << 32}) {
    containers.Add(base + 5);
    containers.Add(base + 7);
    containers.AddRange(base + kContainer + 1, base + kContainer + 1000);
    containers.AddRange(base + 2 * kContainer + 1, base + 3 * kContainer - 1);
  }
  const std::string golden =
      files.ReadAll(folder + "all-container-types-position-index.bin").value();
  EXPECT_EQ(PositionBitmap::FromBlob(golden).value().ToBlob(), golden);
  const PositionBitmap spread =
      PositionBitmap::FromBlob(
          files.ReadAll(folder + "small-and-large-values-position-index.bin").value())
          .value();
  EXPECT_TRUE(spread.Contains(100));
  EXPECT_TRUE(spread.Contains(2147483747));
}

TEST(DeletionVector, ReadsForeignBitmaps) {
  REQUIRE_GOLDEN();
  LocalFileSystem files;
  for (const char* name : {"64map32bitvals.bin", "64mapspreadvals.bin", "64mapempty.bin"}) {
    const auto bitmap =
        PositionBitmap::FromPortable(files.ReadAll(GoldenFolder() + "deletes/" + name).value());
    EXPECT_TRUE(bitmap) << name << bitmap.error().message;
  }
  // Its keys are above the largest that Iceberg takes.
  const auto high = PositionBitmap::FromPortable(
      files.ReadAll(GoldenFolder() + "deletes/64maphighvals.bin").value());
  EXPECT_EQ(high.error().code, ErrorCode::kCorrupt);
}

TEST(DeletionVector, RejectsDamage) {
  PositionBitmap bitmap;
  bitmap.AddRange(0, 5000);
  for (int64_t i = 100000; i < 120000; i += 2) bitmap.Add(i);
  const std::string blob = bitmap.ToBlob();
  for (size_t i = 0; i < blob.size(); i += 7) {
    std::string changed = blob;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(PositionBitmap::FromBlob(changed).error().code, ErrorCode::kCorrupt);
    EXPECT_FALSE(PositionBitmap::FromBlob(blob.substr(0, i)));
  }
  // Without the checksum's protection the bitmap itself is checked.
  const std::string portable = bitmap.ToPortable();
  for (size_t i = 0; i < portable.size(); i++) {
    std::string changed = portable;
    changed[i] = static_cast<char>(changed[i] ^ 0xff);
    const auto read = PositionBitmap::FromPortable(changed);
    if (read) {
      EXPECT_GE(read->Cardinality(), 0);
    }
  }
}

}  // namespace
}  // namespace iceblink::io
