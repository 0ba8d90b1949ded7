// spark.read.json over a DataFrame of texts: from_json of its one column. A schema that is not
// given is inferred from the rows, by Spark's rules.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/strings.h"
#include "exec/json_text.h"
#include "server/errors.h"
#include "server/translator.h"
#include "server/types.h"
#include "sql/identifier.h"
#include "sql/printer.h"

namespace iceblink::server {

using sql::DataType;
using sql::PrintString;
using sql::QuoteIdentifier;
using sql::TypeKind;

namespace {

using Json = nlohmann::json;
using Options = google::protobuf::Map<std::string, std::string>;

constexpr std::string_view kCorruptOption = "columnNameOfCorruptRecord";

std::string OptionOr(const Options& options, std::string_view name, std::string otherwise) {
  for (const auto& [key, value] : options)
    if (EqualsIgnoreCase(key, name)) return value;
  return otherwise;
}

// ---- inference
// ----------------------------------------------------------------------------------------------------------

DataType InferredType(const Json& json);

DataType Merged(const DataType& a, const DataType& b) {
  if (a.is_void() || a == b) return b;
  if (b.is_void()) return a;
  const auto number = [](const DataType& type) {
    return type.kind() == TypeKind::kBigInt || type.kind() == TypeKind::kDouble;
  };
  if (number(a) && number(b)) return TypeKind::kDouble;
  if (a.kind() == TypeKind::kArray && b.kind() == TypeKind::kArray)
    return DataType::Array(Merged(a.element(), b.element()), true);
  if (a.kind() != TypeKind::kStruct || b.kind() != TypeKind::kStruct) return TypeKind::kString;
  std::vector<sql::StructField> fields = a.fields();
  for (const sql::StructField& field : b.fields()) {
    auto same = std::find_if(fields.begin(), fields.end(),
                             [&](const auto& other) { return other.name == field.name; });
    if (same == fields.end())
      fields.push_back(field);
    else
      same->type = Merged(same->type, field.type);
  }
  std::sort(fields.begin(), fields.end(),
            [](const auto& x, const auto& y) { return x.name < y.name; });
  return DataType::Struct(std::move(fields));
}

// Void where a value tells nothing: null, and a text without characters.
DataType InferredType(const Json& json) {
  if (json.is_null()) return TypeKind::kVoid;
  if (json.is_boolean()) return TypeKind::kBoolean;
  if (json.is_number_integer()) return TypeKind::kBigInt;
  if (json.is_number()) return TypeKind::kDouble;
  if (json.is_string())
    return json.get_ref<const std::string&>().empty() ? TypeKind::kVoid : TypeKind::kString;
  if (json.is_array()) {
    DataType element = TypeKind::kVoid;
    for (const Json& value : json) element = Merged(element, InferredType(value));
    return DataType::Array(std::move(element), true);
  }
  std::vector<sql::StructField> fields;
  for (const auto& [key, value] : json.items()) {
    sql::StructField field;
    field.name = key;
    field.type = InferredType(value);
    fields.push_back(std::move(field));
  }
  return DataType::Struct(std::move(fields));
}

// What no row told is text.
DataType Settled(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kVoid:
      return TypeKind::kString;
    case TypeKind::kArray:
      return DataType::Array(Settled(type.element()), true);
    case TypeKind::kStruct: {
      std::vector<sql::StructField> fields = type.fields();
      for (sql::StructField& field : fields) field.type = Settled(field.type);
      return DataType::Struct(std::move(fields));
    }
    default:
      return type;
  }
}

DataType InferredSchema(const std::vector<ValueList>& rows, const std::string& corrupt) {
  DataType schema = DataType::Struct({});
  auto add = [&](const Json& json) {
    if (json.is_object()) {
      schema = Merged(schema, InferredType(json));
      return;
    }
    sql::StructField field;
    field.name = corrupt;
    field.type = TypeKind::kString;
    schema = Merged(schema, DataType::Struct({std::move(field)}));
  };
  for (const ValueList& row : rows) {
    const std::optional<Json> first = exec::FirstJson(row[0].As<std::string>());
    const Json json = first ? *first : Json();
    if (!json.is_array()) add(json);
    if (json.is_array())
      for (const Json& element : json) add(element);
  }
  return Settled(schema);
}

// A text is an object, or an array of them; anything else is corrupt.
constexpr std::string_view kCorrupt =
    "(substr(trim(value), 1, 1) NOT IN ('{', '[') OR get_json_object(value, '$') IS NULL)";

}  // namespace

Result<PlanTranslator::Built> PlanTranslator::Parsed(const connect::Parse& node) {
  if (node.format() != connect::Parse::PARSE_FORMAT_JSON)
    return Fail(NotSupported("CSV texts of a DataFrame"));
  const std::string mode = OptionOr(node.options(), "mode", "PERMISSIVE");
  if (EqualsIgnoreCase(mode, "FAILFAST"))
    return Fail(NotSupported("the mode FAILFAST for texts of a DataFrame"));
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, ColumnsOf(node.input()));
  if (columns.size() != 1 || !columns[0].type.is_string())
    return Fail(InvalidInput("A DataFrame of texts to parse must have one column of type STRING"));
  const std::string texts = fmt::format("SELECT {0} AS value FROM __input WHERE trim({0}) <> ''",
                                        QuoteIdentifier(columns[0].name));
  const std::string corrupt = OptionOr(node.options(), kCorruptOption, "_corrupt_record");
  DataType schema = TypeKind::kVoid;
  if (node.has_schema()) {
    ASSIGN_OR_RETURN(schema, FromMessage(node.schema()));
  } else {
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, RowsOf(texts, node.input()));
    schema = InferredSchema(rows, corrupt);
  }
  if (schema.kind() != TypeKind::kStruct || schema.fields().empty())
    return Fail(InvalidInput("Texts to parse must have at least one field"));
  std::vector<std::string> items;
  for (const sql::StructField& field : schema.fields()) {
    const std::string name = QuoteIdentifier(field.name);
    items.push_back(field.name == corrupt
                        ? fmt::format("CASE WHEN {} THEN value END AS {}", kCorrupt, name)
                        : "parsed." + name + " AS " + name);
  }
  std::string options;
  for (const auto& [key, value] : node.options())
    options += (options.empty() ? "" : ", ") + PrintString(key) + ", " + PrintString(value);
  if (!options.empty()) options = ", map(" + options + ")";
  const std::string ddl = PrintString(ToDdl(schema));
  const std::string text = fmt::format(
      "SELECT {} FROM ({}) LATERAL VIEW explode(CASE WHEN trim(value) LIKE '[%' THEN "
      "from_json(value, {}{}) ELSE array(from_json(value, {}{})) END) AS parsed{}",
      Join(items, ", "), texts, PrintString("ARRAY<" + schema.SqlString() + ">"), options, ddl,
      options,
      EqualsIgnoreCase(mode, "DROPMALFORMED") ? fmt::format(" WHERE NOT {}", kCorrupt) : "");
  return FromText(text, node.input());
}

}  // namespace iceblink::server
