// ORC data files as DuckDB's columns, out of Arrow's batches.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/strings.h"
#include "duckdb/common/arrow/arrow_wrapper.hpp"
#include "duckdb/common/arrow/schema_metadata.hpp"
#include "duckdb/function/table/arrow.hpp"
#include "exec/file_decoder.h"
#include "io/orc.h"

namespace iceblink::exec {

namespace {

using duckdb::ArrowArrayScanState;
using duckdb::ArrowToDuckDBConversion;
using duckdb::LogicalType;
using duckdb::MultiFileColumnDefinition;
using duckdb::Vector;

std::string Attribute(const ArrowSchema& schema, const char* key) {
  return duckdb::ArrowSchemaMetadata(schema.metadata).GetOption(key);
}

MultiFileColumnDefinition Define(const std::string& name, const ArrowSchema& schema,
                                 const LogicalType& type) {
  MultiFileColumnDefinition column(name, type);
  if (auto id = ParseInt32(Attribute(schema, "iceberg.id")))
    column.identifier = duckdb::Value::INTEGER(*id);
  switch (type.id()) {
    case duckdb::LogicalTypeId::STRUCT: {
      const auto& types = duckdb::StructType::GetChildTypes(type);
      for (size_t i = 0; i < types.size() && static_cast<int64_t>(i) < schema.n_children; ++i)
        column.children.push_back(Define(types[i].first, *schema.children[i], types[i].second));
      break;
    }
    case duckdb::LogicalTypeId::LIST:
      column.children.push_back(
          Define("list", *schema.children[0], duckdb::ListType::GetChildType(type)));
      break;
    case duckdb::LogicalTypeId::MAP: {
      MultiFileColumnDefinition pair("key_value", duckdb::ListType::GetChildType(type));
      const ArrowSchema& entries = *schema.children[0];
      pair.children.push_back(Define("key", *entries.children[0], duckdb::MapType::KeyType(type)));
      pair.children.push_back(
          Define("value", *entries.children[1], duckdb::MapType::ValueType(type)));
      column.children.push_back(std::move(pair));
      break;
    }
    default:
      break;
  }
  return column;
}

// The type that a column of ORC's long or binary holds by its attributes.
LogicalType Meaning(const ArrowSchema& schema, const LogicalType& stored) {
  if (stored.id() == duckdb::LogicalTypeId::BIGINT &&
      Attribute(schema, "iceberg.long-type") == "TIME")
    return LogicalType::TIME;
  if (stored.id() == duckdb::LogicalTypeId::BLOB &&
      Attribute(schema, "iceberg.binary-type") == "UUID")
    return LogicalType::UUID;
  return stored;
}

void FillUuids(Vector& bytes, Vector& out, size_t count) {
  const auto* from = duckdb::FlatVector::GetData<duckdb::string_t>(bytes);
  auto* to = duckdb::FlatVector::GetData<duckdb::hugeint_t>(out);
  for (size_t i = 0; i < count; ++i) {
    if (duckdb::FlatVector::IsNull(bytes, i) || from[i].GetSize() != 16) {
      duckdb::FlatVector::SetNull(out, i, true);
      continue;
    }
    unsigned __int128 id = 0;
    for (size_t b = 0; b < 16; ++b) id = id << 8 | static_cast<unsigned char>(from[i].GetData()[b]);
    to[i].lower = static_cast<uint64_t>(id);
    // DuckDB turns the first bit over, so that ids compare as numbers.
    to[i].upper = static_cast<int64_t>(static_cast<uint64_t>(id >> 64) ^ (uint64_t{1} << 63));
  }
}

class OrcDecoder final : public FileDecoder {
 public:
  OrcDecoder(duckdb::ClientContext& context, std::unique_ptr<io::OrcReader> reader)
      : context_(context), reader_(std::move(reader)), stripes_(reader_->stripes()) {}

  Status Open() {
    duckdb::ArrowSchemaWrapper schema;
    RETURN_IF_ERROR(reader_->Schema(&schema.arrow_schema));
    const ArrowSchema& root = schema.arrow_schema;
    for (int64_t i = 0; i < root.n_children; ++i) {
      ArrowSchema& child = *root.children[i];
      auto type = duckdb::ArrowType::GetArrowLogicalType(context_, child);
      columns_.push_back(Define(child.name, child, Meaning(child, type->GetDuckType())));
      types_.push_back(std::move(type));
    }
    return {};
  }

  Status Select(const duckdb::vector<duckdb::ColumnIndex>& columns) override {
    std::vector<size_t> order(columns.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return columns[a].GetPrimaryIndex() < columns[b].GetPrimaryIndex();
    });
    std::vector<int> selected;
    for (size_t place : order) {
      const size_t column = columns[place].GetPrimaryIndex();
      selected.push_back(static_cast<int>(column));
      selected_.push_back({column, place, std::make_unique<ArrowArrayScanState>(context_)});
    }
    reader_->Select(std::move(selected));
    return {};
  }

  std::vector<int64_t> parts() const override {
    std::vector<int64_t> out;
    for (const io::OrcStripe& stripe : stripes_) out.push_back(stripe.first_row);
    return out;
  }

  Status Start(size_t part) override {
    left_ = stripes_[part].rows;
    return reader_->Start(stripes_[part]);
  }

  Result<size_t> Next(const std::vector<Vector*>& out) override {
    if (selected_.empty()) {  // only counted
      const int64_t rows = std::min<int64_t>(left_, STANDARD_VECTOR_SIZE);
      left_ -= rows;
      return static_cast<size_t>(rows);
    }
    auto batch = duckdb::make_shared_ptr<duckdb::ArrowArrayWrapper>();
    ASSIGN_OR_RETURN(const bool more, reader_->Next(STANDARD_VECTOR_SIZE, &batch->arrow_array));
    if (!more) return size_t{0};
    const auto rows = static_cast<size_t>(batch->arrow_array.length);
    for (size_t i = 0; i < selected_.size(); ++i) {
      Selected& part = selected_[i];
      part.state->Reset();
      part.state->owned_data = batch;
      Convert(batch->arrow_array, i, part, rows, *out[part.place]);
    }
    return rows;
  }

 private:
  struct Selected {
    size_t column = 0;
    size_t place = 0;
    std::unique_ptr<ArrowArrayScanState> state;
  };

  void Convert(const ArrowArray& batch, size_t index, Selected& part, size_t rows, Vector& out) {
    const duckdb::ArrowType& type = *types_[part.column];
    ArrowArray& array = *batch.children[index];
    const auto fill = [&](Vector& to) {
      ArrowToDuckDBConversion::SetValidityMask(to, array, 0, rows, batch.offset, -1);
      ArrowToDuckDBConversion::ColumnArrowToDuckDB(to, array, 0, *part.state, rows, type);
    };
    if (columns_[part.column].type == type.GetDuckType()) return fill(out);
    Vector stored(type.GetDuckType());
    fill(stored);
    if (out.GetType().id() == duckdb::LogicalTypeId::UUID) return FillUuids(stored, out, rows);
    out.Reinterpret(stored);
  }

  duckdb::ClientContext& context_;
  std::unique_ptr<io::OrcReader> reader_;
  std::vector<duckdb::unique_ptr<duckdb::ArrowType>> types_;
  std::vector<Selected> selected_;  // the selected columns in the file's order
  std::vector<io::OrcStripe> stripes_;
  int64_t left_ = 0;  // rows of the stripe, where no column is wanted
};

}  // namespace

Result<std::unique_ptr<FileDecoder>> OpenOrc(duckdb::ClientContext& context,
                                             std::unique_ptr<io::RandomAccessFile> file) {
  ASSIGN_OR_RETURN(io::OrcModule * module, io::LoadOrc());
  ASSIGN_OR_RETURN(auto reader, module->Open(std::move(file)));
  auto decoder = std::make_unique<OrcDecoder>(context, std::move(reader));
  RETURN_IF_ERROR(decoder->Open());
  return decoder;
}

}  // namespace iceblink::exec
