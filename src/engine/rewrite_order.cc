#include "engine/rewrite_order.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/transforms.h"
#include "plan/functions.h"
#include "plan/types.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kZorderColumn = "ICEZVALUE";

std::string DottedName(const TableHandle& table) {
  return table.catalog_name + "." + table.id.ToString();
}

// ---- choosing -----------------------------------------------------------------------------------

bool IsZorder(const sql::OrderField& field) {
  return EqualsIgnoreCase(field.transform.name, "zorder");
}

Error CannotParse(const std::string& text) {
  return IllegalArgument("Unable to parse sortOrder: " + text).value();
}

// The columns of all `zorder(...)` of a sort order.
Result<std::vector<std::string>> ZorderColumns(const std::string& text,
                                               const std::vector<sql::OrderField>& order) {
  std::vector<std::string> columns;
  for (const sql::OrderField& field : order) {
    if (!IsZorder(field)) {
      return IllegalArgument("Cannot mix identity sort columns and a Zorder sort expression: " +
                             text);
    }
    for (const sql::TransformArgument& argument : field.transform.args) {
      const auto* name = std::get_if<sql::Name>(&argument);
      if (name == nullptr) return Fail(CannotParse(text));
      columns.push_back(Join(*name, "."));
    }
  }
  return columns;
}

std::string StructText(const spec::Schema& schema) {
  std::vector<std::string> fields;
  for (const spec::NestedField& field : schema.fields()) fields.push_back(field.ToString());
  return "struct<" + Join(fields, ", ") + ">";
}

Result<RewriteOrder> ToZorder(const spec::TableMetadata& metadata,
                              std::vector<std::string> columns) {
  const spec::Schema& schema = metadata.schema();
  if (schema.FindField(kZorderColumn) != nullptr) {
    return IllegalArgument("Cannot zorder because the table has a column named '" +
                           std::string(kZorderColumn) +
                           "', which conflicts with Iceberg's internal Z-order column name");
  }
  std::set<int32_t> identity;
  for (const spec::PartitionField& field : metadata.spec().fields) {
    if (field.transform.is_identity()) identity.insert(field.source_id);
  }
  Zorder zorder;
  for (std::string& column : columns) {
    const spec::NestedField* field = schema.FindField(column, false);
    if (field == nullptr) {
      return IllegalArgument("Cannot find column '" + column +
                             "' in table schema (case sensitive = false): " + StructText(schema));
    }
    if (identity.count(field->id) == 0) zorder.columns.push_back(std::move(column));
  }
  if (zorder.columns.empty()) {
    return IllegalArgument(
        "Cannot ZOrder, all columns provided were identity partition columns and cannot be used");
  }
  return RewriteOrder(std::move(zorder));
}

Result<RewriteOrder> ParseOrder(const std::string& text, const spec::TableMetadata& metadata) {
  auto fields = sql::ParseSortOrder(text);
  if (!fields) return Fail(CannotParse(text));
  if (std::any_of(fields->begin(), fields->end(), IsZorder)) {
    ASSIGN_OR_RETURN(std::vector<std::string> columns, ZorderColumns(text, *fields));
    return ToZorder(metadata, std::move(columns));
  }
  ASSIGN_OR_RETURN(std::vector<spec::SortTerm> terms, ToSortTerms(*fields));
  ASSIGN_OR_RETURN(spec::SortOrder order, spec::BuildSortOrder(metadata.schema(), terms, false));
  return RewriteOrder(std::move(order));
}

// ---- sorting ------------------------------------------------------------------------------------

plan::ExprPtr Column(const plan::Column& column) {
  return std::make_shared<const plan::Expr>(
      plan::Expr{plan::ColumnRef{column.id, column.name}, column.type, column.nullable});
}

// The value a sort field orders by: the column, or iceberg_bucket(n, column) and the like.
Result<plan::ExprPtr> SortValue(const spec::SortField& field, const plan::Column& column) {
  static constexpr std::pair<spec::TransformKind, std::string_view> kFunctions[] = {
      {spec::TransformKind::kBucket, "bucket"}, {spec::TransformKind::kTruncate, "truncate"},
      {spec::TransformKind::kYear, "years"},    {spec::TransformKind::kMonth, "months"},
      {spec::TransformKind::kDay, "days"},      {spec::TransformKind::kHour, "hours"}};
  if (field.transform.is_identity()) return Column(column);
  for (const auto& [kind, name] : kFunctions) {
    if (!field.transform.Is(kind)) continue;
    const plan::FunctionRow* row = plan::FindSystemFunction(name);
    std::vector<plan::ExprPtr> args;
    if (field.transform.param() > 0) {
      args.push_back(std::make_shared<const plan::Expr>(plan::Expr{
          plan::LiteralExpr{Value(field.transform.param())}, sql::TypeKind::kInt, false}));
    }
    args.push_back(Column(column));
    ASSIGN_OR_RETURN(plan::CallType type, plan::TypeOfCall(*row, args, true));
    return std::make_shared<const plan::Expr>(
        plan::Expr{plan::Call{row->CanonicalName(), std::move(args)}, type.type, true});
  }
  return Fail(UnsupportedFeature("sorting by " + field.transform.ToString()));
}

Result<std::vector<plan::SortKey>> SortKeys(const plan::Plan& scan, const spec::SortOrder& order,
                                            const spec::Schema& schema) {
  std::vector<plan::SortKey> keys;
  for (const spec::SortField& field : order.fields) {
    const auto& fields = schema.fields();
    auto at = std::find_if(fields.begin(), fields.end(),
                           [&](const spec::NestedField& f) { return f.id == field.source_id; });
    if (at == fields.end()) return Fail(UnsupportedFeature("sorting by a nested column"));
    ASSIGN_OR_RETURN(plan::ExprPtr value,
                     SortValue(field, scan.output[static_cast<size_t>(at - fields.begin())]));
    keys.push_back({std::move(value), field.direction == spec::SortDirection::kAsc,
                    field.null_order == spec::NullOrder::kNullsFirst});
  }
  return keys;
}

plan::ExprPtr Long(int64_t value) {
  return std::make_shared<const plan::Expr>(
      plan::Expr{plan::LiteralExpr{Value(value)}, sql::TypeKind::kBigInt, false});
}

// Spark's DataType.toString.
std::string TypeText(const sql::DataType& type) {
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  switch (type.kind()) {
    case sql::TypeKind::kDecimal:
      return "DecimalType(" + std::to_string(type.precision()) + "," +
             std::to_string(type.scale()) + ")";
    case sql::TypeKind::kArray:
      return "ArrayType(" + TypeText(type.element()) + "," + flag(type.contains_null()) + ")";
    case sql::TypeKind::kMap:
      return "MapType(" + TypeText(type.key()) + "," + TypeText(type.value()) + "," +
             flag(type.value_contains_null()) + ")";
    case sql::TypeKind::kStruct: {
      std::vector<std::string> fields;
      for (const sql::StructField& field : type.fields()) {
        fields.push_back("StructField(" + field.name + "," + TypeText(field.type) + "," +
                         flag(field.nullable) + ")");
      }
      return "StructType(" + Join(fields, ",") + ")";
    }
    case sql::TypeKind::kInt:
      return "IntegerType";
    case sql::TypeKind::kBigInt:
      return "LongType";
    case sql::TypeKind::kSmallInt:
      return "ShortType";
    case sql::TypeKind::kTinyInt:
      return "ByteType";
    case sql::TypeKind::kTimestampNtz:
      return "TimestampNTZType";
    default: {  // date: DateType
      std::string name = type.SimpleString();
      name.front() = static_cast<char>(AsciiUpper(name.substr(0, 1)).front());
      return name + "Type";
    }
  }
}

bool HasZorderBytes(const sql::DataType& type) {
  if (type.is_integral() || type.is_string() || type.is_datetime()) return true;
  const sql::TypeKind kind = type.kind();
  return kind == sql::TypeKind::kFloat || kind == sql::TypeKind::kDouble ||
         kind == sql::TypeKind::kBinary || kind == sql::TypeKind::kBoolean;
}

Result<plan::ExprPtr> ZorderColumn(const plan::Plan& scan, const std::string& name) {
  const auto at = std::find_if(scan.output.begin(), scan.output.end(),
                               [&](const plan::Column& column) { return column.name == name; });
  if (at == scan.output.end()) {
    std::vector<std::string> names;
    for (const plan::Column& column : scan.output) names.push_back(sql::QuoteName({column.name}));
    return FailWith(ErrorCode::kNotFound, "SparkIllegalArgumentException", "FIELD_NOT_FOUND",
                    "42704",
                    "No such struct field " + sql::QuoteName(Split(name, '.')) + " in " +
                        Join(names, ", ") + ".");
  }
  if (!HasZorderBytes(at->type)) {
    return IllegalArgument("Cannot use column " + name + " of type " + TypeText(at->type) +
                           " in ZOrdering, the type is unsupported");
  }
  return Column(*at);
}

Result<std::vector<plan::SortKey>> ZorderKeys(const plan::Plan& scan, const Zorder& zorder,
                                              const RewriteOptions& options) {
  plan::Call call{plan::CanonicalFunctionName("iceberg_zorder"),
                  {Long(options.max_output_size), Long(options.var_length_contribution)}};
  for (const std::string& name : zorder.columns) {
    ASSIGN_OR_RETURN(plan::ExprPtr column, ZorderColumn(scan, name));
    call.args.push_back(std::move(column));
  }
  auto key = std::make_shared<const plan::Expr>(
      plan::Expr{std::move(call), sql::TypeKind::kBinary, false});
  return std::vector<plan::SortKey>{{std::move(key), true, true}};
}

}  // namespace

Result<RewriteOrder> ChooseRewriteOrder(const ProcedureCall& call, const TableHandle& table) {
  const bool has_order = call.Has("sort_order");
  const std::string strategy = call.Has("strategy") ? AsciiLower(call.Text("strategy"))
                               : has_order          ? "sort"
                                                    : "binpack";
  if (strategy != "binpack" && strategy != "sort") {
    return IllegalArgument("unsupported strategy: " + call.Text("strategy") +
                           ". Only binpack or sort is supported");
  }
  if (strategy == "binpack") {
    if (has_order)
      return IllegalArgument("Cannot set rewrite mode, it has already been set to BIN-PACK");
    return RewriteOrder(AsTheyAre());
  }
  if (has_order) return ParseOrder(call.Text("sort_order"), table.metadata());
  if (table.metadata().sort_order().is_unsorted()) {
    return IllegalArgument("Cannot sort data without a valid sort order, table '" +
                           DottedName(table) + "' is unsorted and no sort order is provided");
  }
  return RewriteOrder(table.metadata().sort_order());
}

std::string_view RewriterName(const RewriteOrder& order) {
  constexpr std::string_view kNames[] = {"BIN-PACK", "SORT", "Z-ORDER"};
  return kNames[order.index()];
}

Result<plan::PlanPtr> Sorted(plan::PlanPtr scan, const RewriteOrder& order,
                             const RewriteOptions& options, const spec::Schema& schema) {
  if (std::holds_alternative<AsTheyAre>(order)) return scan;
  const auto* zorder = std::get_if<Zorder>(&order);
  ASSIGN_OR_RETURN(std::vector<plan::SortKey> keys,
                   zorder != nullptr ? ZorderKeys(*scan, *zorder, options)
                                     : SortKeys(*scan, std::get<spec::SortOrder>(order), schema));
  plan::Plan plan;
  plan.output = scan->output;
  plan.node = plan::Sort{std::move(scan), std::move(keys), true};
  return std::make_shared<const plan::Plan>(std::move(plan));
}

}  // namespace iceblink::engine
