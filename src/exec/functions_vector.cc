// Functions of hot loops, over whole vectors: no object is made per row.
#include <algorithm>

#include "base/strings.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

using duckdb::LogicalType;

namespace {

// lpad and rpad: `wanted` code points of text and repeated pad.
template <bool kLeft>
duckdb::string_t Pad(duckdb::Vector& result, duckdb::string_t text_value, int64_t wanted,
                     duckdb::string_t pad_value) {
  const std::string_view text(text_value.GetData(), text_value.GetSize()),
      pad(pad_value.GetData(), pad_value.GetSize());
  wanted = std::max<int64_t>(wanted, 0);
  const int64_t missing = wanted - static_cast<int64_t>(CodePointCount(text));
  if (missing <= 0 || pad.empty()) {
    return duckdb::StringVector::AddString(
        result, text.data(), CodePointPrefix(text, static_cast<size_t>(wanted)).size());
  }
  const auto pad_length = static_cast<int64_t>(CodePointCount(pad));
  const auto whole = static_cast<size_t>(missing / pad_length);
  const std::string_view part = CodePointPrefix(pad, static_cast<size_t>(missing % pad_length));
  const size_t fill = whole * pad.size() + part.size();
  duckdb::string_t out = duckdb::StringVector::EmptyString(result, fill + text.size());
  char* at = out.GetDataWriteable();
  if (!kLeft) at = std::copy(text.begin(), text.end(), at);
  for (size_t i = 0; i < whole; ++i) at = std::copy(pad.begin(), pad.end(), at);
  at = std::copy(part.begin(), part.end(), at);
  if (kLeft) std::copy(text.begin(), text.end(), at);
  out.Finalize();
  return out;
}

template <bool kLeft>
void PadRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::TernaryExecutor::Execute<duckdb::string_t, int64_t, duckdb::string_t, duckdb::string_t>(
      chunk.data[0], chunk.data[1], chunk.data[2], result, chunk.size(),
      [&](duckdb::string_t text, int64_t wanted, duckdb::string_t pad) {
        return Pad<kLeft>(result, text, wanted, pad);
      });
}

// An instant moved by elapsed time.
void AddMicrosRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::BinaryExecutor::Execute<int64_t, int64_t, int64_t>(
      chunk.data[0], chunk.data[1], result, chunk.size(), [](int64_t instant, int64_t micros) {
        int64_t out = 0;
        if (__builtin_add_overflow(instant, micros, &out)) {
          ThrowCondition("ARITHMETIC_OVERFLOW",
                         {{"message", "long overflow"}, {"alternative", ""}});
        }
        return out;
      });
}

}  // namespace

void RegisterVectorFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType text = LogicalType::VARCHAR, i64 = LogicalType::BIGINT,
                    instant = LogicalType::TIMESTAMP_TZ;
  auto add = [&](const char* name, duckdb::vector<LogicalType> args, const LogicalType& result,
                 duckdb::scalar_function_t body) {
    duckdb::ScalarFunction function(name, std::move(args), result, std::move(body));
    function.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
    loader.RegisterFunction(std::move(function));
  };
  add("ib_lpad", {text, i64, text}, text, PadRows<true>);
  add("ib_rpad", {text, i64, text}, text, PadRows<false>);
  add("ib_add_micros", {instant, i64}, instant, AddMicrosRows);
}

}  // namespace iceblink::exec
