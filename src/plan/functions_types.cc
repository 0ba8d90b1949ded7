// Result types of function calls: the codes of the table, and the rules that codes cannot say.
#include <algorithm>

#include "base/decimal.h"
#include "base/strings.h"
#include "fmt/format.h"
#include "plan/expression_tree.h"
#include "plan/functions.h"
#include "plan/types.h"
#include "sql/parser.h"

namespace iceblink::plan {

using sql::IntervalField;
using sql::TypeKind;

std::optional<DataType> PlainTypeOfCode(char code) {
  switch (code) {
    case 's':
      return DataType(TypeKind::kString);
    case 'i':
      return DataType(TypeKind::kInt);
    case 'l':
      return DataType(TypeKind::kBigInt);
    case 'd':
      return DataType(TypeKind::kDouble);
    case 'f':
      return DataType(TypeKind::kFloat);
    case 'b':
      return DataType(TypeKind::kBoolean);
    case 'D':
      return DataType(TypeKind::kDate);
    case 'N':
      return DataType(TypeKind::kTimestampNtz);
    case 'B':
      return DataType(TypeKind::kBinary);
    default:
      return std::nullopt;
  }
}

namespace {

// The type of a result code.
std::optional<DataType> TypeOfCode(char code) {
  switch (code) {
    case 'T':
      return DataType(TypeKind::kTimestamp);
    case 'y':
      return DataType(TypeKind::kTinyInt);
    case 'h':
      return DataType(TypeKind::kSmallInt);
    case 'V':
      return DataType(TypeKind::kVoid);
    default:
      return PlainTypeOfCode(code);
  }
}

bool Nullable(NullRule rule, const std::vector<ExprPtr>& args) {
  auto nullable = [](const ExprPtr& arg) { return arg->nullable; };
  switch (rule) {
    case NullRule::kIfAnyArgument:
      return std::any_of(args.begin(), args.end(), nullable);
    case NullRule::kNever:
      return false;
    case NullRule::kAlways:
      return true;
    case NullRule::kIfAll:
      return std::all_of(args.begin(), args.end(), nullable);
  }
  return true;
}

std::string LiteralString(const ExprPtr& expr) {
  const Value* value = LiteralValue(expr);
  return value != nullptr && value->Is<std::string>() ? value->As<std::string>() : std::string();
}

int32_t LiteralInt(const std::vector<ExprPtr>& args, size_t index, int32_t fallback) {
  if (index >= args.size()) return fallback;
  const Value* value = LiteralValue(args[index]);
  if (value != nullptr && (value->Is<int32_t>() || value->Is<int64_t>()))
    return static_cast<int32_t>(value->AsInt64());
  if (const auto* args_of = args[index]->ArgsOf("negative"))
    return -LiteralInt(*args_of, 0, -fallback);
  return fallback;
}

DataType ElementType(const DataType& type) {
  return type.kind() == TypeKind::kArray ? type.element() : DataType();
}

// ---- rules by name
// ----------------------------------------------------------------------------------------------------

using Args = std::vector<ExprPtr>;
using Rule = Result<DataType> (*)(const Args&);

Result<DataType> SumType(const Args& args) {
  const DataType& type = args[0]->type;
  if (type.kind() == TypeKind::kDecimal)
    return DataType::Decimal(std::min(kMaxDecimalPrecision, type.precision() + 10), type.scale());
  if (type.is_integral()) return DataType(TypeKind::kBigInt);
  return type.is_numeric() ? DataType(TypeKind::kDouble) : type;
}
Result<DataType> AvgType(const Args& args) {
  const DataType& type = args[0]->type;
  if (type.kind() == TypeKind::kDecimal) {
    int32_t p = type.precision() + 4, s = type.scale() + 4;
    return DataType::Decimal(std::min(kMaxDecimalPrecision, p), std::min(kMaxDecimalPrecision, s));
  }
  return type.is_numeric() ? DataType(TypeKind::kDouble) : type;
}
// round and bround: decimals keep the digits that remain; others keep their type.
Result<DataType> RoundType(const Args& args) {
  const DataType& type = args[0]->type;
  if (type.kind() != TypeKind::kDecimal) return type;
  int32_t scale = LiteralInt(args, 1, 0);
  int32_t integral = type.precision() - type.scale() + 1;
  if (scale < 0)
    return DataType::Decimal(std::min(kMaxDecimalPrecision, std::max(integral, -scale + 1)), 0);
  int32_t kept = std::min(type.scale(), scale);
  return DataType::Decimal(std::min(kMaxDecimalPrecision, integral + kept), kept);
}
Result<DataType> CeilType(const Args& args) {
  if (args.size() == 2) {
    DataType type = args[0]->type;
    if (type.is_integral()) type = DecimalOf(type);
    if (type.kind() != TypeKind::kDecimal) type = DataType::Decimal(30, 15);
    return RoundType({MakeNull(type), args[1]});
  }
  const DataType& type = args[0]->type;
  if (type.kind() != TypeKind::kDecimal) return DataType(TypeKind::kBigInt);
  if (type.scale() == 0) return type;
  return DataType::Decimal(std::min(kMaxDecimalPrecision, type.precision() - type.scale() + 1), 0);
}
Result<DataType> ArrayOfStrings(const Args&) {
  return DataType::Array(DataType(TypeKind::kString), false);
}
Result<DataType> FirstType(const Args& args) { return args.empty() ? DataType() : args[0]->type; }

Result<DataType> VariantType(const Args&) { return DataType(TypeKind::kVariant); }
Result<DataType> VariantGetType(const Args& args) {
  if (args.size() < 3) return DataType(TypeKind::kVariant);
  return sql::ParseDataType(LiteralString(args[2]));
}
Result<DataType> FromJsonType(const Args& args) {
  std::string text = LiteralString(args[1]);
  if (auto table = sql::ParseTableSchema(text)) return *table;
  return sql::ParseDataType(text);
}
Result<DataType> NumberFormatType(const Args& args) {
  std::string format = LiteralString(args[1]);
  size_t point = format.find_first_of(".Dd");
  auto digits = [](std::string_view part) {
    return static_cast<int32_t>(
        std::count_if(part.begin(), part.end(), [](char c) { return c == '0' || c == '9'; }));
  };
  int32_t scale = point == std::string::npos ? 0 : digits(std::string_view(format).substr(point));
  return DataType::Decimal(std::max(1, digits(format)), scale);
}
Result<DataType> ElementAtType(const Args& args) {
  const DataType& type = args[0]->type;
  return type.kind() == TypeKind::kMap ? type.value() : ElementType(type);
}
Result<DataType> NullableElements(const Args& args) {
  return DataType::Array(ElementType(args[0]->type), true);
}
Result<DataType> Compacted(const Args& args) {
  return DataType::Array(ElementType(args[0]->type), false);
}
Result<DataType> ArraysZipType(const Args& args) {
  std::vector<sql::StructField> fields;
  for (const ExprPtr& arg : args) {
    const auto* column = arg->As<ColumnRef>();
    std::string name = column != nullptr ? column->name : std::to_string(fields.size());
    fields.push_back({name, ElementType(arg->type), true, std::nullopt});
  }
  return DataType::Array(DataType::Struct(std::move(fields)), false);
}
Result<DataType> SequenceType(const Args& args) {
  auto common = CommonType(args[0]->type, args[1]->type);
  return DataType::Array(common.value_or(args[0]->type), false);
}
Result<DataType> MapType(const Args& args) {
  if (args.empty()) return DataType::Map(DataType(), DataType(), false);
  bool nulls = false;
  for (size_t i = 1; i < args.size(); i += 2) nulls = nulls || args[i]->nullable;
  return DataType::Map(args[0]->type, args[1]->type, nulls);
}
Result<DataType> MapKeysType(const Args& args) {
  return DataType::Array(args[0]->type.key(), false);
}
Result<DataType> MapValuesType(const Args& args) {
  return DataType::Array(args[0]->type.value(), args[0]->type.value_contains_null());
}
Result<DataType> MapEntriesType(const Args& args) {
  const DataType& map = args[0]->type;
  return DataType::Array(
      DataType::Struct({{"key", map.key(), false, std::nullopt},
                        {"value", map.value(), map.value_contains_null(), std::nullopt}}),
      false);
}
Result<DataType> MapFromArraysType(const Args& args) {
  return DataType::Map(ElementType(args[0]->type), ElementType(args[1]->type),
                       args[1]->type.contains_null());
}
Result<DataType> MapFromEntriesType(const Args& args) {
  DataType entry = ElementType(args[0]->type);
  if (entry.kind() != TypeKind::kStruct || entry.fields().size() != 2)
    return Fail(ErrorCode::kAnalysis, "map_from_entries needs an array of pairs",
                "AnalysisException");
  return DataType::Map(entry.fields()[0].type, entry.fields()[1].type, entry.fields()[1].nullable);
}
Result<DataType> StringMapType(const Args&) {
  return DataType::Map(DataType(TypeKind::kString), DataType(TypeKind::kString), true);
}
Result<DataType> NamedStructType(const Args& args) {
  std::vector<sql::StructField> fields;
  for (size_t i = 0; i + 1 < args.size(); i += 2)
    fields.push_back(
        {LiteralString(args[i]), args[i + 1]->type, args[i + 1]->nullable, std::nullopt});
  return DataType::Struct(std::move(fields));
}
Result<DataType> DayTimeType(const Args&) {
  return DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kSecond);
}
Result<DataType> YearMonthType(const Args&) {
  return DataType::YearMonthInterval(IntervalField::kYear, IntervalField::kMonth);
}
Result<DataType> CalendarType(const Args&) { return DataType(TypeKind::kCalendarInterval); }
Result<DataType> SecondsType(const Args&) { return DataType::Decimal(8, 6); }
Result<DataType> CommonOfAll(const Args& args) {
  std::vector<DataType> types;
  for (const ExprPtr& arg : args) types.push_back(arg->type);
  return CommonType(types).value_or(DataType());
}
Result<DataType> NanvlType(const Args& args) {
  bool floats =
      args[0]->type.kind() == TypeKind::kFloat && args[1]->type.kind() == TypeKind::kFloat;
  return DataType(floats ? TypeKind::kFloat : TypeKind::kDouble);
}
Result<DataType> DecodeType(const Args& args) {
  return args.size() == 2 ? DataType(TypeKind::kString) : args[2]->type;
}
Result<DataType> PercentileType(const Args& args) {
  bool many = args[1]->type.kind() == TypeKind::kArray;
  DataType one(TypeKind::kDouble);
  return many ? DataType::Array(one, false) : one;
}
Result<DataType> ApproxPercentileType(const Args& args) {
  return args[1]->type.kind() == TypeKind::kArray ? DataType::Array(args[0]->type, false)
                                                  : args[0]->type;
}
Result<DataType> HistogramType(const Args& args) {
  return DataType::Array(DataType::Struct({{"x", args[0]->type, true, {}},
                                           {"y", DataType(TypeKind::kDouble), true, {}}}),
                         true);
}
Result<DataType> WindowTimeType(const Args& args) {
  const auto& fields = args[0]->type.fields();
  return fields.size() == 2 ? fields[1].type : DataType(TypeKind::kTimestamp);
}
Result<DataType> SentencesType(const Args&) {
  return DataType::Array(DataType::Array(DataType(TypeKind::kString), false), false);
}

struct RuleRow {
  std::string_view name;
  Rule rule;
};
constexpr RuleRow kRules[] = {
    {"sum", SumType},
    {"try_sum", SumType},
    {"avg", AvgType},
    {"try_avg", AvgType},
    {"round", RoundType},
    {"bround", RoundType},
    {"ceil", CeilType},
    {"floor", CeilType},
    {"split", ArrayOfStrings},
    {"regexp_extract_all", ArrayOfStrings},
    {"json_object_keys", ArrayOfStrings},
    {"concat", FirstType},
    {"reverse", FirstType},
    {"parse_json", VariantType},
    {"try_parse_json", VariantType},
    {"to_variant_object", VariantType},
    {"variant_get", VariantGetType},
    {"try_variant_get", VariantGetType},
    {"from_json", FromJsonType},
    {"from_csv", FromJsonType},
    {"to_number", NumberFormatType},
    {"try_to_number", NumberFormatType},
    {"element_at", ElementAtType},
    {"try_element_at", ElementAtType},
    {"array_append", NullableElements},
    {"array_prepend", NullableElements},
    {"array_insert", NullableElements},
    {"array_compact", Compacted},
    {"arrays_zip", ArraysZipType},
    {"sequence", SequenceType},
    {"map", MapType},
    {"map_keys", MapKeysType},
    {"map_values", MapValuesType},
    {"map_entries", MapEntriesType},
    {"map_from_arrays", MapFromArraysType},
    {"map_from_entries", MapFromEntriesType},
    {"map_concat", CommonOfAll},
    {"str_to_map", StringMapType},
    {"named_struct", NamedStructType},
    {"make_interval", CalendarType},
    {"try_make_interval", CalendarType},
    {"make_dt_interval", DayTimeType},
    {"make_ym_interval", YearMonthType},
    {"second_with_fraction", SecondsType},
    {"zeroifnull", FirstType},
    {"nanvl", NanvlType},
    {"pmod", CommonOfAll},
    {"decode", DecodeType},
    {"percentile", PercentileType},
    {"percentile_approx", ApproxPercentileType},
    {"histogram_numeric", HistogramType},
    {"sentences", SentencesType},
    {"window_time", WindowTimeType},
};

}  // namespace

Result<CallType> TypeOfCall(const FunctionRow& row, const std::vector<ExprPtr>& args, bool) {
  bool nullable = Nullable(row.nulls, args);
  std::string_view code = row.result;
  if (code == "*") {
    for (const RuleRow& rule : kRules) {
      if (rule.name != row.CanonicalName()) continue;
      ASSIGN_OR_RETURN(DataType type, rule.rule(args));
      return CallType{std::move(type), nullable};
    }
    return Fail(ErrorCode::kInternal, fmt::format("no result type for {}", row.name));
  }
  size_t first_common = row.args.find('x');
  auto common = [&] {
    return args.empty() ? DataType() : args[std::min(first_common, args.size() - 1)]->type;
  };
  if (code == "=") return CallType{common(), nullable};
  if (code == "[=") {
    bool nulls =
        std::any_of(args.begin(), args.end(), [](const ExprPtr& arg) { return arg->nullable; });
    return CallType{DataType::Array(common(), nulls), nullable};
  }
  if (code[0] >= '1' && code[0] <= '9')
    return CallType{args[static_cast<size_t>(code[0] - '1')]->type, nullable};
  if (code.size() == 2) {
    const ExprPtr& arg = args[static_cast<size_t>(code[1] - '1')];
    if (code[0] == '[')
      return CallType{
          DataType::Array(arg->type, row.kind == FunctionKind::kScalar && arg->nullable), nullable};
    if (code[0] == 'e') return CallType{ElementType(arg->type), true};
    return CallType{code[0] == 'k' ? arg->type.key() : arg->type.value(), true};
  }
  return CallType{TypeOfCode(code[0]).value_or(DataType()), nullable};
}

}  // namespace iceblink::plan
