#include "io/avro_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace iceblink::io::avro {
namespace {

// Limits on a schema with its references expanded, so that hostile files end neither the stack nor
// our patience.
constexpr int64_t kMaxNodes = 1'000'000;
constexpr int kMaxDepth = 500;

const std::map<std::string_view, Kind> kPrimitives = {
    {"null", Kind::kNull},   {"boolean", Kind::kBoolean}, {"int", Kind::kInt},
    {"long", Kind::kLong},   {"float", Kind::kFloat},     {"double", Kind::kDouble},
    {"bytes", Kind::kBytes}, {"string", Kind::kString},
};

const std::map<std::string_view, LogicalType> kLogicalTypes = {
    {"decimal", LogicalType::kDecimal},
    {"date", LogicalType::kDate},
    {"time-millis", LogicalType::kTimeMillis},
    {"time-micros", LogicalType::kTimeMicros},
    {"timestamp-millis", LogicalType::kTimestampMillis},
    {"timestamp-micros", LogicalType::kTimestampMicros},
    {"timestamp-nanos", LogicalType::kTimestampNanos},
    {"local-timestamp-millis", LogicalType::kTimestampMillis},
    {"local-timestamp-micros", LogicalType::kTimestampMicros},
    {"local-timestamp-nanos", LogicalType::kTimestampNanos},
    {"uuid", LogicalType::kUuid},
    {"map", LogicalType::kMap},
};

// A parsed node with the size and depth of its expansion.
struct Node {
  SchemaPtr schema;
  int64_t nodes = 1;
  int depth = 1;

  void Include(const Node& child) {
    nodes += child.nodes;
    depth = std::max(depth, child.depth + 1);
  }
};

tl::unexpected<Error> Invalid(std::string_view what) {
  return Fail(ErrorCode::kCorrupt, fmt::format("Invalid Avro schema: {}", what),
              "SchemaParseException");
}

std::string StringOr(const Json& json, const char* key) {
  const Json* value = json::Find(json, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

int32_t IdOr(const Json& json, const char* key, int32_t fallback) {
  return json::GetInt(json, key).value_or(fallback);
}

class Parser {
 public:
  Result<Node> Parse(const Json& json, const std::string& space) {
    auto node = ParseNode(json, space);
    if (node && (node->nodes > kMaxNodes || node->depth > kMaxDepth)) return Invalid("too large");
    return node;
  }

 private:
  Result<Node> ParseNode(const Json& json, const std::string& space) {
    if (json.is_string()) return Resolve(json.get<std::string>(), space);
    if (json.is_array()) return ParseUnion(json, space);
    if (!json.is_object() || !json.contains("type")) return Invalid(DumpJson(json).substr(0, 200));
    const Json& type = json["type"];
    if (!type.is_string()) return Parse(type, space);  // {"type": {...}}
    const auto name = type.get<std::string>();
    if (name == "record" || name == "error") return ParseRecord(json, space);
    if (name == "array" || name == "map") return ParseContainer(json, name == "array", space);
    if (name == "fixed" || name == "enum") return ParseFixedOrEnum(json, name == "fixed", space);
    ASSIGN_OR_RETURN(Node node, Resolve(name, space));
    if (!kPrimitives.contains(name)) return node;
    Schema schema = *node.schema;
    Annotate(json, schema);
    return Finish(std::move(schema));
  }

  // A primitive or an earlier definition, looked up in the enclosing namespace first.
  Result<Node> Resolve(const std::string& name, const std::string& space) const {
    if (const auto primitive = kPrimitives.find(name); primitive != kPrimitives.end()) {
      Schema schema;
      schema.kind = primitive->second;
      return Finish(std::move(schema));
    }
    auto found = names_.find(FullName(name, space));
    if (found == names_.end()) found = names_.find(name);
    if (found == names_.end()) return Invalid(fmt::format("undefined or recursive name: {}", name));
    return found->second;
  }

  Result<Node> ParseUnion(const Json& json, const std::string& space) {
    Schema schema;
    schema.kind = Kind::kUnion;
    Node out;
    for (const Json& branch : json) {
      ASSIGN_OR_RETURN(Node child, Parse(branch, space));
      out.Include(child);
      schema.branches.push_back(std::move(child.schema));
    }
    if (schema.branches.empty()) return Invalid("empty union");
    out.schema = std::make_shared<const Schema>(std::move(schema));
    return out;
  }

  Result<Node> ParseRecord(const Json& json, const std::string& outer) {
    const Json* fields = json::Find(json, "fields");
    if (fields == nullptr || !fields->is_array()) return Invalid("record without fields");
    Schema schema;
    schema.kind = Kind::kRecord;
    schema.name = DefinedName(json, outer);
    const std::string space = SpaceOf(schema.name);
    Node out;
    for (const Json& item : *fields) {
      if (!item.is_object() || !item.contains("type")) return Invalid("field without type");
      ASSIGN_OR_RETURN(Node child, Parse(item["type"], space));
      out.Include(child);
      schema.fields.push_back(ParseField(item, std::move(child.schema)));
    }
    return Define(std::move(out), std::move(schema));
  }

  static Field ParseField(const Json& item, SchemaPtr type) {
    Field field;
    field.name = StringOr(item, "name");
    field.id = IdOr(item, "field-id", -1);
    field.type = std::move(type);
    field.doc = StringOr(item, "doc");
    if (item.contains("default")) field.default_json = DumpJson(item["default"]);
    field.aliases = json::GetStringList(item, "aliases").value_or(std::vector<std::string>());
    return field;
  }

  Result<Node> ParseContainer(const Json& json, bool is_array, const std::string& space) {
    const char* member = is_array ? "items" : "values";
    if (!json.contains(member)) return Invalid(fmt::format("container without {}", member));
    ASSIGN_OR_RETURN(Node child, Parse(json[member], space));
    Schema schema;
    schema.kind = is_array ? Kind::kArray : Kind::kMap;
    schema.items = child.schema;
    schema.element_id = IdOr(json, "element-id", -1);
    schema.key_id = IdOr(json, "key-id", -1);
    schema.value_id = IdOr(json, "value-id", -1);
    Annotate(json, schema);
    const bool is_entries =
        is_array && schema.items->kind == Kind::kRecord && schema.items->fields.size() == 2;
    if (schema.logical == LogicalType::kMap && !is_entries)
      return Invalid("map of other than key-value records");
    Node out;
    out.Include(child);
    out.schema = std::make_shared<const Schema>(std::move(schema));
    return out;
  }

  Result<Node> ParseFixedOrEnum(const Json& json, bool is_fixed, const std::string& space) {
    Schema schema;
    schema.kind = is_fixed ? Kind::kFixed : Kind::kEnum;
    schema.name = DefinedName(json, space);
    if (is_fixed) {
      ASSIGN_OR_RETURN(schema.fixed_size, json::GetLong(json, "size"));
      if (schema.fixed_size < 0) return Invalid("negative fixed size");
    } else {
      ASSIGN_OR_RETURN(schema.symbols, json::GetStringList(json, "symbols"));
    }
    Annotate(json, schema);
    return Define(Node{}, std::move(schema));
  }

  static void Annotate(const Json& json, Schema& schema) {
    const std::string logical = StringOr(json, "logicalType");
    const auto known = kLogicalTypes.find(logical);
    if (!logical.empty())
      schema.logical = known == kLogicalTypes.end() ? LogicalType::kOther : known->second;
    schema.precision = IdOr(json, "precision", 0);
    schema.scale = IdOr(json, "scale", 0);
    schema.adjust_to_utc = json::GetBool(json, "adjust-to-utc").value_or(false);
  }

  static Node Finish(Schema schema) {
    return Node{std::make_shared<const Schema>(std::move(schema))};
  }

  Node Define(Node node, Schema schema) {
    node.schema = std::make_shared<const Schema>(std::move(schema));
    names_[node.schema->name] = node;
    return node;
  }

  static std::string FullName(const std::string& name, const std::string& space) {
    return space.empty() || name.find('.') != std::string::npos ? name : space + "." + name;
  }
  static std::string SpaceOf(const std::string& full) {
    const size_t dot = full.rfind('.');
    return dot == std::string::npos ? std::string() : full.substr(0, dot);
  }
  static std::string DefinedName(const Json& json, const std::string& outer) {
    const std::string own = StringOr(json, "namespace");
    return FullName(StringOr(json, "name"), own.empty() ? outer : own);
  }

  std::map<std::string, Node> names_;
};

}  // namespace

const Schema& Schema::NonNull() const {
  if (kind != Kind::kUnion || branches.size() != 2) return *this;
  if (branches[0]->kind == Kind::kNull) return *branches[1];
  if (branches[1]->kind == Kind::kNull) return *branches[0];
  return *this;
}

bool Schema::IsNullable() const {
  return kind == Kind::kUnion &&
         std::any_of(branches.begin(), branches.end(),
                     [](const SchemaPtr& b) { return b->kind == Kind::kNull; });
}

const Field* Schema::FindField(int32_t id) const {
  const auto it =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.id == id; });
  return it == fields.end() ? nullptr : &*it;
}

Result<SchemaPtr> ParseSchema(const Json& json) {
  ASSIGN_OR_RETURN(Node node, Parser().Parse(json, {}));
  return node.schema;
}

Result<SchemaPtr> ParseSchema(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, "Avro schema"));
  return ParseSchema(json);
}

}  // namespace iceblink::io::avro
