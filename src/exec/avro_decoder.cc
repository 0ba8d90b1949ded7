// Avro data files as DuckDB's columns. The file's schema is compiled to a tree of nodes once; a row
// then walks the tree, storing what is wanted and skipping the rest.
#include <fmt/format.h>

#include <set>

#include "base/decimal.h"
#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/file_decoder.h"
#include "io/avro.h"

namespace iceblink::exec {

namespace {

namespace avro = io::avro;
using avro::Kind;
using avro::LogicalType;
using duckdb::FlatVector;
using duckdb::MultiFileColumnDefinition;
using duckdb::Vector;

constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kNanosPerMicro = 1000;

struct Node {
  const avro::Schema* schema = nullptr;  // as in the file, also a union
  const avro::Schema* plain = nullptr;   // without the null branch
  duckdb::LogicalType type = duckdb::LogicalType::INTEGER;
  bool wanted = true;
  std::vector<Node> children;  // of a record its fields, of an array the element, of a map two
};

tl::unexpected<Error> Unsupported(std::string_view what) {
  return Fail(ErrorCode::kUnsupported, fmt::format("Cannot read Avro type: {}", what),
              "UnsupportedOperationException");
}

// ---- compiling
// ------------------------------------------------------------------------------------------------

duckdb::LogicalType NumberType(const avro::Schema& schema) {
  using duckdb::LogicalType;
  switch (schema.logical) {
    case avro::LogicalType::kDate:
      return LogicalType::DATE;
    case avro::LogicalType::kTimeMillis:
    case avro::LogicalType::kTimeMicros:
      return LogicalType::TIME;
    case avro::LogicalType::kTimestampMillis:
    case avro::LogicalType::kTimestampMicros:
      return schema.adjust_to_utc ? LogicalType::TIMESTAMP_TZ : LogicalType::TIMESTAMP;
    case avro::LogicalType::kTimestampNanos:
      return schema.adjust_to_utc ? LogicalType::TIMESTAMP_TZ : LogicalType::TIMESTAMP_NS;
    case avro::LogicalType::kNone:
    case avro::LogicalType::kDecimal:
    case avro::LogicalType::kUuid:
    case avro::LogicalType::kMap:
    case avro::LogicalType::kOther:
      break;
  }
  return schema.kind == Kind::kInt ? LogicalType::INTEGER : LogicalType::BIGINT;
}

Result<duckdb::LogicalType> BinaryType(const avro::Schema& schema) {
  using duckdb::LogicalType;
  if (schema.logical == avro::LogicalType::kUuid && schema.fixed_size == 16)
    return duckdb::LogicalType(LogicalType::UUID);
  if (schema.logical != avro::LogicalType::kDecimal) return duckdb::LogicalType(LogicalType::BLOB);
  if (schema.precision < 1 || schema.precision > 38 || schema.scale < 0 ||
      schema.scale > schema.precision)
    return Unsupported(fmt::format("decimal({}, {})", schema.precision, schema.scale));
  return LogicalType::DECIMAL(static_cast<uint8_t>(schema.precision),
                              static_cast<uint8_t>(schema.scale));
}

Result<Node> Compile(const avro::Schema& schema);

Result<Node> CompileRecord(Node node) {
  duckdb::child_list_t<duckdb::LogicalType> types;
  std::set<std::string> names;
  for (const avro::Field& field : node.plain->fields) {
    ASSIGN_OR_RETURN(Node child, Compile(*field.type));
    std::string name = field.name;
    for (int suffix = 1; !names.insert(AsciiLower(name)).second; ++suffix)
      name = fmt::format("{}_{}", field.name, suffix);
    types.emplace_back(name, child.type);
    node.children.push_back(std::move(child));
  }
  if (types.empty()) types.emplace_back("", duckdb::LogicalType::INTEGER);
  node.type = duckdb::LogicalType::STRUCT(std::move(types));
  return node;
}

Result<Node> CompileContainer(Node node) {
  const avro::Schema& plain = *node.plain;
  if (plain.kind == Kind::kMap) {
    static const avro::Schema kString{.kind = Kind::kString};
    ASSIGN_OR_RETURN(Node key, Compile(kString));
    ASSIGN_OR_RETURN(Node value, Compile(*plain.items));
    node.type = duckdb::LogicalType::MAP(key.type, value.type);
    node.children = {std::move(key), std::move(value)};
    return node;
  }
  ASSIGN_OR_RETURN(Node item, Compile(*plain.items));
  if (plain.logical != LogicalType::kMap) {
    node.type = duckdb::LogicalType::LIST(item.type);
    node.children.push_back(std::move(item));
    return node;
  }
  node.type = duckdb::LogicalType::MAP(item.children[0].type, item.children[1].type);
  node.children = std::move(item.children);
  return node;
}

Result<Node> Compile(const avro::Schema& schema) {
  Node node;
  node.schema = &schema;
  node.plain = &schema.NonNull();
  if (node.plain->kind == Kind::kUnion && node.plain->branches.size() == 1)
    node.plain = node.plain->branches[0].get();
  switch (node.plain->kind) {
    case Kind::kUnion:
      return Unsupported("union of several types");
    case Kind::kNull:
      node.type = duckdb::LogicalType::INTEGER;
      return node;
    case Kind::kBoolean:
      node.type = duckdb::LogicalType::BOOLEAN;
      return node;
    case Kind::kInt:
    case Kind::kLong:
      node.type = NumberType(*node.plain);
      return node;
    case Kind::kFloat:
      node.type = duckdb::LogicalType::FLOAT;
      return node;
    case Kind::kDouble:
      node.type = duckdb::LogicalType::DOUBLE;
      return node;
    case Kind::kString:
    case Kind::kEnum:
      node.type = duckdb::LogicalType::VARCHAR;
      return node;
    case Kind::kBytes:
    case Kind::kFixed: {
      ASSIGN_OR_RETURN(node.type, BinaryType(*node.plain));
      return node;
    }
    case Kind::kRecord:
      return CompileRecord(std::move(node));
    case Kind::kArray:
    case Kind::kMap:
      return CompileContainer(std::move(node));
  }
  return node;
}

MultiFileColumnDefinition Define(const std::string& name, int32_t id, const Node& node) {
  MultiFileColumnDefinition column(name, node.type);
  if (id >= 0) column.identifier = duckdb::Value::INTEGER(id);
  const avro::Schema& plain = *node.plain;
  switch (plain.kind) {
    case Kind::kRecord: {
      const auto& types = duckdb::StructType::GetChildTypes(node.type);
      for (size_t i = 0; i < plain.fields.size(); ++i)
        column.children.push_back(Define(types[i].first, plain.fields[i].id, node.children[i]));
      break;
    }
    case Kind::kArray:
    case Kind::kMap: {
      if (node.children.size() == 1) {
        column.children.push_back(Define("list", plain.element_id, node.children[0]));
        break;
      }
      const bool entries = plain.kind == Kind::kArray;
      const int32_t key = entries ? plain.items->fields[0].id : plain.key_id;
      const int32_t value = entries ? plain.items->fields[1].id : plain.value_id;
      MultiFileColumnDefinition pair("key_value", duckdb::ListType::GetChildType(node.type));
      pair.children.push_back(Define("key", key, node.children[0]));
      pair.children.push_back(Define("value", value, node.children[1]));
      column.children.push_back(std::move(pair));
      break;
    }
    default:
      break;
  }
  return column;
}

// ---- rows
// -----------------------------------------------------------------------------------------------------

template <typename T>
void Put(Vector& out, size_t row, T value) {
  FlatVector::GetData<T>(out)[row] = value;
}

void PutDecimal(avro::Decoder& decoder, std::string_view bytes, Vector& out, size_t row) {
  const auto unscaled = Int128FromBytes(bytes);
  if (!unscaled) return decoder.Fail();
  switch (out.GetType().InternalType()) {
    case duckdb::PhysicalType::INT16:
      return Put(out, row, static_cast<int16_t>(*unscaled));
    case duckdb::PhysicalType::INT32:
      return Put(out, row, static_cast<int32_t>(*unscaled));
    case duckdb::PhysicalType::INT64:
      return Put(out, row, static_cast<int64_t>(*unscaled));
    default:
      return Put(out, row, ToHugeint(*unscaled));
  }
}

void ReadBinary(avro::Decoder& decoder, const avro::Schema& schema, Vector& out, size_t row) {
  const std::string_view bytes = schema.kind == Kind::kFixed
                                     ? decoder.ReadFixedView(schema.fixed_size)
                                     : decoder.ReadBytesView();
  if (!decoder.ok()) return;
  if (schema.logical == LogicalType::kDecimal) return PutDecimal(decoder, bytes, out, row);
  if (out.GetType().id() != duckdb::LogicalTypeId::UUID) {
    Put(out, row, duckdb::StringVector::AddStringOrBlob(out, bytes.data(), bytes.size()));
    return;
  }
  // DuckDB turns the first bit over, so that ids compare as numbers.
  Int128 id = 0;
  for (const char byte : bytes)
    id = static_cast<Int128>(static_cast<unsigned __int128>(id) << 8) |
         static_cast<unsigned char>(byte);
  duckdb::hugeint_t value = ToHugeint(id);
  value.upper ^= INT64_MIN;
  Put(out, row, value);
}

void ReadText(avro::Decoder& decoder, const avro::Schema& schema, Vector& out, size_t row) {
  std::string_view text;
  if (schema.kind == Kind::kEnum) {
    const size_t symbol = decoder.ReadUnionIndex(schema.symbols.size());
    if (decoder.ok()) text = schema.symbols[symbol];
  } else {
    text = decoder.ReadBytesView();
  }
  if (!decoder.ok()) return;
  if (!duckdb::Value::StringIsValid(text.data(), text.size())) return decoder.Fail();
  Put(out, row, duckdb::StringVector::AddString(out, text.data(), text.size()));
}

void ReadLong(avro::Decoder& decoder, const avro::Schema& schema, Vector& out, size_t row) {
  int64_t value = decoder.ReadLong();
  if (schema.logical == LogicalType::kTimestampMillis &&
      __builtin_mul_overflow(value, kMicrosPerMilli, &value))
    return decoder.Fail();
  if (schema.logical == LogicalType::kTimestampNanos && schema.adjust_to_utc) {
    const int64_t below = value % kNanosPerMicro < 0 ? 1 : 0;
    value = value / kNanosPerMicro - below;
  }
  Put(out, row, value);
}

void Read(avro::Decoder& decoder, const Node& node, Vector& out, size_t row);

void ReadRecord(avro::Decoder& decoder, const Node& node, Vector& out, size_t row) {
  auto& entries = duckdb::StructVector::GetEntries(out);
  if (node.children.empty()) FlatVector::SetNull(*entries[0], row, true);
  for (size_t i = 0; i < node.children.size() && decoder.ok(); ++i)
    Read(decoder, node.children[i], *entries[i], row);
}

void ReadItems(avro::Decoder& decoder, const Node& node, Vector& out, size_t row) {
  const size_t begin = duckdb::ListVector::GetListSize(out);
  size_t end = begin;
  while (const int64_t run = decoder.ReadRun()) {
    duckdb::ListVector::Reserve(out, end + static_cast<size_t>(run));
    Vector& items = duckdb::ListVector::GetEntry(out);
    for (int64_t i = 0; i < run && decoder.ok(); ++i, ++end) {
      if (node.children.size() == 1) {
        Read(decoder, node.children[0], items, end);
        continue;
      }
      auto& pair = duckdb::StructVector::GetEntries(items);
      Read(decoder, node.children[0], *pair[0], end);
      Read(decoder, node.children[1], *pair[1], end);
    }
    duckdb::ListVector::SetListSize(out, end);
  }
  Put(out, row, duckdb::list_entry_t(begin, end - begin));
}

void PutNull(Vector& out, size_t row) {
  const auto physical = out.GetType().InternalType();
  if (physical == duckdb::PhysicalType::LIST) Put(out, row, duckdb::list_entry_t(0, 0));
  FlatVector::SetNull(out, row, true);
}

void Read(avro::Decoder& decoder, const Node& node, Vector& out, size_t row) {
  if (!node.wanted) {
    decoder.Skip(*node.schema);
    return PutNull(out, row);
  }
  if (decoder.ReadPresent(*node.schema) == nullptr) return PutNull(out, row);
  const avro::Schema& schema = *node.plain;
  switch (schema.kind) {
    case Kind::kNull:
    case Kind::kUnion:
      return PutNull(out, row);
    case Kind::kBoolean:
      return Put(out, row, decoder.ReadBool());
    case Kind::kInt: {
      const int32_t value = decoder.ReadInt();
      if (schema.logical == LogicalType::kTimeMillis)
        return Put(out, row, int64_t{value} * kMicrosPerMilli);
      return Put(out, row, value);
    }
    case Kind::kLong:
      return ReadLong(decoder, schema, out, row);
    case Kind::kFloat:
      return Put(out, row, decoder.ReadFloat());
    case Kind::kDouble:
      return Put(out, row, decoder.ReadDouble());
    case Kind::kBytes:
    case Kind::kFixed:
      return ReadBinary(decoder, schema, out, row);
    case Kind::kString:
    case Kind::kEnum:
      return ReadText(decoder, schema, out, row);
    case Kind::kRecord:
      return ReadRecord(decoder, node, out, row);
    case Kind::kArray:
    case Kind::kMap:
      return ReadItems(decoder, node, out, row);
  }
}

// Leaves out the fields of structs that nobody asks for.
void Narrow(const duckdb::ColumnIndex& index, Node& node) {
  if (!index.HasChildren() || node.plain->kind != Kind::kRecord) return;
  for (Node& child : node.children) child.wanted = false;
  for (const duckdb::ColumnIndex& part : index.GetChildIndexes()) {
    if (part.GetPrimaryIndex() >= node.children.size()) continue;
    Node& child = node.children[part.GetPrimaryIndex()];
    child.wanted = true;
    Narrow(part, child);
  }
}

class AvroDecoder final : public FileDecoder {
 public:
  explicit AvroDecoder(avro::Reader reader) : reader_(std::move(reader)) {}

  Status Open() {
    const avro::Schema& schema = reader_.schema();
    if (schema.kind != Kind::kRecord) return Unsupported("file of other than records");
    for (const avro::Field& field : schema.fields) {
      ASSIGN_OR_RETURN(Node node, Compile(*field.type));
      columns_.push_back(Define(field.name, field.id, node));
      nodes_.push_back(std::move(node));
    }
    places_.assign(nodes_.size(), -1);
    return {};
  }

  Status Select(const duckdb::vector<duckdb::ColumnIndex>& columns) override {
    for (size_t i = 0; i < columns.size(); ++i) {
      const size_t column = columns[i].GetPrimaryIndex();
      places_[column] = static_cast<int>(i);
      Narrow(columns[i], nodes_[column]);
    }
    any_ = !columns.empty();
    return {};
  }

  Status Start(size_t) override { return {}; }

  Result<size_t> Next(const std::vector<Vector*>& out) override {
    int64_t rows = 0;
    while (rows < STANDARD_VECTOR_SIZE) {
      if (left_ == 0) {
        avro::Reader::Block block;
        ASSIGN_OR_RETURN(const bool more, reader_.NextBlock(block));
        if (!more) break;
        left_ = block.count;
        decoder_.Reset(block.data);
        continue;
      }
      if (!any_) {  // only counted
        const int64_t taken = std::min<int64_t>(left_, STANDARD_VECTOR_SIZE - rows);
        rows += taken;
        left_ -= taken;
        continue;
      }
      for (size_t i = 0; i < nodes_.size() && decoder_.ok(); ++i) {
        if (places_[i] < 0) {
          decoder_.Skip(*nodes_[i].schema);
        } else {
          Read(decoder_, nodes_[i], *out[static_cast<size_t>(places_[i])],
               static_cast<size_t>(rows));
        }
      }
      if (!decoder_.ok()) return Fail(reader_.CorruptAt(decoder_));
      ++rows;
      --left_;
    }
    return static_cast<size_t>(rows);
  }

 private:
  avro::Reader reader_;
  avro::Decoder decoder_;
  std::vector<Node> nodes_;
  std::vector<int> places_;  // of each field among the selected columns; -1: skipped
  bool any_ = false;
  int64_t left_ = 0;  // rows of the block
};

}  // namespace

Result<std::unique_ptr<FileDecoder>> OpenAvro(std::unique_ptr<io::RandomAccessFile> file) {
  ASSIGN_OR_RETURN(avro::Reader reader, avro::Reader::Open(std::move(file)));
  auto decoder = std::make_unique<AvroDecoder>(std::move(reader));
  RETURN_IF_ERROR(decoder->Open());
  return decoder;
}

}  // namespace iceblink::exec
