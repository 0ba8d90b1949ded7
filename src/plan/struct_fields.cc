#include "plan/struct_fields.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "plan/errors.h"
#include "plan/expression_tree.h"

namespace iceblink::plan {
namespace {

// NULL stays NULL.
ExprPtr Rebuilt(const ExprPtr& whole, std::vector<ExprPtr> args,
                std::vector<sql::StructField> fields) {
  DataType type = DataType::Struct(std::move(fields));
  ExprPtr made = MakeCall("named_struct", std::move(args), type, false);
  if (!whole->nullable) return made;
  ExprPtr present = MakeCall("isnotnull", {whole}, sql::TypeKind::kBoolean, false);
  return MakeExpr(Case{{{std::move(present), std::move(made)}}, nullptr}, std::move(type), true);
}

Result<ExprPtr> Update(const ExprPtr& whole, const std::string& path,
                       const std::optional<TypedExpr>& value, const std::string& text,
                       const std::string& input) {
  const DataType& type = whole->type;
  if (type.kind() != sql::TypeKind::kStruct)
    return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"paramIndex", "first"},
                  {"requiredType", "\"STRUCT\""},
                  {"inputSql", InDoubleQuotes(input)},
                  {"inputType", InDoubleQuotes(type.SqlString())}});
  const size_t dot = path.find('.');
  const std::string name = path.substr(0, dot);
  std::vector<ExprPtr> args;
  std::vector<sql::StructField> fields;
  auto add = [&](const std::string& field, ExprPtr expr) {
    args.push_back(MakeString(field));
    fields.push_back({field, expr->type, expr->nullable, {}});
    args.push_back(std::move(expr));
  };
  bool found = false;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    const sql::StructField& field = type.fields()[i];
    ExprPtr kept = MakeCall("get_struct_field",
                            {whole, MakeInt(static_cast<int32_t>(i)), MakeString(field.name)},
                            field.type, field.nullable || whole->nullable);
    if (!EqualsIgnoreCase(field.name, name)) {
      add(field.name, std::move(kept));
      continue;
    }
    found = true;
    if (dot != std::string::npos) {
      ASSIGN_OR_RETURN(ExprPtr inner, Update(kept, path.substr(dot + 1), value, text, input));
      add(field.name, std::move(inner));
    } else if (value) {
      add(name, value->expr);
    }
  }
  if (!found && value && dot == std::string::npos) add(name, value->expr);
  if (args.empty())
    return Raise("DATATYPE_MISMATCH.CANNOT_DROP_ALL_FIELDS", {{"sqlExpr", InDoubleQuotes(text)}});
  return Rebuilt(whole, std::move(args), std::move(fields));
}

}  // namespace

Result<TypedExpr> UpdateField(TypedExpr structure, const std::string& path,
                              std::optional<TypedExpr> value) {
  std::string text =
      value ? fmt::format("update_fields({}, WithField({}))", structure.text, value->text)
            : fmt::format("update_fields({}, dropfield())", structure.text);
  ASSIGN_OR_RETURN(ExprPtr expr, Update(structure.expr, path, value, text, structure.text));
  return TypedExpr{std::move(expr), std::move(text)};
}

}  // namespace iceblink::plan
