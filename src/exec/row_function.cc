#include "exec/row_function.h"

#include "exec/duckdb_session.h"

namespace iceblink::exec {

using duckdb::FlatVector;
using duckdb::PhysicalType;

RowArgs::RowArgs(duckdb::DataChunk& chunk) : chunk_(chunk), columns_(chunk.ColumnCount()) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    chunk.data[i].ToUnifiedFormat(chunk.size(), columns_[i]);
    types_.push_back(chunk.data[i].GetType().InternalType());
  }
}

std::string_view RowArgs::Text(size_t i) const {
  const auto& text = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(columns_[i])[At(i)];
  return {text.GetData(), text.GetSize()};
}

int64_t RowArgs::Long(size_t i) const {
  const duckdb::UnifiedVectorFormat& c = columns_[i];
  switch (types_[i]) {
    case PhysicalType::BOOL:
      return duckdb::UnifiedVectorFormat::GetData<bool>(c)[At(i)];
    case PhysicalType::INT8:
      return duckdb::UnifiedVectorFormat::GetData<int8_t>(c)[At(i)];
    case PhysicalType::INT16:
      return duckdb::UnifiedVectorFormat::GetData<int16_t>(c)[At(i)];
    case PhysicalType::INT32:
      return duckdb::UnifiedVectorFormat::GetData<int32_t>(c)[At(i)];
    default:
      return duckdb::UnifiedVectorFormat::GetData<int64_t>(c)[At(i)];
  }
}

double RowArgs::Double(size_t i) const {
  if (types_[i] == PhysicalType::FLOAT)
    return duckdb::UnifiedVectorFormat::GetData<float>(columns_[i])[At(i)];
  if (types_[i] == PhysicalType::DOUBLE)
    return duckdb::UnifiedVectorFormat::GetData<double>(columns_[i])[At(i)];
  return static_cast<double>(Long(i));
}

TextList RowArgs::Texts(size_t i) const {
  TextList out;
  const auto& entry =
      duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(columns_[i])[At(i)];
  duckdb::Vector& child = duckdb::ListVector::GetEntry(chunk_.data[i]);
  duckdb::UnifiedVectorFormat format;
  child.ToUnifiedFormat(duckdb::ListVector::GetListSize(chunk_.data[i]), format);
  const auto* texts = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
  for (size_t k = entry.offset; k < entry.offset + entry.length; ++k) {
    size_t at = format.sel->get_index(k);
    if (format.validity.RowIsValid(at)) out.push_back(texts[at].GetString());
  }
  return out;
}

namespace {

void StoreInteger(duckdb::Vector& result, size_t row, int64_t value) {
  switch (result.GetType().InternalType()) {
    case PhysicalType::BOOL:
      FlatVector::GetData<bool>(result)[row] = value != 0;
      break;
    case PhysicalType::INT8:
      FlatVector::GetData<int8_t>(result)[row] = static_cast<int8_t>(value);
      break;
    case PhysicalType::INT16:
      FlatVector::GetData<int16_t>(result)[row] = static_cast<int16_t>(value);
      break;
    case PhysicalType::INT32:
      FlatVector::GetData<int32_t>(result)[row] = static_cast<int32_t>(value);
      break;
    default:
      FlatVector::GetData<int64_t>(result)[row] = value;
      break;
  }
}

void Store(duckdb::Vector& result, size_t row, const Datum& datum) {
  if (std::holds_alternative<std::monostate>(datum)) {
    FlatVector::SetNull(result, row, true);
  } else if (const bool* flag = std::get_if<bool>(&datum)) {
    StoreInteger(result, row, *flag);
  } else if (const int64_t* integer = std::get_if<int64_t>(&datum)) {
    StoreInteger(result, row, *integer);
  } else if (const double* number = std::get_if<double>(&datum)) {
    if (result.GetType().InternalType() == PhysicalType::FLOAT) {
      FlatVector::GetData<float>(result)[row] = static_cast<float>(*number);
    } else {
      FlatVector::GetData<double>(result)[row] = *number;
    }
  } else if (const std::string* text = std::get_if<std::string>(&datum)) {
    FlatVector::GetData<duckdb::string_t>(result)[row] =
        duckdb::StringVector::AddStringOrBlob(result, text->data(), text->size());
  } else {
    const TextList& list = std::get<TextList>(datum);
    duckdb::list_entry_t entry{duckdb::ListVector::GetListSize(result), list.size()};
    for (const std::string& element : list)
      duckdb::ListVector::PushBack(result, duckdb::Value(element));
    FlatVector::GetData<duckdb::list_entry_t>(result)[row] = entry;
  }
}

void Execute(const RowFunction& function, duckdb::DataChunk& chunk, duckdb::Vector& result) {
  RowArgs args(chunk);
  const bool constant = chunk.AllConstant() && !function.is_volatile;
  const size_t rows = constant ? 1 : chunk.size();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (size_t row = 0; row < rows; ++row) {
    args.MoveTo(row);
    bool null = false;
    for (size_t i = 0; i < args.size() && !function.sees_nulls; ++i) null = null || args.IsNull(i);
    Store(result, row, null ? Datum() : function.body(args));
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

}  // namespace

void Register(duckdb::ExtensionLoader& loader, const std::vector<RowFunction>& functions) {
  for (const RowFunction& function : functions) {
    duckdb::vector<duckdb::LogicalType> args(function.args.begin(), function.args.end());
    duckdb::ScalarFunction scalar(
        function.name, std::move(args), function.result,
        [function](duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
          Execute(function, chunk, result);
        });
    if (function.variadic) scalar.SetVarArgs(function.args.back());
    if (function.sees_nulls) scalar.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    if (function.is_volatile) scalar.SetStability(duckdb::FunctionStability::VOLATILE);
    scalar.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
    loader.RegisterFunction(std::move(scalar));
  }
}

void RegisterScalarFunctions(duckdb::ExtensionLoader& loader,
                             const std::shared_ptr<StatementObjects>& objects) {
  RegisterCastFunctions(loader);
  RegisterNumberFunctions(loader);
  RegisterVectorFunctions(loader);
  RegisterZorderFunction(loader);
  RegisterVariantFunctions(loader);
  RegisterTextFunctions(loader);
  RegisterDatetimeFunctions(loader);
  RegisterHashFunctions(loader);
  RegisterHistogramFunction(loader);
  RegisterRecursionFunction(loader, objects);
  RegisterJsonFunctions(loader, objects);
}

}  // namespace iceblink::exec
