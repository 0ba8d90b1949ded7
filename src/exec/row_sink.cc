#include "exec/row_sink.h"

#include <fmt/format.h>

#include "exec/data_writer.h"
#include "exec/duckdb_session.h"
#include "exec/duckdb_types.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

namespace {

using duckdb::LogicalTypeId;

// Which alternative of Value a column of the type takes.
bool HasForm(const Value& value, const spec::Type& type) {
  switch (type.kind()) {
    case spec::TypeKind::kBoolean:
      return value.Is<bool>();
    case spec::TypeKind::kInt:
    case spec::TypeKind::kDate:
      return value.Is<int32_t>();
    case spec::TypeKind::kLong:
    case spec::TypeKind::kTime:
    case spec::TypeKind::kTimestamp:
    case spec::TypeKind::kTimestampTz:
    case spec::TypeKind::kTimestampNs:
    case spec::TypeKind::kTimestampTzNs:
      return value.Is<int64_t>() || value.Is<int32_t>();
    case spec::TypeKind::kFloat:
      return value.Is<float>();
    case spec::TypeKind::kDouble:
      return value.Is<double>();
    case spec::TypeKind::kDecimal:
      return value.Is<Decimal>();
    case spec::TypeKind::kString:
      return value.Is<std::string>();
    case spec::TypeKind::kUuid:
      return value.Is<Bytes>() && value.As<Bytes>().data.size() == 16;
    case spec::TypeKind::kFixed:
      return value.Is<Bytes>() &&
             value.As<Bytes>().data.size() == static_cast<size_t>(type.length());
    case spec::TypeKind::kBinary:
      return value.Is<Bytes>();
    case spec::TypeKind::kStruct:
      return value.Is<StructValue>() && value.fields().size() == type.AsStruct().fields.size();
    case spec::TypeKind::kList:
      return value.Is<ArrayValue>();
    case spec::TypeKind::kMap:
      return value.Is<MapValue>();
    case spec::TypeKind::kUnknown:
    case spec::TypeKind::kGeometry:
    case spec::TypeKind::kGeography:
    case spec::TypeKind::kVariant:
      return false;
  }
  return false;
}

Status CheckValue(const Value& value, const spec::NestedField& field);

Status CheckChildren(const Value& value, const spec::Type& type) {
  if (type.Is(spec::TypeKind::kStruct)) {
    const auto& fields = type.AsStruct().fields;
    for (size_t i = 0; i < fields.size(); ++i)
      RETURN_IF_ERROR(CheckValue(value.fields()[i], fields[i]));
  } else if (type.Is(spec::TypeKind::kList)) {
    for (const Value& element : value.elements())
      RETURN_IF_ERROR(CheckValue(element, type.AsList().element));
  } else if (type.Is(spec::TypeKind::kMap)) {
    for (const auto& [key, mapped] : value.entries()) {
      RETURN_IF_ERROR(CheckValue(key, type.AsMap().key));
      RETURN_IF_ERROR(CheckValue(mapped, type.AsMap().value));
    }
  }
  return {};
}

Status CheckValue(const Value& value, const spec::NestedField& field) {
  if (value.is_null()) {
    if (!field.required) return {};
    return IllegalArgument(fmt::format("Cannot write null to required field: {}", field.name));
  }
  if (!HasForm(value, field.type)) {
    return IllegalArgument(fmt::format("Cannot write value of another form to field {}: {}",
                                       field.name, field.type.ToString()));
  }
  return CheckChildren(value, field.type);
}

template <typename T>
bool CopyFlat(std::span<const T> from, size_t begin, size_t count, duckdb::Vector& to) {
  if (duckdb::GetTypeIdSize(to.GetType().InternalType()) != sizeof(T)) return false;
  std::copy_n(from.data() + begin, count, duckdb::FlatVector::GetData<T>(to));
  return true;
}

bool CopyValues(const FlatColumn& column, size_t begin, size_t count, duckdb::Vector& to) {
  using duckdb::PhysicalType;
  const PhysicalType type = to.GetType().InternalType();
  return std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
          if (type != PhysicalType::VARCHAR) return false;
          auto* out = duckdb::FlatVector::GetData<duckdb::string_t>(to);
          for (size_t i = 0; i < count; ++i)
            out[i] = duckdb::StringVector::AddStringOrBlob(to, values[begin + i]);
          return true;
        } else {
          constexpr PhysicalType kType = std::is_same_v<T, bool>      ? PhysicalType::BOOL
                                         : std::is_same_v<T, int32_t> ? PhysicalType::INT32
                                         : std::is_same_v<T, int64_t> ? PhysicalType::INT64
                                         : std::is_same_v<T, float>   ? PhysicalType::FLOAT
                                                                      : PhysicalType::DOUBLE;
          return type == kType && CopyFlat<T>(values, begin, count, to);
        }
      },
      column.values);
}

}  // namespace

struct RowSink::State {
  State(io::FileSystem& files, WriteSpec spec)
      : write(std::move(spec)), session({.threads = 1, .files = &files}) {}

  Status Flush(duckdb::DataChunk& rows) {
    return session.InTransaction([&](duckdb::ClientContext& client) -> Status {
      if (sink == nullptr) sink = std::make_unique<DataFileSet::Sink>(*set, client);
      sink->Append(rows);
      return {};
    });
  }

  Status CheckColumns(std::span<const FlatColumn> columns) const {
    const auto& fields = write.schema->fields();
    if (columns.size() != fields.size()) {
      return IllegalArgument(
          fmt::format("Cannot write {} columns to a table of {}", columns.size(), fields.size()));
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      const FlatColumn& column = columns[i];
      if (column.size() != columns[0].size() ||
          (!column.valid.empty() && column.valid.size() != column.size())) {
        return IllegalArgument(
            fmt::format("Cannot write columns of different lengths: {}", fields[i].name));
      }
      if (fields[i].required &&
          std::find(column.valid.begin(), column.valid.end(), false) != column.valid.end()) {
        return IllegalArgument(
            fmt::format("Cannot write null to required field: {}", fields[i].name));
      }
    }
    return {};
  }

  WriteSpec write;
  DuckDbSession session;
  std::shared_ptr<DataFileSet> set;
  std::unique_ptr<DataFileSet::Sink> sink;  // before `set` and `session` on its way out
  bool finished = false;
};

RowSink::RowSink(std::unique_ptr<State> state) : state_(std::move(state)) {}

RowSink::~RowSink() {
  if (state_->finished || state_->set == nullptr) return;
  std::vector<std::string> created = state_->set->created();
  state_->sink.reset();
  state_->set.reset();
  state_->session.files().DeleteMany(created, {});
}

Result<std::unique_ptr<RowSink>> RowSink::Open(io::FileSystem& files, const WriteSpec& write) {
  for (const spec::NestedField& field : write.schema->fields()) {
    if (field.type.Is(spec::TypeKind::kVariant) || field.type.Is(spec::TypeKind::kUnknown)) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("Cannot write columns of type {}: {}", field.type.ToString(), field.name),
          "UnsupportedOperationException");
    }
  }
  auto state = std::make_unique<State>(files, write);
  RETURN_IF_ERROR(state->session.Prepare({.core_functions = true, .parquet = true}));
  ASSIGN_OR_RETURN(state->set, DataFileSet::Make(files, state->write, 0));
  return std::unique_ptr<RowSink>(new RowSink(std::move(state)));
}

Status RowSink::Append(std::span<const ValueList> rows) {
  const auto& fields = state_->write.schema->fields();
  const auto& types = state_->set->types();
  return Guarded([&]() -> Status {
    duckdb::DataChunk chunk;
    chunk.Initialize(duckdb::Allocator::DefaultAllocator(), {types.begin(), types.end()});
    for (size_t begin = 0; begin < rows.size(); begin += STANDARD_VECTOR_SIZE) {
      const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, rows.size() - begin);
      chunk.Reset();
      for (size_t i = 0; i < count; ++i) {
        const ValueList& row = rows[begin + i];
        if (row.size() != fields.size()) {
          return IllegalArgument(
              fmt::format("Cannot write a row of {} values to a table of {} columns", row.size(),
                          fields.size()));
        }
        for (size_t c = 0; c < fields.size(); ++c) {
          RETURN_IF_ERROR(CheckValue(row[c], fields[c]));
          chunk.SetValue(c, i, ToDuckDb(row[c], types[c]));
        }
      }
      chunk.SetCardinality(count);
      RETURN_IF_ERROR(state_->Flush(chunk));
    }
    return {};
  });
}

Status RowSink::Append(std::span<const FlatColumn> columns) {
  RETURN_IF_ERROR(state_->CheckColumns(columns));
  if (columns.empty()) return {};
  const auto& fields = state_->write.schema->fields();
  const auto& types = state_->set->types();
  return Guarded([&]() -> Status {
    duckdb::DataChunk chunk;
    chunk.Initialize(duckdb::Allocator::DefaultAllocator(), {types.begin(), types.end()});
    for (size_t begin = 0; begin < columns[0].size(); begin += STANDARD_VECTOR_SIZE) {
      const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, columns[0].size() - begin);
      chunk.Reset();
      for (size_t c = 0; c < columns.size(); ++c) {
        duckdb::Vector& to = chunk.data[c];
        if (!CopyValues(columns[c], begin, count, to)) {
          return IllegalArgument(fmt::format("Cannot write values of another form to field {}: {}",
                                             fields[c].name, fields[c].type.ToString()));
        }
        for (size_t i = 0; i < count && !columns[c].valid.empty(); ++i) {
          if (!columns[c].valid[begin + i]) duckdb::FlatVector::SetNull(to, i, true);
        }
      }
      chunk.SetCardinality(count);
      RETURN_IF_ERROR(state_->Flush(chunk));
    }
    return {};
  });
}

Result<std::vector<spec::DataFile>> RowSink::Finish() {
  std::vector<spec::DataFile> out;
  RETURN_IF_ERROR(state_->session.InTransaction([&](duckdb::ClientContext& client) -> Status {
    if (state_->sink != nullptr) state_->sink->Finish();
    ASSIGN_OR_RETURN(out, state_->set->Finish(client));
    return {};
  }));
  state_->finished = true;
  state_->sink.reset();
  return out;
}

}  // namespace iceblink::exec
