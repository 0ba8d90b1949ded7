#include "exec/fixed_columns.h"

#include <fmt/format.h>

#include "exec/spark_error.h"
#include "writer/primitive_column_writer.hpp"

namespace iceblink::exec {
namespace {

using ColumnWriterPtr = duckdb::unique_ptr<duckdb::ColumnWriter>;
using ColumnWriters = duckdb::vector<ColumnWriterPtr>;

// The writers of a file's columns are private, and nobody makes them but DuckDB. An explicit
// instantiation may name private members.
template <ColumnWriters duckdb::ParquetWriter::* member>
struct Columns {
  friend ColumnWriters& ColumnsOf(duckdb::ParquetWriter& writer) { return writer.*member; }
};
template struct Columns<&duckdb::ParquetWriter::column_writers>;
ColumnWriters& ColumnsOf(duckdb::ParquetWriter& writer);

// Those of nested columns are protected.
struct Children : duckdb::ColumnWriter {
  static ColumnWriters& Of(duckdb::ColumnWriter& writer) {
    return writer.*&Children::child_writers;
  }
};

class FixedColumnWriter final : public duckdb::PrimitiveColumnWriter {
 public:
  // Takes the place of DuckDB's.
  FixedColumnWriter(duckdb::ColumnWriter& replaced, uint32_t length)
      : PrimitiveColumnWriter(replaced.writer, std::move(replaced.column_schema),
                              std::move(replaced.schema_path)),
        length_(length) {
    parent = replaced.parent;
    can_have_nulls = replaced.can_have_nulls;
  }

  duckdb::idx_t FinalizeSchema(duckdb::vector<duckdb_parquet::SchemaElement>& elements) override {
    const duckdb::idx_t added = PrimitiveColumnWriter::FinalizeSchema(elements);
    elements.back().__set_type(duckdb_parquet::Type::FIXED_LEN_BYTE_ARRAY);
    elements.back().__set_type_length(static_cast<int32_t>(length_));
    return added;
  }

 protected:
  duckdb::unique_ptr<duckdb::ColumnWriterStatistics> InitializeStatsState() override {
    // DuckDB cuts longer bounds, and readers reject those of another length than the type's.
    constexpr uint32_t kLongest = 256;
    if (length_ > kLongest) return PrimitiveColumnWriter::InitializeStatsState();
    return duckdb::make_uniq<duckdb::StringStatisticsState>(duckdb::LogicalTypeId::BLOB);
  }

  duckdb::idx_t GetRowSize(const duckdb::Vector&, duckdb::idx_t,
                           const duckdb::PrimitiveColumnWriterState&) const override {
    return length_;
  }

  void WriteVector(duckdb::WriteStream& out, duckdb::ColumnWriterStatistics* statistics,
                   duckdb::ColumnWriterPageState*, duckdb::Vector& values, duckdb::idx_t begin,
                   duckdb::idx_t end) override {
    const auto& validity = duckdb::FlatVector::Validity(values);
    auto* bounds = dynamic_cast<duckdb::StringStatisticsState*>(statistics);
    const auto* texts = duckdb::FlatVector::GetData<duckdb::string_t>(values);
    for (duckdb::idx_t row = begin; row < end; row++) {
      if (!validity.RowIsValid(row)) continue;
      const duckdb::string_t& value = texts[row];
      if (value.GetSize() != length_) {
        ThrowError(
            Error::Make(ErrorCode::kInvalidArgument,
                        fmt::format("Fixed Binary size {} does not match field type length {}",
                                    value.GetSize(), length_),
                        "IllegalArgumentException"));
      }
      if (bounds != nullptr) bounds->Update(value);
      out.WriteData(duckdb::const_data_ptr_cast(value.GetData()), length_);
    }
  }

 private:
  const uint32_t length_;
};

void Replace(ColumnWriterPtr& column, const spec::Type& type);

void Replace(ColumnWriters& columns, const std::vector<spec::NestedField>& fields) {
  for (ColumnWriterPtr& column : columns) {
    for (const spec::NestedField& field : fields) {
      if (field.name == column->Schema().name) Replace(column, field.type);
    }
  }
}

void Replace(ColumnWriterPtr& column, const spec::Type& type) {
  switch (type.kind()) {
    case spec::TypeKind::kFixed:
      column = duckdb::make_uniq<FixedColumnWriter>(*column, static_cast<uint32_t>(type.length()));
      break;
    case spec::TypeKind::kStruct:
      Replace(Children::Of(*column), type.AsStruct().fields);
      break;
    case spec::TypeKind::kList:
      Replace(Children::Of(*column)[0], type.AsList().element.type);
      break;
    case spec::TypeKind::kMap: {  // a list of structs
      ColumnWriters& entry = Children::Of(*Children::Of(*column)[0]);
      Replace(entry[0], type.AsMap().key.type);
      Replace(entry[1], type.AsMap().value.type);
      break;
    }
    default:
      break;
  }
}

}  // namespace

void WriteFixedColumns(duckdb::ParquetWriter& writer,
                       const std::vector<spec::NestedField>& fields) {
  Replace(ColumnsOf(writer), fields);
}

}  // namespace iceblink::exec
