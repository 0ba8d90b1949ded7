// ib_zorder(max_output_size, var_length_contribution, column, ...): Iceberg's Z-order key.
//
// Every column becomes bytes whose unsigned order is the column's (NULL is all zeros), and the key
// takes the highest bit of each, then the next of each, and so on; a column that has no bits left
// is passed over. All columns that still have a byte give one byte each to a step, so a step is
// one table look-up per column for up to eight columns. One scratch buffer serves a whole vector.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "exec/row_function.h"

namespace iceblink::exec {

using duckdb::LogicalTypeId;
using duckdb::UnifiedVectorFormat;

namespace {

constexpr size_t kNumberBytes = 8;
constexpr size_t kSpreadColumns = 8;
constexpr uint64_t kSignBit = uint64_t{1} << 63;

// kSpread[n - 1][byte]: the bits of `byte`, each n places after the other, highest first.
using SpreadTable = std::array<std::array<uint64_t, 256>, kSpreadColumns>;
constexpr SpreadTable MakeSpread() {
  SpreadTable table{};
  for (size_t n = 1; n <= kSpreadColumns; ++n) {
    for (size_t byte = 0; byte < 256; ++byte) {
      for (size_t bit = 0; bit < 8; ++bit) {
        if ((byte >> (7 - bit) & 1) != 0) table[n - 1][byte] |= kSignBit >> (bit * n);
      }
    }
  }
  return table;
}
constexpr SpreadTable kSpread = MakeSpread();

// An argument: how to read it and how many bytes it gives.
struct Source {
  UnifiedVectorFormat format;
  LogicalTypeId type = LogicalTypeId::INVALID;
  size_t width = kNumberBytes;
  size_t offset = 0;  // in the scratch buffer
};

template <typename T>
T Read(const Source& source, size_t at) {
  return UnifiedVectorFormat::GetData<T>(source.format)[at];
}

uint64_t OrderedLong(int64_t value) { return static_cast<uint64_t>(value) ^ kSignBit; }

// IEEE bits whose unsigned order is the numbers'; NaN, in Java's one form, is the largest.
uint64_t OrderedDouble(double value) {
  auto bits = value != value ? int64_t{0x7ff8000000000000} : std::bit_cast<int64_t>(value);
  return static_cast<uint64_t>(bits) ^ (static_cast<uint64_t>(bits >> 63) | kSignBit);
}

uint64_t OrderedNumber(const Source& source, size_t at) {
  constexpr int64_t kMicros = 1'000'000;
  switch (source.type) {
    case LogicalTypeId::BOOLEAN:
      return Read<bool>(source, at) ? uint64_t{0x81} << 56 : 0;
    case LogicalTypeId::TINYINT:
      return OrderedLong(Read<int8_t>(source, at));
    case LogicalTypeId::SMALLINT:
      return OrderedLong(Read<int16_t>(source, at));
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::DATE:
      return OrderedLong(Read<int32_t>(source, at));
    case LogicalTypeId::FLOAT:
      return OrderedDouble(Read<float>(source, at));
    case LogicalTypeId::DOUBLE:
      return OrderedDouble(Read<double>(source, at));
    case LogicalTypeId::TIMESTAMP_TZ: {  // whole seconds
      auto micros = Read<int64_t>(source, at);
      return OrderedLong(micros / kMicros - (micros % kMicros < 0 ? 1 : 0));
    }
    default:
      return OrderedLong(Read<int64_t>(source, at));
  }
}

bool IsText(LogicalTypeId type) {
  return type == LogicalTypeId::VARCHAR || type == LogicalTypeId::BLOB;
}

// Text ends before a character that does not fit whole.
size_t PrefixSize(std::string_view bytes, size_t width, bool text) {
  size_t size = std::min(bytes.size(), width);
  if (text && size < bytes.size()) {
    while (size > 0 && (static_cast<unsigned char>(bytes[size]) & 0xc0) == 0x80) --size;
  }
  return size;
}

void Encode(const Source& source, size_t row, unsigned char* out) {
  const size_t at = source.format.sel->get_index(row);
  std::memset(out, 0, source.width);
  if (!source.format.validity.RowIsValid(at)) return;
  if (!IsText(source.type)) {
    const uint64_t number = OrderedNumber(source, at);
    for (size_t i = 0; i < kNumberBytes; ++i)
      out[i] = static_cast<unsigned char>(number >> (8 * (kNumberBytes - 1 - i)));
    return;
  }
  const auto value = Read<duckdb::string_t>(source, at);
  const std::string_view bytes(value.GetData(), value.GetSize());
  std::memcpy(out, bytes.data(),
              PrefixSize(bytes, source.width, source.type == LogicalTypeId::VARCHAR));
}

// The bytes that columns give to one step, interleaved into as many bytes.
void Interleave(const unsigned char* bytes, size_t count, unsigned char* out) {
  if (count <= kSpreadColumns) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= kSpread[count - 1][bytes[i]] >> i;
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    return;
  }
  std::memset(out, 0, count);
  size_t at = 0;
  for (int bit = 7; bit >= 0; --bit) {
    for (size_t i = 0; i < count; ++i, ++at) {
      const unsigned one = static_cast<unsigned>(bytes[i]) >> bit & 1;
      out[at / 8] = static_cast<unsigned char>(out[at / 8] | one << (7 - at % 8));
    }
  }
}

std::vector<Source> SourcesOf(duckdb::DataChunk& chunk, size_t var_length) {
  std::vector<Source> sources(chunk.ColumnCount() - 2);
  size_t offset = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    duckdb::Vector& column = chunk.data[i + 2];
    column.ToUnifiedFormat(chunk.size(), sources[i].format);
    sources[i].type = column.GetType().id();
    if (IsText(sources[i].type)) sources[i].width = var_length;
    sources[i].offset = std::exchange(offset, offset + sources[i].width);
  }
  return sources;
}

void ZorderRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const auto max_output = static_cast<size_t>(chunk.data[0].GetValue(0).GetValue<int64_t>());
  // More bytes of a column than the key has cannot show.
  const auto var_length =
      std::min(max_output, static_cast<size_t>(chunk.data[1].GetValue(0).GetValue<int64_t>()));
  const std::vector<Source> sources = SourcesOf(chunk, var_length);
  size_t total = 0, longest = 0;
  for (const Source& source : sources) {
    total += source.width;
    longest = std::max(longest, source.width);
  }
  const size_t size = std::min(total, max_output);
  std::vector<unsigned char> encoded(total), step(sources.size()), key(total);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* keys = duckdb::FlatVector::GetData<duckdb::string_t>(result);
  for (size_t row = 0; row < chunk.size(); ++row) {
    for (const Source& source : sources) Encode(source, row, encoded.data() + source.offset);
    size_t written = 0;
    for (size_t byte = 0; byte < longest && written < size; ++byte) {
      size_t count = 0;
      for (const Source& source : sources) {
        if (byte < source.width) step[count++] = encoded[source.offset + byte];
      }
      Interleave(step.data(), count, key.data() + written);
      written += count;
    }
    keys[row] = duckdb::StringVector::AddStringOrBlob(
        result, reinterpret_cast<const char*>(key.data()), size);
  }
}

}  // namespace

void RegisterZorderFunction(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunction function("ib_zorder",
                                  {duckdb::LogicalType::BIGINT, duckdb::LogicalType::BIGINT},
                                  duckdb::LogicalType::BLOB, ZorderRows);
  function.SetVarArgs(duckdb::LogicalType::ANY);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(std::move(function));
}

}  // namespace iceblink::exec
