#include "io/avro.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/uuid.h"
#include "io/compression.h"
#include "io/local_file_system.h"
#include "io/memory_file_system.h"

namespace iceblink::io::avro {
namespace {

constexpr const char* kSchema = R"({"type":"record","name":"r102","namespace":"x","fields":[
  {"name":"id","type":"long","field-id":1},
  {"name":"name","type":["null","string"],"default":null,"field-id":2},
  {"name":"amount","type":{"type":"fixed","name":"dec","size":4,"logicalType":"decimal","precision":9,"scale":2}},
  {"name":"again","type":["null","dec"]},
  {"name":"at","type":{"type":"long","logicalType":"timestamp-micros","adjust-to-utc":true},"field-id":5},
  {"name":"tags","type":{"type":"array","items":"string","element-id":7},"field-id":6},
  {"name":"sizes","type":{"type":"array","logicalType":"map","items":{"type":"record","name":"k8_v9","fields":[
     {"name":"key","type":"int","field-id":8},{"name":"value","type":"long","field-id":9}]}},"field-id":10},
  {"name":"attrs","type":{"type":"map","values":"double"}},
  {"name":"flag","type":"boolean"}, {"name":"f","type":"float"},
  {"name":"kind","type":{"type":"enum","name":"e","symbols":["A","B"]}}]})";

Value Row(int64_t i) {
  return Value::Struct({i, i % 3 == 0 ? Value() : Value("name" + std::to_string(i)),
                        Decimal{-1420 - i, 2}, Decimal{7, 2}, int64_t{1510871468000001},
                        Value::Array({"a", "b"}), Value::Map({{Value(int32_t{1}), Value(i)}}),
                        Value::Map({{Value("x"), Value(1.5)}}), i % 2 == 0, 2.5F,
                        i % 2 == 0 ? "A" : "B"});
}

std::string WriteRows(MemoryFileSystem& files, const std::string& codec, int64_t rows) {
  const std::string path = "memory://" + codec;
  const SchemaPtr schema = ParseSchema(kSchema).value();
  Writer::Options options;
  options.codec = codec;
  options.metadata = {{"format-version", "2"}};
  options.block_bytes = 1000;
  Writer writer =
      Writer::Create(files.Create(path, WriteMode::kReplace).value(), kSchema, options).value();
  for (int64_t i = 0; i < rows; i++) {
    EXPECT_TRUE(WriteValue(writer.encoder(), *schema, Row(i)));
    EXPECT_TRUE(writer.EndRecord());
  }
  EXPECT_TRUE(writer.Close());
  EXPECT_EQ(writer.length(), files.Stat(path)->size);
  return path;
}

// All rows, or the error that ends the file.
Result<ValueList> ReadRows(FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(Reader reader, Reader::Open(files, path));
  ValueList rows;
  Reader::Block block;
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, reader.NextBlock(block));
    if (!more) return rows;
    Decoder decoder(block.data);
    for (int64_t i = 0; i < block.count; i++) {
      rows.push_back(ReadValue(decoder, reader.schema()));
      if (!decoder.ok()) return Fail(reader.CorruptAt(decoder));
    }
  }
}

class AvroCodec : public testing::TestWithParam<std::string> {};

TEST_P(AvroCodec, ReadsWhatItWrote) {
  MemoryFileSystem files;
  const std::string path = WriteRows(files, GetParam(), 100);
  const ValueList rows = ReadRows(files, path).value();
  ASSERT_EQ(rows.size(), 100u);
  for (int64_t i = 0; i < 100; i++) EXPECT_EQ(rows[static_cast<size_t>(i)], Row(i));
  EXPECT_EQ(*Reader::Open(files, path)->FindMetadata("format-version"), "2");
}

TEST_P(AvroCodec, SkipsWithoutLosingItsPlace) {
  MemoryFileSystem files;
  Reader reader = Reader::Open(files, WriteRows(files, GetParam(), 5)).value();
  Reader::Block block;
  ASSERT_TRUE(reader.NextBlock(block).value());
  Decoder decoder(block.data);
  for (int64_t i = 0; i < block.count; i++) decoder.Skip(reader.schema());
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0u);
}

// Every prefix and every single changed byte gives rows or an error, never a crash.
TEST_P(AvroCodec, SurvivesTruncationAndBitFlips) {
  MemoryFileSystem files;
  const std::string bytes = files.ReadAll(WriteRows(files, GetParam(), 20)).value();
  for (size_t i = 0; i < bytes.size(); i++) {
    ASSERT_TRUE(files.WriteAll("memory://t", bytes.substr(0, i), WriteMode::kReplace));
    const auto truncated = ReadRows(files, "memory://t");
    if (!truncated) {
      EXPECT_EQ(truncated.error().code, ErrorCode::kCorrupt) << truncated.error().message;
    }
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0xff);
    ASSERT_TRUE(files.WriteAll("memory://t", changed, WriteMode::kReplace));
    (void)ReadRows(files, "memory://t");
  }
}

INSTANTIATE_TEST_SUITE_P(All, AvroCodec, testing::Values("null", "deflate", "snappy", "zstandard"),
                         [](const auto& info) { return info.param; });

TEST(AvroSchema, KeepsIcebergsAttributes) {
  const SchemaPtr schema = ParseSchema(kSchema).value();
  EXPECT_EQ(schema->name, "x.r102");
  EXPECT_EQ(schema->FindField(2)->default_json, "null");
  EXPECT_TRUE(schema->FindField(2)->type->IsNullable());
  EXPECT_EQ(schema->FindField(2)->type->NonNull().kind, Kind::kString);
  EXPECT_TRUE(schema->FindField(5)->type->adjust_to_utc);
  EXPECT_EQ(schema->FindField(6)->type->element_id, 7);
  EXPECT_EQ(schema->FindField(10)->type->items->FindField(9)->type->kind, Kind::kLong);
  EXPECT_EQ(schema->fields[3].type->NonNull().fixed_size, 4);
}

TEST(AvroSchema, RefusesHostileOnes) {
  EXPECT_FALSE(ParseSchema(R"("nosuch")"));
  EXPECT_FALSE(ParseSchema(R"({"type":"record","name":"a","fields":[{"name":"x","type":"a"}]})"));
  EXPECT_FALSE(ParseSchema(R"({"type":"fixed","name":"a","size":-1})"));
  EXPECT_FALSE(ParseSchema("[]"));
  std::string wide =
      R"({"type":"record","name":"r","fields":[{"name":"f","type":{"type":"record","name":"t0","fields":[]}})";
  for (int i = 1; i < 64; i++) {
    const std::string below = "\"t" + std::to_string(i - 1) + "\"";
    wide += R"(,{"name":"f","type":{"type":"record","name":"t)" + std::to_string(i) +
            R"(","fields":[{"name":"a","type":)" + below + R"(},{"name":"b","type":)" + below +
            "}]}}";
  }
  EXPECT_EQ(ParseSchema(wide + "]}").error().message, "Invalid Avro schema: too large");
}

TEST(AvroDecoder, FailsOnceAndStaysFailed) {
  Decoder decoder(std::string_view("\x80\x80", 2));
  EXPECT_EQ(decoder.ReadLong(), 0);
  EXPECT_FALSE(decoder.ok());
  EXPECT_EQ(decoder.ReadBytesView(), "");
  Encoder encoder;
  for (const int64_t v : {int64_t{0}, int64_t{-1}, int64_t{64}, INT64_MAX, INT64_MIN})
    encoder.WriteLong(v);
  decoder.Reset(encoder.buffer());
  for (const int64_t v : {int64_t{0}, int64_t{-1}, int64_t{64}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(decoder.ReadLong(), v);
}

// Reads every manifest and manifest list that other writers left in the foreign tables.
TEST(AvroForeign, ReadsEveryFile) {
  const char* root = std::getenv("ICEBLINK_FOREIGN_TABLES");
  if (root == nullptr) GTEST_SKIP() << "ICEBLINK_FOREIGN_TABLES is not set";
  LocalFileSystem files;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path();
    if (!path.ends_with(".avro") || path.find("bad_data") != std::string::npos) continue;
    const auto rows = ReadRows(files, path);
    EXPECT_TRUE(rows) << rows.error().message;
    count++;
  }
  EXPECT_GT(count, 50);
}

// 100,000 entries of a manifest's size must decode well within half a second even without
// optimization.
TEST(AvroSpeed, DecodesManifestSizedRecords) {
  MemoryFileSystem files;
  const std::string path = WriteRows(files, "deflate", 20000);
  const auto start = std::chrono::steady_clock::now();
  Reader reader = Reader::Open(files, path).value();
  Reader::Block block;
  int64_t rows = 0;
  while (reader.NextBlock(block).value()) {
    Decoder decoder(block.data);
    for (int64_t i = 0; i < block.count; i++) decoder.Skip(reader.schema());
    ASSERT_TRUE(decoder.ok());
    rows += block.count;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(rows, 20000);
  EXPECT_LT(took.count(), 2.0);
  RecordProperty("seconds", std::to_string(took.count()));
}

}  // namespace
}  // namespace iceblink::io::avro
