#include "engine/table_description.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/transforms.h"
#include "plan/types.h"
#include "spec/sort_order.h"
#include "sql/printer.h"

namespace iceblink::engine {
namespace {

// Keys that Spark shows elsewhere or not at all.
constexpr std::string_view kHidden[] = {
    "comment", "location", "provider", "owner", "external", "is_managed_location", "collation"};

bool GlobMatches(std::string_view text, std::string_view pattern) {
  // `star` is where matching resumes: the text the last * has swallowed grows one by one.
  size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == text[t] || pattern[p] == '.')) {
      p++, t++;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') p++;
  return p == pattern.size();
}

void AppendTree(const spec::Type& type, const std::string& indent, std::string& out);

std::string YesNo(bool value) { return value ? "true" : "false"; }

void AppendField(const std::string& name, const spec::Type& type, const std::string& nullability,
                 const std::string& indent, std::string& out) {
  out += indent + "|-- " + name + ": " + TypeName(type) + nullability + "\n";
  AppendTree(type, indent + "|    ", out);
}

void AppendTree(const spec::Type& type, const std::string& indent, std::string& out) {
  if (type.Is(spec::TypeKind::kStruct)) {
    for (const spec::NestedField& field : type.AsStruct().fields) {
      AppendField(field.name, field.type, " (nullable = " + YesNo(!field.required) + ")", indent,
                  out);
    }
  } else if (type.Is(spec::TypeKind::kList)) {
    const spec::NestedField& element = type.AsList().element;
    AppendField("element", element.type, " (containsNull = " + YesNo(!element.required) + ")",
                indent, out);
  } else if (type.Is(spec::TypeKind::kMap)) {
    AppendField("key", type.AsMap().key.type, "", indent, out);
    const spec::NestedField& value = type.AsMap().value;
    AppendField("value", value.type, " (valueContainsNull = " + YesNo(!value.required) + ")",
                indent, out);
  }
}

std::string Quoted(std::string_view text) {
  return "'" + ReplaceAll(ReplaceAll(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// `name TYPE NOT NULL COMMENT 'x'` lines; struct fields are typed with their comments.
std::string ColumnText(const spec::NestedField& field) {
  auto type = plan::ToSparkType(field.type);
  std::string text =
      sql::QuoteIfNeeded(field.name) + " " + (type ? type->SqlString() : field.type.ToString());
  if (field.required) text += " NOT NULL";
  if (field.doc) text += " COMMENT " + Quoted(*field.doc);
  return text;
}

}  // namespace

bool MatchesShowPattern(std::string_view text, std::string_view pattern) {
  std::string lower = Utf8Lower(text);
  for (const std::string& part : SplitTrimmed(pattern, '|')) {
    if (GlobMatches(lower, Utf8Lower(part))) return true;
  }
  return false;
}

std::map<std::string, std::string> VisibleProperties(const spec::TableMetadata& metadata,
                                                     std::optional<int64_t> snapshot_id) {
  std::map<std::string, std::string> shown;
  for (const auto& [key, value] : metadata.properties) {
    if (std::find(std::begin(kHidden), std::end(kHidden), key) == std::end(kHidden))
      shown[key] = value;
  }
  shown["format"] = "iceberg/" + metadata.Property("write.format.default", "parquet");
  shown["format-version"] = std::to_string(metadata.format_version);
  shown["current-snapshot-id"] = snapshot_id ? std::to_string(*snapshot_id) : "none";
  if (!metadata.sort_order().is_unsorted()) {
    shown["sort-order"] = spec::DescribeSortOrder(metadata.sort_order(), metadata.schema());
  }
  std::vector<std::string> identifiers;
  for (int32_t id : metadata.schema().identifier_field_ids())
    identifiers.push_back(metadata.schema().FullName(id));
  std::sort(identifiers.begin(), identifiers.end());
  if (!identifiers.empty()) shown["identifier-fields"] = "[" + Join(identifiers, ",") + "]";
  return shown;
}

std::map<std::string, std::string> VisibleViewProperties(const spec::ViewMetadata& view) {
  static constexpr std::string_view kOwn[] = {"comment",
                                              "owner",
                                              "create_engine_version",
                                              "engine_version",
                                              "spark.query-column-names",
                                              "queryColumnNames"};
  std::map<std::string, std::string> shown;
  for (const auto& [key, value] : view.properties) {
    if (std::find(std::begin(kOwn), std::end(kOwn), key) == std::end(kOwn)) shown[key] = value;
  }
  shown["location"] = view.location;
  shown["provider"] = "iceberg";
  shown["format-version"] = std::to_string(view.format_version);
  return shown;
}

std::string CreateViewText(const std::string& name, const spec::ViewMetadata& view) {
  std::vector<std::string> columns, properties;
  for (const spec::NestedField& field : view.schema().fields()) {
    columns.push_back("  " + sql::QuoteIfNeeded(field.name) +
                      (field.doc ? " COMMENT " + Quoted(*field.doc) : ""));
  }
  std::string text = "CREATE VIEW " + name + " (\n" + Join(columns, ",\n") + ")\n";
  if (auto at = view.properties.find("comment"); at != view.properties.end())
    text += "COMMENT " + Quoted(at->second) + "\n";
  for (const auto& [key, value] : VisibleViewProperties(view))
    properties.push_back("  " + Quoted(key) + " = " + Quoted(value));
  text += "TBLPROPERTIES (\n" + Join(properties, ",\n") + ")\nAS\n";
  const spec::ViewRepresentation* query = view.version().ForDialect("spark");
  return text + (query == nullptr ? "" : query->sql) + "\n";
}

std::string TypeName(const spec::Type& type) {
  auto spark = plan::ToSparkType(type);
  if (!spark) return type.ToString();
  switch (spark->kind()) {
    case sql::TypeKind::kInt:
      return "integer";
    case sql::TypeKind::kBigInt:
      return "long";
    case sql::TypeKind::kSmallInt:
      return "short";
    case sql::TypeKind::kTinyInt:
      return "byte";
    case sql::TypeKind::kStruct:
      return "struct";
    case sql::TypeKind::kArray:
      return "array";
    case sql::TypeKind::kMap:
      return "map";
    default:
      return spark->SimpleString();
  }
}

std::string SchemaTree(const spec::Schema& schema) {
  std::string out = "root\n";
  AppendTree(spec::Type(schema.struct_type()), " ", out);
  return out;
}

std::string CreateTableText(const std::string& name, const spec::TableMetadata& metadata) {
  std::vector<std::string> columns;
  for (const spec::NestedField& field : metadata.schema().fields())
    columns.push_back("  " + ColumnText(field));
  std::string text = "CREATE TABLE " + name + " (\n" + Join(columns, ",\n") + ")\nUSING iceberg\n";
  std::vector<std::string> partitioning = DescribePartitioning(metadata.spec(), metadata.schema());
  if (!partitioning.empty()) text += "PARTITIONED BY (" + Join(partitioning, ", ") + ")\n";
  if (std::string comment = metadata.Property("comment"); !comment.empty())
    text += "COMMENT " + Quoted(comment) + "\n";
  text += "LOCATION " + Quoted(metadata.location) + "\n";
  std::vector<std::string> properties;
  for (const auto& [key, value] : VisibleProperties(metadata, metadata.current_snapshot_id)) {
    properties.push_back("  " + Quoted(key) + " = " + Quoted(value));
  }
  return text + "TBLPROPERTIES (\n" + Join(properties, ",\n") + ")\n";
}

}  // namespace iceblink::engine
