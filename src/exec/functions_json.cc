// JSON as Spark reads and writes it. Functions that depend on a Spark type get its number among the
// statement's objects.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/datetime.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/strings.h"
#include "base/time_zone.h"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "exec/duckdb_types.h"
#include "exec/java_text.h"
#include "exec/json_text.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

using duckdb::LogicalType;
using sql::DataType;
using sql::TypeKind;

namespace {

// ---- paths
// -----------------------------------------------------------------------------------------------------------

struct Step {
  std::string name;
  int64_t index = -1;  // of an array
};

// $.a.b[1]['c']; nothing when malformed.
std::optional<std::vector<Step>> ParsePath(std::string_view path) {
  if (!path.starts_with('$')) return std::nullopt;
  path.remove_prefix(1);
  std::vector<Step> out;
  while (!path.empty()) {
    if (path.starts_with("['") || path.starts_with("[\"")) {
      size_t end = path.find(path[1], 2);
      if (end == std::string_view::npos || end + 1 >= path.size() || path[end + 1] != ']')
        return std::nullopt;
      out.push_back({std::string(path.substr(2, end - 2)), -1});
      path.remove_prefix(end + 2);
    } else if (path[0] == '[') {
      size_t end = path.find(']');
      auto index =
          end == std::string_view::npos ? std::nullopt : ParseInt64(path.substr(1, end - 1));
      if (!index || *index < 0) return std::nullopt;
      out.push_back({"", *index});
      path.remove_prefix(end + 1);
    } else if (path[0] == '.') {
      path.remove_prefix(1);
      size_t end = std::min(path.find_first_of(".["), path.size());
      if (end == 0) return std::nullopt;
      out.push_back({std::string(path.substr(0, end)), -1});
      path.remove_prefix(end);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

const Json* Follow(const Json& root, const std::vector<Step>& steps) {
  const Json* at = &root;
  for (const Step& step : steps) {
    if (step.index >= 0) {
      if (!at->is_array() || static_cast<size_t>(step.index) >= at->size()) return nullptr;
      at = &(*at)[static_cast<size_t>(step.index)];
    } else {
      if (!at->is_object() || !at->contains(step.name)) return nullptr;
      at = &(*at)[step.name];
    }
  }
  return at;
}

std::string Shown(const Json& json) {
  return json.is_string() ? json.get<std::string>() : DumpJson(json);
}

Datum GetJsonObject(const RowArgs& args) {
  auto steps = ParsePath(args.Text(1));
  auto json = FirstJson(std::string(args.Text(0)));
  if (!steps || !json) return {};
  const Json* found = Follow(*json, *steps);
  return found == nullptr || found->is_null() ? Datum() : Datum(Shown(*found));
}

Datum JsonField(const RowArgs& args) {
  auto json = ParseJson(args.Text(0));
  if (!json || !json->is_object()) return {};
  auto it = json->find(std::string(args.Text(1)));
  return it == json->end() || it->is_null() ? Datum() : Datum(Shown(*it));
}

Datum JsonArrayLength(const RowArgs& args) {
  auto json = ParseJson(args.Text(0));
  return json && json->is_array() ? Datum(static_cast<int64_t>(json->size())) : Datum();
}

Datum JsonObjectKeys(const RowArgs& args) {
  auto json = ParseJson(args.Text(0));
  if (!json || !json->is_object()) return {};
  TextList out;
  for (const auto& [key, value] : json->items()) out.push_back(key);
  return out;
}

// ---- schemas
// ---------------------------------------------------------------------------------------------------------

std::string SchemaOf(const Json& json, bool variant) {
  if (json.is_boolean()) return "BOOLEAN";
  if (json.is_number_integer()) return "BIGINT";
  if (json.is_number_float()) {
    if (!variant) return "DOUBLE";
    auto decimal = ParseDecimal(DumpJson(json));
    if (!decimal) return "DOUBLE";
    return fmt::format("DECIMAL({},{})",
                       std::max(DecimalPrecision(decimal->unscaled), decimal->scale),
                       decimal->scale);
  }
  if (json.is_array()) {
    std::string element = json.empty() ? (variant ? "VOID" : "STRING") : SchemaOf(json[0], variant);
    for (const Json& value : json) {
      std::string other = SchemaOf(value, variant);
      if (other == "VOID") continue;
      if (element == "VOID") element = other;
      if (other != element) element = variant ? "VARIANT" : "STRING";
    }
    return "ARRAY<" + element + ">";
  }
  if (json.is_object()) {
    std::vector<std::string> fields;
    for (const auto& [key, value] : json.items())
      fields.push_back(key + ": " + SchemaOf(value, variant));
    if (variant) std::sort(fields.begin(), fields.end());
    return (variant ? "OBJECT<" : "STRUCT<") + Join(fields, ", ") + ">";
  }
  if (json.is_null()) return variant ? "VOID" : "STRING";
  return "STRING";
}

Datum SchemaOfJson(const RowArgs& args) {
  auto json = ParseJson(args.Text(0));
  return json ? Datum(SchemaOf(*json, args.Bool(1))) : Datum();
}

// ---- values to text
// --------------------------------------------------------------------------------------------------

std::string Quoted(const std::string& text) { return DumpJson(Json(text)); }

std::string Plain(const Value& value, const DataType& type, const TimeZone& zone) {
  switch (type.kind()) {
    case TypeKind::kDate:
      return SparkDate(value.AsInt64());
    case TypeKind::kTimestamp: {
      int64_t local = zone.ToLocal(value.AsInt64());
      int32_t offset = zone.OffsetAt(FloorDiv(value.AsInt64(), kMicrosPerSecond));
      std::string text = FormatTimestamp(local / 1000 * 1000, "", 'T');
      if (text.find('.') == std::string::npos) text += ".000";
      if (offset == 0) return text + "Z";
      return text + fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', std::abs(offset) / 3600,
                                std::abs(offset) / 60 % 60);
    }
    case TypeKind::kTimestampNtz: {
      std::string text = FormatTimestamp(value.AsInt64() / 1000 * 1000, "", 'T');
      return text.find('.') == std::string::npos ? text + ".000" : text;
    }
    case TypeKind::kBinary:
      return Base64Encode(value.As<Bytes>().data);
    default:
      return value.Is<std::string>() ? value.As<std::string>() : "";
  }
}

std::string ToJsonText(const Value& value, const DataType& type, const TimeZone& zone) {
  if (value.is_null()) return "null";
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return value.As<bool>() ? "true" : "false";
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt:
      return std::to_string(value.AsInt64());
    case TypeKind::kFloat:
      return std::isfinite(value.As<float>()) ? JavaFloat(value.As<float>())
                                              : Quoted(JavaFloat(value.As<float>()));
    case TypeKind::kDouble:
      return std::isfinite(value.As<double>()) ? JavaDouble(value.As<double>())
                                               : Quoted(JavaDouble(value.As<double>()));
    case TypeKind::kDecimal:
      return DecimalToPlainString(value.As<Decimal>());
    case TypeKind::kVariant:
      return value.As<std::string>();
    case TypeKind::kArray: {
      std::vector<std::string> parts;
      for (const Value& v : value.elements()) parts.push_back(ToJsonText(v, type.element(), zone));
      return "[" + Join(parts, ",") + "]";
    }
    case TypeKind::kMap: {
      std::vector<std::string> parts;
      for (const auto& [k, v] : value.entries()) {
        std::string key =
            type.key().is_string() ? k.As<std::string>() : ToJsonText(k, type.key(), zone);
        parts.push_back(Quoted(key) + ":" + ToJsonText(v, type.value(), zone));
      }
      return "{" + Join(parts, ",") + "}";
    }
    case TypeKind::kStruct: {
      std::vector<std::string> parts;
      for (size_t i = 0; i < type.fields().size(); ++i) {
        if (value.fields()[i].is_null()) continue;  // NULL fields are left out
        parts.push_back(Quoted(type.fields()[i].name) + ":" +
                        ToJsonText(value.fields()[i], type.fields()[i].type, zone));
      }
      return "{" + Join(parts, ",") + "}";
    }
    default:
      return Quoted(Plain(value, type, zone));
  }
}

// ---- text to values
// --------------------------------------------------------------------------------------------------

Value FromJson(const Json& json, const DataType& type);

Value NumberFrom(const Json& json, const DataType& type) {
  if (type.kind() == TypeKind::kDecimal) {
    auto decimal = ParseSparkDecimal(Shown(json));
    auto scaled = decimal ? Rescale(*decimal, type.scale(), Rounding::kHalfUp) : std::nullopt;
    return scaled && FitsPrecision(scaled->unscaled, type.precision()) ? Value(*scaled) : Value();
  }
  if (!json.is_number()) return {};
  if (type.kind() == TypeKind::kDouble) return json.get<double>();
  if (type.kind() == TypeKind::kFloat) return static_cast<float>(json.get<double>());
  if (!json.is_number_integer()) return {};
  auto number = json.get<int64_t>();
  if (type.kind() == TypeKind::kBigInt) return number;
  return number >= INT32_MIN && number <= INT32_MAX ? Value(static_cast<int32_t>(number)) : Value();
}

Value StructFrom(const Json& json, const DataType& type) {
  if (!json.is_object()) return {};
  ValueList fields;
  for (const sql::StructField& field : type.fields()) {
    auto it = json.find(field.name);
    fields.push_back(it == json.end() ? Value() : FromJson(*it, field.type));
  }
  return Value::Struct(std::move(fields));
}

// NULL where the JSON does not fit the type.
Value FromJson(const Json& json, const DataType& type) {
  if (json.is_null()) return {};
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return json.is_boolean() ? Value(json.get<bool>()) : Value();
    case TypeKind::kString:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
      return Shown(json);
    case TypeKind::kDate: {
      auto days = json.is_string() ? ParseSparkDate(json.get<std::string>()) : std::nullopt;
      return days ? Value(static_cast<int32_t>(*days)) : Value();
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: {
      auto parsed = json.is_string() ? ParseSparkTimestamp(json.get<std::string>()) : std::nullopt;
      if (!parsed) return {};
      const TimeZone* zone = TimeZone::Find(parsed->zone.empty() ? "UTC" : parsed->zone);
      return zone == nullptr ? Value() : Value(zone->FromLocal(parsed->local_micros));
    }
    case TypeKind::kArray: {
      if (!json.is_array()) return {};
      ValueList elements;
      for (const Json& element : json) elements.push_back(FromJson(element, type.element()));
      return Value::Array(std::move(elements));
    }
    case TypeKind::kMap: {
      if (!json.is_object()) return {};
      std::vector<std::pair<Value, Value>> entries;
      for (const auto& [key, value] : json.items())
        entries.emplace_back(Value(key), FromJson(value, type.value()));
      return Value::Map(std::move(entries));
    }
    case TypeKind::kStruct:
      return StructFrom(json, type);
    case TypeKind::kVariant:
      return DumpJson(json);
    default:
      return NumberFrom(json, type);
  }
}

// ---- functions bound to a Spark type
// ---------------------------------------------------------------------------------

struct TypedInfo : duckdb::ScalarFunctionInfo {
  explicit TypedInfo(std::shared_ptr<StatementObjects> objects) : objects(std::move(objects)) {}
  std::shared_ptr<StatementObjects> objects;
};

struct Typed : duckdb::FunctionData {
  DataType type;
  std::string zone = "UTC";
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<Typed>(*this);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    return type == other.Cast<Typed>().type;
  }
};

duckdb::unique_ptr<Typed> TypeOf(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                 duckdb::Expression& argument) {
  int64_t id = duckdb::ExpressionExecutor::EvaluateScalar(context, argument).GetValue<int64_t>();
  auto type = function.function_info->Cast<TypedInfo>().objects->Find<DataType>(id);
  if (type == nullptr) throw duckdb::InvalidInputException("type is gone");
  auto out = duckdb::make_uniq<Typed>();
  out->type = *type;
  return out;
}

using Arguments = duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>;

// ib_to_json(value, type, zone)
duckdb::unique_ptr<duckdb::FunctionData> BindToJson(duckdb::ClientContext& context,
                                                    duckdb::ScalarFunction& function,
                                                    Arguments& args) {
  auto out = TypeOf(context, function, *args[1]);
  out->zone = duckdb::ExpressionExecutor::EvaluateScalar(context, *args[2]).ToString();
  function.arguments[0] = args[0]->return_type;
  return out;
}

const Typed& TypedOf(duckdb::ExpressionState& state) {
  return state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<Typed>();
}

void ToJsonRows(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const Typed& typed = TypedOf(state);
  const TimeZone* zone = TimeZone::Find(typed.zone);
  for (size_t row = 0; row < chunk.size(); ++row) {
    duckdb::Value value = chunk.data[0].GetValue(row);
    if (value.IsNull()) {
      result.SetValue(row, duckdb::Value(LogicalType::VARCHAR));
      continue;
    }
    Value shaped = Reshape(FromDuckDb(value), typed.type);
    result.SetValue(row, duckdb::Value(ToJsonText(shaped, typed.type,
                                                  zone == nullptr ? TimeZone::Utc() : *zone)));
  }
}

// ib_from_json(text, type): malformed text gives a struct of NULLs.
duckdb::unique_ptr<duckdb::FunctionData> BindFromJson(duckdb::ClientContext& context,
                                                      duckdb::ScalarFunction& function,
                                                      Arguments& args) {
  auto out = TypeOf(context, function, *args[1]);
  function.SetReturnType(ToLogicalType(out->type));
  return out;
}

void FromJsonRows(duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                  duckdb::Vector& result) {
  const Typed& typed = TypedOf(state);
  const LogicalType type = ToLogicalType(typed.type);
  for (size_t row = 0; row < chunk.size(); ++row) {
    duckdb::Value text = chunk.data[0].GetValue(row);
    Value value;
    if (!text.IsNull()) {
      auto json = FirstJson(duckdb::StringValue::Get(text));
      if (json) value = FromJson(*json, typed.type);
      if (value.is_null() && typed.type.kind() == TypeKind::kStruct) {
        value = Value::Struct(ValueList(typed.type.fields().size()));
      }
    }
    result.SetValue(row, ToDuckDb(value, type));
  }
}

// ib_variant_get(JSON text, path, type, try); for a variant result the JSON text.
duckdb::unique_ptr<duckdb::FunctionData> BindVariantGet(duckdb::ClientContext& context,
                                                        duckdb::ScalarFunction& function,
                                                        Arguments& args) {
  auto out = TypeOf(context, function, *args[2]);
  bool variant = out->type.kind() == TypeKind::kVariant;
  function.SetReturnType(variant ? LogicalType(LogicalType::VARCHAR) : ToLogicalType(out->type));
  return out;
}

// A variant's value as another type: numbers and texts convert, unlike in from_json.
Value VariantTo(const Json& json, const DataType& type) {
  if (json.is_string() && type.is_integral()) {
    auto number = ParseSparkLong(json.get<std::string>());
    return number ? FromJson(Json(*number), type) : Value();
  }
  if (json.is_string() && (type.kind() == TypeKind::kDouble || type.kind() == TypeKind::kFloat)) {
    auto number = ParseSparkDouble(json.get<std::string>());
    return number ? FromJson(Json(*number), type) : Value();
  }
  if (json.is_number_float() && type.is_integral())
    return FromJson(Json(static_cast<int64_t>(json.get<double>())), type);
  return FromJson(json, type);
}

void VariantGetRows(duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                    duckdb::Vector& result) {
  const Typed& typed = TypedOf(state);
  const bool variant = typed.type.kind() == TypeKind::kVariant;
  const LogicalType type = variant ? LogicalType(LogicalType::VARCHAR) : ToLogicalType(typed.type);
  for (size_t row = 0; row < chunk.size(); ++row) {
    duckdb::Value text = chunk.data[0].GetValue(row), path = chunk.data[1].GetValue(row);
    Value value;
    if (!text.IsNull() && !path.IsNull()) {
      auto json = ParseJson(duckdb::StringValue::Get(text));
      auto steps = ParsePath(duckdb::StringValue::Get(path));
      const Json* found = json && steps ? Follow(*json, *steps) : nullptr;
      if (found != nullptr && variant) value = DumpJson(*found);
      if (found != nullptr && !variant && !found->is_null()) {
        value = VariantTo(*found, typed.type);
        if (value.is_null() && !chunk.data[3].GetValue(row).GetValue<bool>()) {
          ThrowCondition(
              "INVALID_VARIANT_CAST",
              {{"value", DumpJson(*found)}, {"dataType", "\"" + typed.type.SqlString() + "\""}});
        }
      }
    }
    result.SetValue(row, ToDuckDb(value, type));
  }
}

}  // namespace

void RegisterJsonFunctions(duckdb::ExtensionLoader& loader,
                           const std::shared_ptr<StatementObjects>& objects) {
  const LogicalType text = LogicalType::VARCHAR, i64 = LogicalType::BIGINT,
                    flag = LogicalType::BOOLEAN, any = LogicalType::ANY;
  Register(
      loader,
      {
          {"ib_get_json_object", {text, text}, text, GetJsonObject},
          {"ib_json_field", {text, text}, text, JsonField},
          {"ib_json_array_length", {text}, LogicalType::INTEGER, JsonArrayLength},
          {"ib_json_object_keys", {text}, LogicalType::LIST(LogicalType::VARCHAR), JsonObjectKeys},
          {"ib_schema_of_json", {text, flag}, text, SchemaOfJson},
      });
  auto info = duckdb::make_shared_ptr<TypedInfo>(objects);
  auto add = [&](const char* name, duckdb::vector<LogicalType> args, LogicalType result,
                 duckdb::scalar_function_t body, duckdb::bind_scalar_function_t bind) {
    duckdb::ScalarFunction function(name, std::move(args), std::move(result), std::move(body),
                                    bind);
    function.function_info = info;
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
    loader.RegisterFunction(std::move(function));
  };
  add("ib_to_json", {any, i64, text}, text, ToJsonRows, BindToJson);
  add("ib_from_json", {text, i64}, any, FromJsonRows, BindFromJson);
  add("ib_variant_get", {text, text, i64, flag}, any, VariantGetRows, BindVariantGet);
}

}  // namespace iceblink::exec
