// Avro and ORC files by themselves: types that Spark's tables do not have, other writers' schemas,
// projections and damage. SQL over such files is in test/sql and test/interop.
#include <gtest/gtest.h>

#include "exec/duckdb_session.h"
#include "exec/duckdb_types.h"
#include "exec/file_decoder.h"
#include "exec/row_sink.h"
#include "io/avro.h"
#include "io/memory_file_system.h"
#include "spec/properties.h"

namespace iceblink::exec {
namespace {

using spec::NestedField;
using spec::Type;

class FileFormatsTest : public testing::Test {
 protected:
  Status InClient(const std::function<Status(duckdb::ClientContext&)>& body) {
    RETURN_IF_ERROR(session_.Prepare({.core_functions = true, .parquet = true}));
    return session_.InTransaction(body);
  }

  static Result<std::vector<ValueList>> RowsOf(FileDecoder& decoder,
                                               const duckdb::vector<duckdb::ColumnIndex>& wanted) {
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto& index : wanted)
      types.push_back(decoder.columns()[index.GetPrimaryIndex()].type);
    RETURN_IF_ERROR(decoder.Select(wanted));
    std::vector<ValueList> out;
    duckdb::DataChunk chunk;
    chunk.Initialize(duckdb::Allocator::DefaultAllocator(), types);
    const size_t parts = decoder.parts().size();
    size_t part = 0;
    if (parts > 0) RETURN_IF_ERROR(decoder.Start(part));
    while (part < parts) {
      chunk.Reset();
      std::vector<duckdb::Vector*> columns;
      for (duckdb::Vector& column : chunk.data) columns.push_back(&column);
      ASSIGN_OR_RETURN(const size_t count, decoder.Next(columns));
      if (count == 0) {
        if (++part < parts) RETURN_IF_ERROR(decoder.Start(part));
        continue;
      }
      const size_t begin = out.size();
      out.resize(begin + count);
      std::vector<ValueList> rows(count);
      for (duckdb::Vector& column : chunk.data) AppendColumn(column, count, &rows);
      std::move(rows.begin(), rows.end(), out.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    return out;
  }

  static duckdb::vector<duckdb::ColumnIndex> All(const FileDecoder& decoder) {
    duckdb::vector<duckdb::ColumnIndex> out;
    for (size_t i = 0; i < decoder.columns().size(); ++i) out.emplace_back(i);
    return out;
  }

  // An Avro file of a schema in JSON and of values.
  std::unique_ptr<FileDecoder> Avro(const std::string& schema, const std::vector<Value>& records) {
    auto parsed = io::avro::ParseSchema(schema);
    EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message);
    auto file = files_.Create("memory://t/f.avro", io::WriteMode::kReplace);
    auto writer = io::avro::Writer::Create(std::move(*file), schema, {.block_bytes = 20});
    for (const Value& record : records) {
      EXPECT_TRUE(io::avro::WriteValue(writer->encoder(), **parsed, record));
      EXPECT_TRUE(writer->EndRecord());
    }
    EXPECT_TRUE(writer->Close());
    auto decoder = OpenAvro(std::move(*files_.OpenRead("memory://t/f.avro")));
    EXPECT_TRUE(decoder.has_value()) << (decoder ? "" : decoder.error().message);
    return decoder ? std::move(*decoder) : nullptr;
  }

  io::MemoryFileSystem files_;
  DuckDbSession session_{{.threads = 1, .files = &files_}};
};

TEST_F(FileFormatsTest, AvroOfOtherWriters) {
  auto decoder = Avro(
      R"({"type":"record","name":"r","fields":[
        {"name":"color","type":{"type":"enum","name":"e","symbols":["red","blue"]}},
        {"name":"at","type":["long","null"]},
        {"name":"ms","type":{"type":"long","logicalType":"timestamp-millis"}},
        {"name":"wall","type":{"type":"long","logicalType":"local-timestamp-micros"}},
        {"name":"time","type":{"type":"int","logicalType":"time-millis"}},
        {"name":"money","type":{"type":"bytes","logicalType":"decimal","precision":20,"scale":2}},
        {"name":"nothing","type":"null"},
        {"name":"byname","type":{"type":"map","values":["null","double"]}}]})",
      {Value::Struct({"blue", Value(int64_t{5}), Value(int64_t{1500000}), Value(int64_t{7}),
                      Value(int64_t{3000}), Value(Decimal{-12345, 2}), Value(),
                      Value::Map({{"k", Value(1.5)}, {"n", Value()}})}),
       Value::Struct({"red", Value(), Value(int64_t{-1000}), Value(int64_t{-7}), Value(int64_t{0}),
                      Value(Decimal{1, 2}), Value(), Value::Map({})})});
  ASSERT_NE(decoder, nullptr);
  auto rows = RowsOf(*decoder, All(*decoder));
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(rows->at(0),
            (ValueList{"blue", Value(int64_t{5}), Value(int64_t{1500000}), Value(int64_t{7}),
                       Value(int64_t{3000}), Value(Decimal{-12345, 2}), Value(),
                       Value::Map({{"k", Value(1.5)}, {"n", Value()}})}));
  EXPECT_EQ(rows->at(1)[1], Value());
  EXPECT_EQ(rows->at(1)[2], Value(int64_t{-1000}));
  EXPECT_TRUE(decoder->columns()[0].identifier.IsNull());
}

TEST_F(FileFormatsTest, AvroSkipsWhatNobodyWants) {
  auto decoder = Avro(
      R"({"type":"record","name":"r","fields":[
        {"name":"a","field-id":1,"type":["null",{"type":"array","element-id":9,"items":"string"}]},
        {"name":"s","field-id":2,"type":{"type":"record","name":"r2","fields":[
          {"name":"x","field-id":3,"type":"string"},{"name":"y","field-id":4,"type":"int"}]}},
        {"name":"z","field-id":5,"type":"long"}]})",
      {Value::Struct({Value::Array({"p", "q"}), Value::Struct({"x1", Value(int32_t{1})}),
                      Value(int64_t{10})}),
       Value::Struct({Value(), Value::Struct({"x2", Value(int32_t{2})}), Value(int64_t{20})})});
  ASSERT_NE(decoder, nullptr);
  EXPECT_EQ(decoder->columns()[1].GetIdentifierFieldId(), 2);
  EXPECT_EQ(decoder->columns()[1].children[1].GetIdentifierFieldId(), 4);
  EXPECT_EQ(decoder->columns()[0].children[0].GetIdentifierFieldId(), 9);
  duckdb::vector<duckdb::ColumnIndex> y = {duckdb::ColumnIndex(1)};
  auto rows = RowsOf(*decoder, {duckdb::ColumnIndex(2), duckdb::ColumnIndex(1, y)});
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  EXPECT_EQ(*rows, (std::vector<ValueList>{
                       {Value(int64_t{10}), Value::Struct({Value(), Value(int32_t{1})})},
                       {Value(int64_t{20}), Value::Struct({Value(), Value(int32_t{2})})}}));
}

TEST_F(FileFormatsTest, AvroUnionsOfSeveralTypesAreRefused) {
  const std::string schema =
      R"({"type":"record","name":"r","fields":[{"name":"u","type":["null","int","string"]}]})";
  auto file = files_.Create("memory://t/u.avro", io::WriteMode::kReplace);
  auto writer = io::avro::Writer::Create(std::move(*file), schema, {});
  ASSERT_TRUE(writer->Close());
  auto decoder = OpenAvro(std::move(*files_.OpenRead("memory://t/u.avro")));
  ASSERT_FALSE(decoder.has_value());
  EXPECT_EQ(decoder.error().code, ErrorCode::kUnsupported);
}

// Types beyond Spark's, written through the C++ library's door and read back.
class WriteTest : public FileFormatsTest, public testing::WithParamInterface<const char*> {
 protected:
  Result<std::vector<spec::DataFile>> Write(std::vector<NestedField> fields,
                                            const std::vector<ValueList>& rows,
                                            spec::Properties properties = {}) {
    auto metadata = std::make_shared<spec::TableMetadata>();
    metadata->format_version = 2;
    metadata->location = "memory://t";
    metadata->schemas = {spec::Schema(fields, 0)};
    metadata->specs = {spec::PartitionSpec()};
    metadata->sort_orders = {spec::SortOrder()};
    properties["write.format.default"] = GetParam();
    metadata->properties = std::move(properties);
    WriteSpec write;
    write.metadata = metadata;
    write.schema = std::make_shared<const spec::Schema>(fields, 0);
    write.operation_id = "op";
    ASSIGN_OR_RETURN(auto sink, RowSink::Open(files_, write));
    RETURN_IF_ERROR(sink->Append(rows));
    return sink->Finish();
  }

  Result<std::vector<ValueList>> Read(const spec::DataFile& file) {
    std::vector<ValueList> rows;
    RETURN_IF_ERROR(InClient([&](duckdb::ClientContext& context) -> Status {
      ASSIGN_OR_RETURN(auto input, files_.OpenRead(file.file_path));
      auto opened = file.format == spec::FileFormat::kAvro ? OpenAvro(std::move(input))
                                                           : OpenOrc(context, std::move(input));
      if (!opened) return Fail(opened.error());
      ASSIGN_OR_RETURN(rows, RowsOf(**opened, All(**opened)));
      return {};
    }));
    return rows;
  }
};

TEST_P(WriteTest, TimesAndBytesComeBack) {
  const std::vector<ValueList> rows = {
      {Value(int64_t{3'600'000'001}), Value(Bytes{"abcd"}), Value(int64_t{1'700'000'000'000'001}),
       Value(int64_t{1'700'000'000'000'000'001})},
      {Value(), Value(), Value(), Value()}};
  auto files = Write(
      {NestedField::Optional(1, "t", Type::Time()), NestedField::Optional(2, "f", Type::Fixed(4)),
       NestedField::Optional(3, "at", Type::TimestampTz()),
       NestedField::Optional(4, "ns", Type::TimestampNs())},
      rows);
  ASSERT_TRUE(files.has_value()) << files.error().message;
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->at(0).record_count, 2);
  EXPECT_TRUE(files->at(0).file_path.ends_with(std::string(".") + GetParam()));
  auto back = Read(files->at(0));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ(back->at(0)[0], rows[0][0]);
  EXPECT_EQ(back->at(0)[1], rows[0][1]);
  EXPECT_EQ(back->at(0)[3], rows[0][3]);
  EXPECT_EQ(back->at(1), rows[1]);
}

TEST_P(WriteTest, Uuids) {
  const std::string id = "0123456789abcdef";
  const std::vector<ValueList> rows = {{Value(Bytes{id})}, {Value()}};
  auto files = Write({NestedField::Optional(1, "u", Type::Uuid())}, rows);
  if (std::string(GetParam()) == "orc") {
    ASSERT_FALSE(files.has_value());
    EXPECT_EQ(files.error().code, ErrorCode::kUnsupported);
    return;
  }
  ASSERT_TRUE(files.has_value()) << files.error().message;
  auto back = Read(files->at(0));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, rows);
}

TEST_P(WriteTest, ManyRowsKeepTheirOrder) {
  std::vector<ValueList> rows;
  for (int64_t i = 0; i < 10'000; ++i)
    rows.push_back({Value(i), Value("text " + std::to_string(i % 100))});
  auto files = Write(
      {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "s", Type::String())},
      rows);
  ASSERT_TRUE(files.has_value()) << files.error().message;
  auto back = Read(files->at(0));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, rows);
}

INSTANTIATE_TEST_SUITE_P(Formats, WriteTest, testing::Values("avro", "orc"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace iceblink::exec
