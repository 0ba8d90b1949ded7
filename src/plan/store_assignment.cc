#include "plan/store_assignment.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "plan/errors.h"
#include "plan/expression_tree.h"
#include "plan/types.h"
#include "sql/identifier.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

class Assigner {
 public:
  explicit Assigner(const AssignmentRules& rules) : rules_(rules) {}

  Result<ExprPtr> Assign(const ExprPtr& value, const DataType& to, bool required,
                         const sql::Name& path, const ExprPtr& own) const {
    ASSIGN_OR_RETURN(ExprPtr converted, Convert(value, to, path, own));
    if (!required || !converted->nullable) return converted;
    return MakeCall("assert_not_null", {converted, MakeString(iceblink::Join(path, "\n"))}, to,
                    false);
  }

 private:
  Result<ExprPtr> Convert(const ExprPtr& value, const DataType& to, const sql::Name& path,
                          const ExprPtr& own) const {
    const DataType& from = value->type;
    if (from == to || DataType::EqualsIgnoringNullability(from, to)) {
      if (to.kind() != TypeKind::kStruct || from == to) return value;
    }
    if (from.is_void()) return MakeCast(value, to, CastMode::kStoreAssignment);
    if (to.kind() == TypeKind::kStruct && from.kind() == TypeKind::kStruct)
      return ConvertStruct(value, to, path, own);
    RETURN_IF_ERROR(CheckNested(from, to, path));
    return MakeCast(value, to, CastMode::kStoreAssignment, path.back());
  }

  // Element and value types are checked one by one so that messages name the part; the cast then
  // converts by position.
  Status CheckNested(const DataType& from, const DataType& to, const sql::Name& path) const {
    auto below = [&](std::string_view step) {
      sql::Name inner = path;
      inner.push_back(std::string(step));
      return inner;
    };
    if (from.kind() == TypeKind::kArray && to.kind() == TypeKind::kArray)
      return CheckNested(from.element(), to.element(), below("element"));
    if (from.kind() == TypeKind::kMap && to.kind() == TypeKind::kMap) {
      RETURN_IF_ERROR(CheckNested(from.key(), to.key(), below("key")));
      return CheckNested(from.value(), to.value(), below("value"));
    }
    if (from.kind() == TypeKind::kStruct && to.kind() == TypeKind::kStruct) {
      if (from.fields().size() < to.fields().size()) return Missing(from, to, path);
      if (from.fields().size() > to.fields().size()) return Extra(from, to, path);
      for (size_t i = 0; i < to.fields().size(); ++i)
        RETURN_IF_ERROR(
            CheckNested(from.fields()[i].type, to.fields()[i].type, below(to.fields()[i].name)));
      return {};
    }
    if (from.is_void() || CanStoreAssign(from, to, rules_.policy)) return {};
    return Raise("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
                 {{"tableName", rules_.table},
                  {"colName", sql::QuoteName(path)},
                  {"srcType", InDoubleQuotes(from.SqlString())},
                  {"targetType", InDoubleQuotes(to.SqlString())}});
  }

  Status Missing(const DataType& from, const DataType& to, const sql::Name& path) const {
    std::vector<std::string> missing;
    for (size_t i = from.fields().size(); i < to.fields().size(); ++i)
      missing.push_back(sql::QuoteIdentifier(to.fields()[i].name));
    return Raise("INCOMPATIBLE_DATA_FOR_TABLE.STRUCT_MISSING_FIELDS",
                 {{"tableName", rules_.table},
                  {"colName", sql::QuoteName(path)},
                  {"missingFields", iceblink::Join(missing, ", ")}});
  }

  Status Extra(const DataType& from, const DataType& to, const sql::Name& path) const {
    std::vector<std::string> extra;
    for (size_t i = to.fields().size(); i < from.fields().size(); ++i)
      extra.push_back(sql::QuoteIdentifier(from.fields()[i].name));
    return Raise("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS",
                 {{"tableName", rules_.table},
                  {"colName", sql::QuoteName(path)},
                  {"extraFields", iceblink::Join(extra, ", ")}});
  }

  std::optional<size_t> Find(const DataType& type, const std::string& name) const {
    for (size_t i = 0; i < type.fields().size(); ++i) {
      const std::string& field = type.fields()[i].name;
      if (rules_.case_sensitive ? field == name : EqualsIgnoreCase(field, name)) return i;
    }
    return std::nullopt;
  }

  static ExprPtr FieldOf(const ExprPtr& value, size_t index) {
    const sql::StructField& field = value->type.fields()[index];
    return MakeCall("get_struct_field",
                    {value, MakeInt(static_cast<int32_t>(index)), MakeString(field.name)},
                    field.type, field.nullable || value->nullable);
  }

  // Rebuilds a struct field by field; a NULL struct stays NULL, unless fields of `own` stay in it.
  Result<ExprPtr> ConvertStruct(const ExprPtr& value, const DataType& to, const sql::Name& path,
                                const ExprPtr& own) const {
    const DataType& from = value->type;
    if (!rules_.by_name && from.fields().size() < to.fields().size())
      return Fail(Missing(from, to, path).error());
    if (from.fields().size() > to.fields().size()) return Fail(Extra(from, to, path).error());
    std::vector<ExprPtr> args;
    bool keeps = false;
    for (size_t i = 0; i < to.fields().size(); ++i) {
      const sql::StructField& target = to.fields()[i];
      std::optional<size_t> source = rules_.by_name ? Find(from, target.name) : std::optional(i);
      sql::Name inner = path;
      inner.push_back(target.name);
      const ExprPtr kept = own ? FieldOf(own, i) : nullptr;
      if (!source && rules_.fill_fields && (kept || target.nullable)) {
        args.push_back(MakeString(target.name));
        args.push_back(kept ? kept : MakeNull(target.type));
        keeps |= kept != nullptr;
        continue;
      }
      if (!source)
        return Raise("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA",
                     {{"tableName", rules_.table}, {"colName", sql::QuoteName(inner)}});
      ExprPtr field = FieldOf(value, *source);
      if (const auto* parts = value->ArgsOf("named_struct")) field = (*parts)[*source * 2 + 1];
      ASSIGN_OR_RETURN(field, Assign(field, target.type, !target.nullable, inner, kept));
      args.push_back(MakeString(target.name));
      args.push_back(std::move(field));
    }
    ExprPtr rebuilt = MakeCall("named_struct", std::move(args), to, false);
    if (!value->nullable || keeps) return rebuilt;
    Case guarded;
    guarded.branches.emplace_back(MakeCall("isnull", {value}, DataType(TypeKind::kBoolean), false),
                                  MakeNull(to));
    guarded.otherwise = rebuilt;
    return MakeExpr(std::move(guarded), to, true);
  }

  const AssignmentRules& rules_;
};

}  // namespace

Result<ExprPtr> AssignTo(const spec::NestedField& field, const ExprPtr& value,
                         const AssignmentRules& rules, const ExprPtr& own) {
  ASSIGN_OR_RETURN(DataType type, ToSparkType(field.type));
  return Assigner(rules).Assign(value, type, field.required, {field.name}, own);
}

Result<ExprPtr> DefaultOf(const spec::NestedField& field, const AssignmentRules& rules) {
  ASSIGN_OR_RETURN(DataType type, ToSparkType(field.type));
  if (field.write_default) return MakeLiteral(*field.write_default, type);
  if (!field.required) return MakeNull(type);
  return Raise("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA",
               {{"tableName", rules.table}, {"colName", sql::QuoteIdentifier(field.name)}});
}

}  // namespace iceblink::plan
