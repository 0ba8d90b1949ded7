#include "catalog/rest_scan_messages.h"

#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "catalog/rest_json.h"
#include "spec/single_value.h"

namespace iceblink::catalog::rest {
namespace {

using expr::Expression;
using expr::Op;

enum class Arity : uint8_t { kUnary, kComparison, kSet };

struct Operation {
  std::string_view name;
  Op op;
  Arity arity;
};
constexpr std::array kOperations = {
    Operation{"is-null", Op::kIsNull, Arity::kUnary},
    Operation{"not-null", Op::kNotNull, Arity::kUnary},
    Operation{"is-nan", Op::kIsNan, Arity::kUnary},
    Operation{"not-nan", Op::kNotNan, Arity::kUnary},
    Operation{"lt", Op::kLt, Arity::kComparison},
    Operation{"lt-eq", Op::kLtEq, Arity::kComparison},
    Operation{"gt", Op::kGt, Arity::kComparison},
    Operation{"gt-eq", Op::kGtEq, Arity::kComparison},
    Operation{"eq", Op::kEq, Arity::kComparison},
    Operation{"not-eq", Op::kNotEq, Arity::kComparison},
    Operation{"starts-with", Op::kStartsWith, Arity::kComparison},
    Operation{"not-starts-with", Op::kNotStartsWith, Arity::kComparison},
    Operation{"in", Op::kIn, Arity::kSet},
    Operation{"not-in", Op::kNotIn, Arity::kSet},
};

tl::unexpected<Error> Unreadable(const Json& json) {
  return Fail(ErrorCode::kCorrupt, "Cannot parse expression: " + DumpJson(json).substr(0, 200),
              "IllegalArgumentException");
}

// A literal in the physical form that its JSON has.
Result<Value> LiteralFromJson(const Json& json) {
  if (json.is_object() && json::Has(json, "value")) return LiteralFromJson(json["value"]);
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_integer()) return Value(json.get<int64_t>());
  if (json.is_number()) return Value(json.get<double>());
  if (json.is_string()) return Value(json.get<std::string>());
  return Unreadable(json);
}

// "id", {"type": "reference", "term": "id"} or {"type": "transform", "transform": "bucket[16]",
// "term": ...}.
Result<expr::Term> TermFromJson(const Json& json) {
  if (json.is_string())
    return expr::Term{json.get<std::string>(), spec::Transform::Parse("identity")};
  ASSIGN_OR_RETURN(const auto type, json::FindString(json, "type"));
  if (type == "transform") {
    const Json* inner = json::Find(json, "term");
    ASSIGN_OR_RETURN(const std::string text, json::GetString(json, "transform"));
    if (inner == nullptr) return Unreadable(json);
    ASSIGN_OR_RETURN(expr::Term term, TermFromJson(*inner));
    term.transform = spec::Transform::Parse(text);
    return term;
  }
  for (const char* key : {"term", "name"}) {
    if (const Json* inner = json::Find(json, key)) return TermFromJson(*inner);
  }
  return Unreadable(json);
}

// The first of the members that is there: older and newer clients name them differently.
const Json* Either(const Json& json, const char* one, const char* other) {
  const Json* found = json::Find(json, one);
  return found == nullptr ? json::Find(json, other) : found;
}

Result<Expression> PredicateFromJson(const Json& json, const Operation& operation) {
  const Json* term_json =
      Either(json, "term", operation.arity == Arity::kComparison ? "left" : "child");
  if (term_json == nullptr) return Unreadable(json);
  ASSIGN_OR_RETURN(expr::Term term, TermFromJson(*term_json));
  std::vector<Value> literals;
  if (operation.arity == Arity::kComparison) {
    const Json* value = Either(json, "value", "right");
    if (value == nullptr) return Unreadable(json);
    ASSIGN_OR_RETURN(Value literal, LiteralFromJson(*value));
    literals.push_back(std::move(literal));
  } else if (operation.arity == Arity::kSet) {
    const Json* values = json::Find(json, "values");
    if (values != nullptr && values->is_object()) values = json::Find(*values, "values");
    if (values == nullptr || !values->is_array()) return Unreadable(json);
    for (const Json& value : *values) {
      ASSIGN_OR_RETURN(Value literal, LiteralFromJson(value));
      literals.push_back(std::move(literal));
    }
  }
  return Expression::Predicate(operation.op, std::move(term), std::move(literals));
}

Json TermToJson(const expr::Term& term) {
  if (term.transform.ToString() == "identity") return term.column;
  return {{"type", "transform"}, {"transform", term.transform.ToString()}, {"term", term.column}};
}

Json LiteralToJson(const expr::Term& term, const Value& value) {
  if (term.bound) return spec::ValueToJson(term.type, value);
  return std::visit(
      [](const auto& v) -> Json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool> || std::is_arithmetic_v<T> ||
                      std::is_same_v<T, std::string>) {
          return v;
        } else if constexpr (std::is_same_v<T, Bytes>) {
          return HexEncode(v.data, true);
        } else {
          return nullptr;  // no unbound literal of a filter has another form
        }
      },
      value.storage());
}

Json PredicateToJson(const Expression& expression) {
  for (const Operation& operation : kOperations) {
    if (operation.op != expression.op()) continue;
    Json json = {{"type", operation.name}, {"term", TermToJson(expression.term())}};
    if (operation.arity == Arity::kComparison)
      json["value"] = LiteralToJson(expression.term(), expression.literal());
    if (operation.arity == Arity::kSet) {
      json["values"] = Json::array();
      for (const Value& value : expression.literals())
        json["values"].push_back(LiteralToJson(expression.term(), value));
    }
    return json;
  }
  return true;
}

template <typename T>
Json FieldMapToJson(const spec::FieldMap<T>& map) {
  Json keys = Json::array(), values = Json::array();
  for (const auto& [id, value] : map) {
    keys.push_back(id);
    if constexpr (std::is_same_v<T, Bytes>)
      values.push_back(HexEncode(value.data, true));
    else
      values.push_back(value);
  }
  return {{"keys", std::move(keys)}, {"values", std::move(values)}};
}

std::string_view ContentName(spec::DataFileContent content) {
  switch (content) {
    case spec::DataFileContent::kData:
      return "data";
    case spec::DataFileContent::kPositionDeletes:
      return "position-deletes";
    case spec::DataFileContent::kEqualityDeletes:
      return "equality-deletes";
  }
  return "";
}

Json PartitionToJson(const spec::DataFile& file, const spec::PartitionSpec& partition_spec,
                     const spec::Schema& schema) {
  Json values = Json::array();
  const spec::StructType type = spec::PartitionType(partition_spec, schema);
  for (size_t i = 0; i < file.partition.size(); ++i) {
    const Value& value = file.partition[i];
    values.push_back(value.is_null() ? Json(nullptr)
                                     : spec::ValueToJson(type.fields[i].type, value));
  }
  return values;
}

}  // namespace

Result<Expression> ExpressionFromJson(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? Expression::True() : Expression::False();
  ASSIGN_OR_RETURN(const std::string type, json::GetString(json, "type"));
  if (type == "true") return Expression::True();
  if (type == "false") return Expression::False();
  if (type == "literal" && json::Has(json, "value")) return ExpressionFromJson(json["value"]);
  if (type == "not") {
    const Json* child = json::Find(json, "child");
    if (child == nullptr) return Unreadable(json);
    ASSIGN_OR_RETURN(Expression inner, ExpressionFromJson(*child));
    return Expression::Not(std::move(inner));
  }
  if (type == "and" || type == "or") {
    const Json* left = json::Find(json, "left");
    const Json* right = json::Find(json, "right");
    if (left == nullptr || right == nullptr) return Unreadable(json);
    ASSIGN_OR_RETURN(Expression a, ExpressionFromJson(*left));
    ASSIGN_OR_RETURN(Expression b, ExpressionFromJson(*right));
    return type == "and" ? Expression::And(std::move(a), std::move(b))
                         : Expression::Or(std::move(a), std::move(b));
  }
  for (const Operation& operation : kOperations) {
    if (operation.name == type) return PredicateFromJson(json, operation);
  }
  return Unreadable(json);
}

Json ToJson(const Expression& expression) {
  switch (expression.op()) {
    case Op::kTrue:
      return true;
    case Op::kFalse:
      return false;
    case Op::kNot:
      return {{"type", "not"}, {"child", ToJson(expression.left())}};
    case Op::kAnd:
    case Op::kOr:
      return {{"type", expression.op() == Op::kAnd ? "and" : "or"},
              {"left", ToJson(expression.left())},
              {"right", ToJson(expression.right())}};
    case Op::kIsNull:
    case Op::kNotNull:
    case Op::kIsNan:
    case Op::kNotNan:
    case Op::kLt:
    case Op::kLtEq:
    case Op::kGt:
    case Op::kGtEq:
    case Op::kEq:
    case Op::kNotEq:
    case Op::kStartsWith:
    case Op::kNotStartsWith:
    case Op::kIn:
    case Op::kNotIn:
      return PredicateToJson(expression);
  }
  return true;
}

Result<PlanTableScanRequest> PlanTableScanRequestFromJson(const Json& json) {
  PlanTableScanRequest request;
  ASSIGN_OR_RETURN(request.snapshot_id, json::FindLong(json, "snapshot-id"));
  ASSIGN_OR_RETURN(request.start_snapshot_id, json::FindLong(json, "start-snapshot-id"));
  ASSIGN_OR_RETURN(request.end_snapshot_id, json::FindLong(json, "end-snapshot-id"));
  ASSIGN_OR_RETURN(request.select, FindStringList(json, "select"));
  ASSIGN_OR_RETURN(request.stats_fields, FindStringList(json, "stats-fields"));
  ASSIGN_OR_RETURN(const auto case_sensitive, json::FindBool(json, "case-sensitive"));
  ASSIGN_OR_RETURN(const auto use_schema, json::FindBool(json, "use-snapshot-schema"));
  request.case_sensitive = case_sensitive.value_or(true);
  request.use_snapshot_schema = use_schema.value_or(false);
  if (const Json* filter = json::Find(json, "filter")) {
    ASSIGN_OR_RETURN(request.filter, ExpressionFromJson(*filter));
  }
  const bool is_range = request.start_snapshot_id || request.end_snapshot_id;
  if (request.snapshot_id && is_range) {
    return Fail(ErrorCode::kCorrupt,
                "Invalid scan: cannot provide both snapshotId and startSnapshotId/endSnapshotId",
                "IllegalArgumentException");
  }
  if (request.start_snapshot_id && !request.end_snapshot_id) {
    return Fail(ErrorCode::kCorrupt,
                "Invalid incremental scan: startSnapshotId and endSnapshotId is required",
                "IllegalArgumentException");
  }
  return request;
}

Json ContentFileToJson(const spec::DataFile& file, const spec::PartitionSpec& spec,
                       const spec::Schema& schema) {
  Json json = {{"spec-id", file.spec_id},
               {"content", ContentName(file.content)},
               {"file-path", file.file_path},
               {"file-format", AsciiLower(spec::FileFormatName(file.format))},
               {"partition", PartitionToJson(file, spec, schema)},
               {"file-size-in-bytes", file.file_size_in_bytes},
               {"record-count", file.record_count}};
  const auto add_map = [&](const char* name, const auto& map) {
    if (!map.empty()) json[name] = FieldMapToJson(map);
  };
  add_map("column-sizes", file.column_sizes);
  add_map("value-counts", file.value_counts);
  add_map("null-value-counts", file.null_value_counts);
  add_map("nan-value-counts", file.nan_value_counts);
  add_map("lower-bounds", file.lower_bounds);
  add_map("upper-bounds", file.upper_bounds);
  if (file.key_metadata) json["key-metadata"] = HexEncode(file.key_metadata->data, true);
  if (!file.split_offsets.empty()) json["split-offsets"] = file.split_offsets;
  if (!file.equality_ids.empty()) json["equality-ids"] = file.equality_ids;
  const auto add = [&](const char* name, const auto& value) {
    if (value) json[name] = *value;
  };
  add("sort-order-id", file.sort_order_id);
  add("first-row-id", file.first_row_id);
  add("referenced-data-file", file.referenced_data_file);
  add("content-offset", file.content_offset);
  add("content-size-in-bytes", file.content_size_in_bytes);
  return json;
}

}  // namespace iceblink::catalog::rest
