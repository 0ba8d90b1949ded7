#include "server/types.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sql/identifier.h"
#include "sql/parser.h"

namespace iceblink::server {

using sql::DataType;
using sql::TypeKind;

namespace {

void StructMessage(const DataType& type, connect::DataType::Struct* out) {
  for (const sql::StructField& field : type.fields()) {
    auto* message = out->add_fields();
    message->set_name(field.name);
    message->set_nullable(field.nullable);
    ToMessage(field.type, message->mutable_data_type());
    if (field.comment) message->set_metadata(nlohmann::json{{"comment", *field.comment}}.dump());
  }
}

void NestedMessage(const DataType& type, connect::DataType* out) {
  if (type.kind() == TypeKind::kArray) {
    ToMessage(type.element(), out->mutable_array()->mutable_element_type());
    out->mutable_array()->set_contains_null(type.contains_null());
  } else if (type.kind() == TypeKind::kMap) {
    ToMessage(type.key(), out->mutable_map()->mutable_key_type());
    ToMessage(type.value(), out->mutable_map()->mutable_value_type());
    out->mutable_map()->set_value_contains_null(type.value_contains_null());
  } else {
    StructMessage(type, out->mutable_struct_());
  }
}

void IntervalMessage(const DataType& type, connect::DataType* out) {
  if (type.kind() == TypeKind::kYearMonthInterval) {
    out->mutable_year_month_interval()->set_start_field(static_cast<int>(type.start_field()));
    out->mutable_year_month_interval()->set_end_field(static_cast<int>(type.end_field()));
    return;
  }
  int day = static_cast<int>(sql::IntervalField::kDay);  // Spark counts these fields from the day
  out->mutable_day_time_interval()->set_start_field(static_cast<int>(type.start_field()) - day);
  out->mutable_day_time_interval()->set_end_field(static_cast<int>(type.end_field()) - day);
}

}  // namespace

namespace {

// Types without parameters, and the message that stands for each.
struct PlainType {
  TypeKind kind;
  connect::DataType::KindCase message;
};
constexpr PlainType kPlainTypes[] = {
    {TypeKind::kVoid, connect::DataType::kNull},
    {TypeKind::kBoolean, connect::DataType::kBoolean},
    {TypeKind::kTinyInt, connect::DataType::kByte},
    {TypeKind::kSmallInt, connect::DataType::kShort},
    {TypeKind::kInt, connect::DataType::kInteger},
    {TypeKind::kBigInt, connect::DataType::kLong},
    {TypeKind::kFloat, connect::DataType::kFloat},
    {TypeKind::kDouble, connect::DataType::kDouble},
    {TypeKind::kBinary, connect::DataType::kBinary},
    {TypeKind::kDate, connect::DataType::kDate},
    {TypeKind::kTimestamp, connect::DataType::kTimestamp},
    {TypeKind::kTimestampNtz, connect::DataType::kTimestampNtz},
    {TypeKind::kCalendarInterval, connect::DataType::kCalendarInterval},
    {TypeKind::kVariant, connect::DataType::kVariant},
};

// Requires a type with parameters.
void ParameterMessage(const DataType& type, connect::DataType* out) {
  switch (type.kind()) {
    case TypeKind::kDecimal:
      out->mutable_decimal()->set_precision(type.precision());
      out->mutable_decimal()->set_scale(type.scale());
      return;
    case TypeKind::kString:
      out->mutable_string()->set_collation(type.collation());
      return;
    case TypeKind::kChar:
      out->mutable_char_()->set_length(type.length());
      return;
    case TypeKind::kVarchar:
      out->mutable_var_char()->set_length(type.length());
      return;
    case TypeKind::kTime:
      out->mutable_time()->set_precision(type.precision());
      return;
    case TypeKind::kGeometry:
      out->mutable_geometry()->set_srid(type.srid());
      return;
    case TypeKind::kGeography:
      out->mutable_geography()->set_srid(type.srid());
      return;
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
      return IntervalMessage(type, out);
    default:
      return NestedMessage(type, out);
  }
}

Result<DataType> NestedType(const connect::DataType& message) {
  if (message.has_array()) {
    ASSIGN_OR_RETURN(DataType element, FromMessage(message.array().element_type()));
    return DataType::Array(std::move(element), message.array().contains_null());
  }
  if (message.has_map()) {
    ASSIGN_OR_RETURN(DataType key, FromMessage(message.map().key_type()));
    ASSIGN_OR_RETURN(DataType value, FromMessage(message.map().value_type()));
    return DataType::Map(std::move(key), std::move(value), message.map().value_contains_null());
  }
  std::vector<sql::StructField> fields;
  for (const auto& field : message.struct_().fields()) {
    ASSIGN_OR_RETURN(DataType type, FromMessage(field.data_type()));
    fields.push_back({field.name(), std::move(type), field.nullable(), {}});
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace

void ToMessage(const DataType& type, connect::DataType* out) {
  for (const PlainType& plain : kPlainTypes) {
    if (plain.kind != type.kind()) continue;
    const auto* field = out->GetDescriptor()->FindFieldByNumber(plain.message);
    out->GetReflection()->MutableMessage(out, field);
    return;
  }
  ParameterMessage(type, out);
}

Result<DataType> FromMessage(const connect::DataType& message) {
  using M = connect::DataType;
  for (const PlainType& plain : kPlainTypes)
    if (plain.message == message.kind_case()) return DataType(plain.kind);
  switch (message.kind_case()) {
    case M::kDecimal:
      return DataType::Decimal(
          message.decimal().has_precision() ? message.decimal().precision() : 10,
          message.decimal().scale());
    case M::kString:
      return DataType::String(message.string().collation());
    case M::kChar:
      return DataType::Char(message.char_().length());
    case M::kVarChar:
      return DataType::Varchar(message.var_char().length());
    case M::kYearMonthInterval:
      return DataType::YearMonthInterval(sql::IntervalField::kYear, sql::IntervalField::kMonth);
    case M::kDayTimeInterval:
      return DataType::DayTimeInterval(sql::IntervalField::kDay, sql::IntervalField::kSecond);
    case M::kUnparsed:
      return sql::ParseDataType(message.unparsed().data_type_string());
    case M::kArray:
    case M::kMap:
    case M::kStruct:
      return NestedType(message);
    default:
      return Fail(ErrorCode::kUnsupported,
                  "Does not support convert " + message.ShortDebugString() + " to catalyst types.",
                  "InvalidPlanInput");
  }
}

// ---- JSON
// -------------------------------------------------------------------------------------------------------------

namespace {

using Json = nlohmann::json;

Result<DataType> FromJson(const Json& json);

Result<DataType> StructFromJson(const Json& json) {
  std::vector<sql::StructField> fields;
  for (const Json& field : json.value("fields", Json::array())) {
    ASSIGN_OR_RETURN(DataType type, FromJson(field.value("type", Json())));
    std::optional<std::string> comment;
    if (auto meta = field.find("metadata");
        meta != field.end() && meta->contains("comment") && (*meta)["comment"].is_string())
      comment = (*meta)["comment"].get<std::string>();
    fields.push_back({field.value("name", ""), std::move(type), field.value("nullable", true),
                      std::move(comment)});
  }
  return DataType::Struct(std::move(fields));
}

Result<DataType> FromJson(const Json& json) {
  if (json.is_string()) {
    std::string name = json.get<std::string>();
    if (name == "long") return DataType(TypeKind::kBigInt);
    if (name == "integer") return DataType(TypeKind::kInt);
    if (name == "short") return DataType(TypeKind::kSmallInt);
    if (name == "byte") return DataType(TypeKind::kTinyInt);
    return sql::ParseDataType(name);
  }
  std::string type = json.is_object() ? json.value("type", "") : "";
  if (type == "struct") return StructFromJson(json);
  if (type == "array") {
    ASSIGN_OR_RETURN(DataType element, FromJson(json.value("elementType", Json())));
    return DataType::Array(std::move(element), json.value("containsNull", true));
  }
  if (type == "map") {
    ASSIGN_OR_RETURN(DataType key, FromJson(json.value("keyType", Json())));
    ASSIGN_OR_RETURN(DataType value, FromJson(json.value("valueType", Json())));
    return DataType::Map(std::move(key), std::move(value), json.value("valueContainsNull", true));
  }
  return Fail(ErrorCode::kInvalidArgument,
              "Failed to convert the JSON string '" + json.dump() + "' to a data type.",
              "SparkIllegalArgumentException");
}

}  // namespace

Result<DataType> ParseSchema(std::string_view text) {
  if (text.starts_with('{') || text.starts_with('"')) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_discarded()) return FromJson(json);
  }
  if (auto schema = sql::ParseTableSchema(text)) return schema;
  return sql::ParseDataType(text);
}

std::string ToDdl(const DataType& schema) {
  if (schema.kind() != TypeKind::kStruct) return schema.SqlString();
  std::string out;
  for (const sql::StructField& field : schema.fields()) {
    if (!out.empty()) out += ',';
    out += sql::QuoteIfNeeded(field.name) + ' ' + field.type.SqlString() +
           (field.nullable ? "" : " NOT NULL");
  }
  return out;
}

// ---- tree
// -------------------------------------------------------------------------------------------------------------

namespace {

// StructType.treeString's names of types, which are not those of SQL.
std::string TreeName(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBigInt:
      return "long";
    case TypeKind::kInt:
      return "integer";
    case TypeKind::kSmallInt:
      return "short";
    case TypeKind::kTinyInt:
      return "byte";
    case TypeKind::kArray:
      return "array";
    case TypeKind::kMap:
      return "map";
    case TypeKind::kStruct:
      return "struct";
    default:
      return type.SimpleString();
  }
}

void AppendTree(const std::string& prefix, const std::string& name, const DataType& type,
                std::string_view flag, bool value, int level, std::string& out);

void AppendChildren(const std::string& prefix, const DataType& type, int level, std::string& out) {
  if (level <= 0) return;
  std::string inner = prefix + "    |";
  if (type.kind() == TypeKind::kArray) {
    AppendTree(inner, "element", type.element(), "containsNull", type.contains_null(), level, out);
  } else if (type.kind() == TypeKind::kMap) {
    out += fmt::format("{}-- key: {}\n", inner, TreeName(type.key()));
    AppendChildren(inner, type.key(), level - 1, out);
    AppendTree(inner, "value", type.value(), "valueContainsNull", type.value_contains_null(), level,
               out);
  } else if (type.kind() == TypeKind::kStruct) {
    for (const sql::StructField& field : type.fields())
      AppendTree(inner, field.name, field.type, "nullable", field.nullable, level, out);
  }
}

void AppendTree(const std::string& prefix, const std::string& name, const DataType& type,
                std::string_view flag, bool value, int level, std::string& out) {
  out += fmt::format("{}-- {}: {} ({} = {})\n", prefix, name, TreeName(type), flag, value);
  AppendChildren(prefix, type, level - 1, out);
}

}  // namespace

std::string TreeString(const DataType& schema, std::optional<int> level) {
  int depth = level && *level > 0 ? *level : 1000;
  std::string out = "root\n";
  for (const sql::StructField& field : schema.fields())
    AppendTree(" |", field.name, field.type, "nullable", field.nullable, depth, out);
  return out;
}

DataType SchemaOf(const std::vector<engine::ResultColumn>& columns) {
  std::vector<sql::StructField> fields;
  for (const engine::ResultColumn& column : columns)
    fields.push_back({column.name, column.type, column.nullable, {}});
  return DataType::Struct(std::move(fields));
}

}  // namespace iceblink::server
