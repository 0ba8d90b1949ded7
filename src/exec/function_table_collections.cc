// Arrays, maps, structs and higher-order functions.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/function_table.h"

namespace iceblink::exec {

using plan::DataType;
using sql::TypeKind;

namespace {

using Args = std::vector<std::string>;

bool IsMap(const plan::ExprPtr& expr) { return expr->type.kind() == TypeKind::kMap; }

Result<std::string> Array(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  return "[" + Join(args, ", ") + "]";
}

Result<std::string> Map(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  Args keys, values;
  for (size_t i = 0; i + 1 < args.size(); i += 2) {
    keys.push_back(args[i]);
    values.push_back(args[i + 1]);
  }
  if (keys.empty()) return std::string("map([], [])");
  return fmt::format("map(ib_map_keys([{}]), [{}])", Join(keys, ", "), Join(values, ", "));
}

Result<std::string> NamedStruct(Lowering&, const plan::Expr& expr, const plan::Call&,
                                const Args& args) {
  Args fields, names = StructNames(expr.type);
  for (size_t i = 0; i < names.size(); ++i)
    fields.push_back(QuoteIdentifier(names[i]) + " := " + args[2 * i + 1]);
  if (fields.empty()) fields.push_back("\"\" := NULL::INTEGER");
  return "struct_pack(" + Join(fields, ", ") + ")";
}

int64_t Ordinal(const plan::ExprPtr& expr) {
  return expr->As<plan::LiteralExpr>()->value.AsInt64();
}

Result<std::string> StructField(Lowering&, const plan::Expr&, const plan::Call& call,
                                const Args& args) {
  std::string name = StructNames(call.args[0]->type)[Ordinal(call.args[1])];
  return "struct_extract(" + args[0] + ", " + QuoteText(name) + ")";
}

Result<std::string> ArrayStructFields(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                                      const Args& args) {
  std::string name = StructNames(call.args[0]->type.element())[Ordinal(call.args[1])],
              element = lowering.FreshName();
  return fmt::format("list_transform({}, lambda {}: struct_extract({}, {}))", args[0], element,
                     element, QuoteText(name));
}

Result<std::string> ElementAt(Lowering&, const plan::Expr&, const plan::Call& call,
                              const Args& args) {
  if (IsMap(call.args[0])) return fmt::format("map_extract_value({}, {})", args[0], args[1]);
  if (call.function == "try_element_at")
    return fmt::format("list_extract({}, {})", args[0], args[1]);
  return fmt::format("list_extract({0}, ib_check_element_at(CAST({1} AS BIGINT), len({0})))",
                     args[0], args[1]);
}

Result<std::string> Size(Lowering&, const plan::Expr&, const plan::Call& call, const Args& args) {
  return IsMap(call.args[0]) ? "cardinality(" + args[0] + ")" : "len(" + args[0] + ")";
}

// list functions of DuckDB are NULL-agnostic in other places than Spark's.
Result<std::string> ArrayContains(Lowering&, const plan::Expr&, const plan::Call&,
                                  const Args& args) {
  return fmt::format(
      "CASE WHEN {1} IS NULL OR {0} IS NULL THEN NULL WHEN list_contains({0}, {1}) THEN true "
      "WHEN len(list_filter({0}, lambda e: e IS NULL)) > 0 THEN NULL ELSE false END",
      args[0], args[1]);
}

Result<std::string> ArraySort(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                              const Args& args) {
  if (call.function == "sort_array") {
    auto* literal = call.args.size() > 1 ? call.args[1]->As<plan::LiteralExpr>() : nullptr;
    bool ascending = literal == nullptr || literal->value.is_null() || literal->value.As<bool>();
    return fmt::format("list_sort({}, '{}', '{}')", args[0], ascending ? "ASC" : "DESC",
                       ascending ? "NULLS FIRST" : "NULLS LAST");
  }
  if (args.size() == 1) return fmt::format("list_sort({}, 'ASC', 'NULLS LAST')", args[0]);
  // Insertion sort by the comparator: fold every element into an ordered list.
  auto* lambda = call.args[1]->As<plan::Lambda>();
  if (lambda == nullptr) return Fail(ErrorCode::kUnsupported, "array_sort needs a lambda function");
  ASSIGN_OR_RETURN(std::string body, lowering.Expression(lambda->body));
  std::string left = Lowering::Name(lambda->parameters[0]),
              right = Lowering::Name(lambda->parameters[1]);
  return fmt::format(
      "list_reduce(list_transform({0}, lambda z: [z]), lambda acc, one: list_concat(list_concat("
      "list_filter(acc, lambda {1}: list_transform(one, lambda {2}: {3})[1] <= 0), one), "
      "list_filter(acc, lambda {1}: list_transform(one, lambda {2}: {3})[1] > 0)))",
      args[0], left, right, body);
}

Result<std::string> Aggregate(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                              const Args& args) {
  auto* merge = call.args[2]->As<plan::Lambda>();
  if (merge == nullptr) return Fail(ErrorCode::kUnsupported, "aggregate needs a lambda function");
  std::string state = TypeSql(call.args[1]->type);
  std::string out;
  if (call.args[0]->type.element() == call.args[1]->type) {
    out = fmt::format(
        "CASE WHEN {0} IS NULL THEN NULL ELSE list_reduce(list_concat([{1}], {0}), {2}) END",
        args[0], args[1], args[2]);
  } else {
    // Elements travel boxed beside the state, which DuckDB's reduce wants of one type.
    std::string acc = Lowering::Name(merge->parameters[0]),
                element = Lowering::Name(merge->parameters[1]);
    std::string box =
        fmt::format("STRUCT(s {}, e {})", state, TypeSql(call.args[0]->type.element()));
    ASSIGN_OR_RETURN(std::string body, lowering.Expression(merge->body));
    std::string inner =
        fmt::format("list_transform([x.s], lambda {}: list_transform([y.e], lambda {}: {})[1])[1]",
                    acc, element, body);
    out = fmt::format(
        "struct_extract(list_reduce(list_concat([CAST({{'s': {0}, 'e': NULL}} AS {1})], "
        "list_transform({2}, lambda w: CAST({{'s': NULL, 'e': w}} AS {1}))), "
        "lambda x, y: CAST({{'s': {3}, 'e': NULL}} AS {1})), 's')",
        args[1], box, args[0], inner);
  }
  if (args.size() < 4) return out;
  return fmt::format("list_transform([{}], {})[1]", out, args[3]);
}

Result<std::string> Exists(Lowering&, const plan::Expr&, const plan::Call& call, const Args& args) {
  std::string list = fmt::format("list_transform({}, {})", args[0], args[1]);
  if (call.function == "exists") {
    return fmt::format(
        "CASE WHEN {0} IS NULL THEN NULL WHEN list_contains({0}, true) THEN true "
        "WHEN len(list_filter({0}, lambda e: e IS NULL)) > 0 THEN NULL ELSE false END",
        list);
  }
  return fmt::format(
      "CASE WHEN {0} IS NULL THEN NULL WHEN list_contains({0}, false) THEN false "
      "WHEN len(list_filter({0}, lambda e: e IS NULL)) > 0 THEN NULL ELSE true END",
      list);
}

// Spark's index lambda counts from zero.
Result<std::string> Transform(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                              const Args& args) {
  auto* lambda = call.args[1]->As<plan::Lambda>();
  std::string name = call.function == "filter" ? "list_filter" : "list_transform";
  if (lambda == nullptr || lambda->parameters.size() < 2)
    return name + "(" + args[0] + ", " + args[1] + ")";
  ASSIGN_OR_RETURN(std::string body, lowering.Expression(lambda->body));
  std::string element = Lowering::Name(lambda->parameters[0]),
              index = Lowering::Name(lambda->parameters[1]);
  std::string fresh = lowering.FreshName();
  return fmt::format(
      "{}({}, lambda {}, {}: list_transform([CAST({} - 1 AS INTEGER)], lambda {}: {})[1])", name,
      args[0], element, fresh, fresh, index, body);
}

// Applies a lambda of two parameters to each pair of elements.
Result<std::string> ZipWith(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                            const Args& args) {
  auto* lambda = call.args[2]->As<plan::Lambda>();
  if (lambda == nullptr) return Fail(ErrorCode::kUnsupported, "zip_with needs a lambda function");
  ASSIGN_OR_RETURN(std::string body, lowering.Expression(lambda->body));
  std::string pair = lowering.FreshName();
  return fmt::format(
      "list_transform(list_zip({}, {}), lambda {}: list_transform([{}[1]], lambda {}: "
      "list_transform([{}[2]], lambda {}: {})[1])[1])",
      args[0], args[1], pair, pair, Lowering::Name(lambda->parameters[0]), pair,
      Lowering::Name(lambda->parameters[1]), body);
}

// Functions over the entries of a map.
Result<std::string> MapLambda(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                              const Args& args) {
  auto* lambda = call.args[1]->As<plan::Lambda>();
  if (lambda == nullptr)
    return Fail(ErrorCode::kUnsupported, std::string(call.function) + " needs a lambda function");
  ASSIGN_OR_RETURN(std::string body, lowering.Expression(lambda->body));
  std::string entry = lowering.FreshName();
  std::string applied = fmt::format(
      "list_transform([{0}.key], lambda {1}: list_transform([{0}.value], lambda {2}: {3})[1])[1]",
      entry, Lowering::Name(lambda->parameters[0]), Lowering::Name(lambda->parameters[1]), body);
  std::string entries = "map_entries(" + args[0] + ")";
  if (call.function == "map_filter") {
    return fmt::format("map_from_entries(list_filter({}, lambda {}: {}))", entries, entry, applied);
  }
  bool keys = call.function == "transform_keys";
  return fmt::format(
      "CASE WHEN {0} IS NOT NULL THEN map({1}, {2}) END", args[0],
      keys ? fmt::format("list_transform({}, lambda {}: {})", entries, entry, applied)
           : "map_keys(" + args[0] + ")",
      keys ? "map_values(" + args[0] + ")"
           : fmt::format("list_transform({}, lambda {}: {})", entries, entry, applied));
}

Result<std::string> MapZipWith(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                               const Args& args) {
  auto* lambda = call.args[2]->As<plan::Lambda>();
  if (lambda == nullptr)
    return Fail(ErrorCode::kUnsupported, "map_zip_with needs a lambda function");
  ASSIGN_OR_RETURN(std::string body, lowering.Expression(lambda->body));
  std::string k = Lowering::Name(lambda->parameters[0]), x = Lowering::Name(lambda->parameters[1]),
              y = Lowering::Name(lambda->parameters[2]);
  std::string keys = fmt::format(
      "list_concat(map_keys({0}), list_filter(map_keys({1}), lambda e: NOT "
      "list_contains(map_keys({0}), e)))",
      args[0], args[1]);
  return fmt::format(
      "map({0}, list_transform({0}, lambda {1}: list_transform([map_extract_value({2}, {1})], "
      "lambda {3}: "
      "list_transform([map_extract_value({4}, {1})], lambda {5}: {6})[1])[1]))",
      keys, k, args[0], x, args[1], y, body);
}

Result<std::string> MapConcat(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  if (args.empty()) return std::string("map([], [])");
  std::string keys = "map_keys(" + args[0] + ")", values = "map_values(" + args[0] + ")";
  for (size_t i = 1; i < args.size(); ++i) {
    keys = "list_concat(" + keys + ", map_keys(" + args[i] + "))";
    values = "list_concat(" + values + ", map_values(" + args[i] + "))";
  }
  return "map(ib_map_keys(" + keys + "), " + values + ")";
}

Result<std::string> Sequence(Lowering&, const plan::Expr&, const plan::Call& call,
                             const Args& args) {
  if (call.args[0]->type.is_integral()) {
    std::string step = args.size() > 2
                           ? args[2]
                           : fmt::format("CASE WHEN {} <= {} THEN 1 ELSE -1 END", args[0], args[1]);
    return fmt::format("generate_series({}, {}, {})", args[0], args[1], step);
  }
  std::string step = "to_days(1)";
  if (args.size() > 2) {
    TypeKind kind = call.args[2]->type.kind();
    step = kind == TypeKind::kYearMonthInterval ? "to_months(" + args[2] + ")"
           : kind == TypeKind::kDayTimeInterval ? "to_microseconds(" + args[2] + ")"
                                                : args[2];
  }
  return fmt::format("generate_series(CAST({} AS TIMESTAMP), CAST({} AS TIMESTAMP), {})", args[0],
                     args[1], step);
}

Result<std::string> ArraysZip(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  return "list_zip(" + Join(args, ", ") + ")";
}

Result<std::string> ArrayJoin(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  if (args.size() < 3) return fmt::format("ib_join_with({}, {})", args[1], args[0]);
  return fmt::format("ib_join_with({}, list_transform({}, lambda e: coalesce(e, {})))", args[1],
                     args[0], args[2]);
}

constexpr FunctionSql kCollectionRows[] = {
    {"array", "", Array},
    {"map", "", Map},
    {"named_struct", "", NamedStruct},
    {"get_struct_field", "", StructField},
    {"get_array_struct_fields", "", ArrayStructFields},
    {"get_array_item", "list_extract($1, ib_check_index(CAST($2 AS BIGINT), len($1)))"},
    {"get_map_value", "map_extract_value($1, $2)"},
    {"element_at", "", ElementAt},
    {"try_element_at", "", ElementAt},
    {"get", "CASE WHEN $2 >= 0 THEN list_extract($1, $2 + 1) END"},
    {"size", "", Size},
    {"array_size", "len($1)"},
    {"array_contains", "", ArrayContains},
    {"array_position", "coalesce(list_position($1, $2), 0)"},
    {"array_distinct", "list_filter($1, lambda e, i: list_position($1, e) = i)"},
    {"array_union",
     "list_filter(list_concat($1, $2), lambda e, i: list_position(list_concat($1, $2), e) = i)"},
    {"array_intersect",
     "list_filter($1, lambda e, i: list_position($1, e) = i AND list_position($2, e) > 0)"},
    {"array_except",
     "list_filter($1, lambda e, i: list_position($1, e) = i AND coalesce(list_position($2, e), 0) "
     "= 0)"},
    {"array_remove", "list_filter($1, lambda e: e IS NULL OR e <> $2)"},
    {"array_append", "list_append($1, $2)"},
    {"array_prepend", "list_prepend($2, $1)"},
    {"array_insert",
     "list_concat(list_concat(list_slice($1, 1, $2 - 1), [$3]), list_slice($1, $2, len($1)))"},
    {"array_compact", "list_filter($1, lambda e: e IS NOT NULL)"},
    {"array_min", "list_min($1)"},
    {"array_max", "list_max($1)"},
    {"array_sort", "", ArraySort},
    {"sort_array", "", ArraySort},
    {"array_repeat", "list_transform(range(greatest(CAST($2 AS BIGINT), 0)), lambda e: $1)"},
    {"arrays_zip", "", ArraysZip},
    {"arrays_overlap",
     "CASE WHEN list_has_any($1, $2) THEN true WHEN len($1) > 0 AND len($2) > 0 AND "
     "(len(list_filter($1, "
     "lambda e: e IS NULL)) > 0 OR len(list_filter($2, lambda e: e IS NULL)) > 0) THEN NULL ELSE "
     "false END"},
    {"array_join", "", ArrayJoin},
    {"flatten",
     "CASE WHEN len(list_filter($1, lambda e: e IS NULL)) > 0 THEN NULL ELSE flatten($1) END"},
    {"shuffle", "list_sort($1)"},
    {"slice",
     "CASE WHEN $2 > 0 THEN list_slice($1, $2, $2 + $3 - 1) WHEN -$2 > len($1) THEN list_slice($1, "
     "1, 0) ELSE "
     "list_slice($1, len($1) + $2 + 1, len($1) + $2 + $3) END"},
    {"sequence", "", Sequence},
    {"transform", "", Transform},
    {"filter", "", Transform},
    {"exists", "", Exists},
    {"forall", "", Exists},
    {"aggregate", "", Aggregate},
    {"zip_with", "", ZipWith},
    {"map_keys", "map_keys($1)"},
    {"map_values", "map_values($1)"},
    {"map_entries", "map_entries($1)"},
    {"map_from_arrays", "map(ib_map_keys($1), $2)"},
    {"map_from_entries", "map_from_entries($1)"},
    {"map_concat", "", MapConcat},
    {"map_contains_key", "list_contains(map_keys($1), $2)"},
    {"map_zip_with", "", MapZipWith},
    {"map_filter", "", MapLambda},
    {"transform_keys", "", MapLambda},
    {"transform_values", "", MapLambda},
};

}  // namespace

std::span<const FunctionSql> CollectionRows() { return kCollectionRows; }

}  // namespace iceblink::exec
