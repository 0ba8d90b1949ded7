// Names of unaliased select items, where syntax alone tells them.
#include "base/strings.h"
#include "sql/printer.h"
#include "sql/printer_parts.h"

namespace iceblink::sql {

namespace {

std::string Sql(const Expr& expr);

std::string Negated(bool negated, const std::string& text) {
  return negated ? "(NOT " + text + ")" : text;
}
std::string List(const std::vector<ExprPtr>& exprs) {
  return PrintList(exprs, [](const ExprPtr& expr) { return Sql(*expr); });
}

class NamePrinter {
 public:
  std::string operator()(const Literal& n) const {
    if (n.value.Is<std::string>()) return n.value.As<std::string>();
    std::string text = PrintLiteral(n);
    const bool number = n.type.is_numeric();
    while (number && !text.empty() && text.back() >= 'A') text.pop_back();  // suffix letters
    return n.type.kind() == TypeKind::kBoolean ? AsciiLower(text) : text;
  }
  std::string operator()(const DatetimeLiteral& n) const {
    return AsciiUpper(n.type.SimpleString()) + " " + PrintString(n.text);
  }
  std::string operator()(const Parameter& n) const { return n.name.empty() ? "?" : ":" + n.name; }
  std::string operator()(const NamedColumn& n) const { return iceblink::Join(n.parts, "."); }
  std::string operator()(const Star& n) const {
    return n.qualifier.empty() ? "*" : iceblink::Join(n.qualifier, ".") + ".*";
  }
  std::string operator()(const UnaryOp& n) const {
    if (n.op == UnaryOperator::kBitNot) return "~" + Sql(*n.child);
    return "(" + std::string(OperatorText(n.op)) + " " + Sql(*n.child) + ")";
  }
  std::string operator()(const BinaryOp& n) const {
    if (n.op == BinaryOperator::kNotEq)
      return "(NOT (" + Sql(*n.left) + " = " + Sql(*n.right) + "))";
    if (n.op == BinaryOperator::kConcat)
      return "concat(" + Sql(*n.left) + ", " + Sql(*n.right) + ")";
    return "(" + Sql(*n.left) + " " + std::string(OperatorText(n.op)) + " " + Sql(*n.right) + ")";
  }
  std::string operator()(const Cast& n) const {
    return std::string(n.is_try ? "TRY_CAST(" : "CAST(") + Sql(*n.child) + " AS " +
           n.type.SqlString() + ")";
  }
  std::string operator()(const Case& n) const {
    std::string out = "CASE";
    for (const WhenClause& when : n.whens) {
      const std::string condition = n.operand
                                        ? "(" + Sql(*n.operand) + " = " + Sql(*when.condition) + ")"
                                        : Sql(*when.condition);
      out += " WHEN " + condition + " THEN " + Sql(*when.result);
    }
    return (n.otherwise ? out + " ELSE " + Sql(*n.otherwise) : out) + " END";
  }
  std::string operator()(const InList& n) const {
    return Negated(n.negated, "(" + Sql(*n.child) + " IN (" + List(n.list) + "))");
  }
  std::string operator()(const InSubquery& n) const {
    return Negated(n.negated, "(" + Sql(*n.child) + " IN (listquery()))");
  }
  std::string operator()(const Between& n) const {
    return Negated(n.negated,
                   "between(" + Sql(*n.child) + ", " + Sql(*n.low) + ", " + Sql(*n.high) + ")");
  }
  std::string operator()(const Like& n) const {
    const std::string child = Sql(*n.child);
    if (n.quantifier != LikeQuantifier::kNone) {
      return Negated(n.negated,
                     std::string(n.quantifier == LikeQuantifier::kAny ? "likeany(" : "likeall(") +
                         child + ")");
    }
    const std::string pattern = Sql(*n.patterns[0]);
    switch (n.kind) {
      case LikeKind::kLike:
        return Negated(n.negated, child + " LIKE " + pattern +
                                      (n.escape == "\\" ? "" : " ESCAPE '" + n.escape + "'"));
      case LikeKind::kILike:
        return Negated(n.negated, "ilike(" + child + ", " + pattern + ")");
      case LikeKind::kRLike:
        return Negated(n.negated, "RLIKE(" + child + ", " + pattern + ")");
    }
    return "";
  }
  std::string operator()(const IsNull& n) const {
    return "(" + Sql(*n.child) + (n.negated ? " IS NOT NULL)" : " IS NULL)");
  }
  std::string operator()(const IsTruth& n) const {
    const std::string child = Sql(*n.child);
    if (n.truth == Truth::kUnknown)
      return "(" + child + (n.negated ? " IS NOT NULL)" : " IS NULL)");
    return Negated(n.negated,
                   "(" + child + (n.truth == Truth::kTrue ? " <=> true)" : " <=> false)"));
  }
  std::string operator()(const IsDistinctFrom& n) const {
    return Negated(!n.negated, "(" + Sql(*n.left) + " <=> " + Sql(*n.right) + ")");
  }
  std::string operator()(const Subscript& n) const {
    return Sql(*n.child) + "[" + Sql(*n.index) + "]";
  }
  std::string operator()(const FieldAccess& n) const { return Sql(*n.child) + "." + n.field; }
  std::string operator()(const VariantPath& n) const {
    return "variant_get(" + Sql(*n.child) + ", $." + n.path + ")";
  }
  std::string operator()(const Collate& n) const {
    return "collate(" + Sql(*n.child) + ", " + iceblink::Join(n.collation, ".") + ")";
  }
  std::string operator()(const FunctionCall& n) const {
    const bool count_star = n.args.size() == 1 && n.args[0].expr->As<Star>() &&
                            EqualsIgnoreCase(n.name.back(), "count");
    const std::string args =
        count_star ? "1" : PrintList(n.args, [](const Argument& arg) { return Sql(*arg.expr); });
    std::string out =
        iceblink::Join(n.name, ".") + "(" + (n.distinct ? "DISTINCT " : "") + args + ")";
    if (n.filter) out += " FILTER (WHERE " + Sql(*n.filter) + ")";
    return n.window ? out + " OVER " + PrintWindow(*n.window) : out;
  }
  std::string operator()(const Lambda& n) const {
    return "lambdafunction(" + Sql(*n.body) + ", " + iceblink::Join(n.parameters, ", ") + ")";
  }
  std::string operator()(const StructConstructor& n) const {
    return "struct(" +
           PrintList(n.fields,
                     [](const NamedExpr& f) {
                       return Sql(*f.expr) + (f.alias.empty() ? "" : " AS " + f.alias);
                     }) +
           ")";
  }
  std::string operator()(const Extract& n) const {
    return "extract(" + n.field + " FROM " + Sql(*n.source) + ")";
  }
  std::string operator()(const Trim& n) const {
    constexpr std::string_view kSides[] = {"TRIM(BOTH ", "TRIM(LEADING ", "TRIM(TRAILING "};
    return std::string(kSides[static_cast<size_t>(n.side)]) +
           (n.characters ? Sql(*n.characters) + " " : "") + "FROM " + Sql(*n.source) + ")";
  }
  std::string operator()(const Overlay& n) const {
    return "overlay(" + Sql(*n.input) + ", " + Sql(*n.replacement) + ", " + Sql(*n.position) +
           ", " + (n.length ? Sql(*n.length) : "-1") + ")";
  }
  std::string operator()(const Exists&) const { return "exists()"; }
  std::string operator()(const ScalarSubquery&) const { return "scalarsubquery()"; }
};

std::string Sql(const Expr& expr) { return std::visit(NamePrinter(), expr.node); }

}  // namespace

std::string ColumnName(const Expr& expr) {
  if (const auto* column = expr.As<NamedColumn>()) return column->parts.back();
  if (const auto* access = expr.As<FieldAccess>()) return access->field;
  if (const auto* cast = expr.As<Cast>(); cast && cast->child->As<NamedColumn>())
    return ColumnName(*cast->child);
  return Sql(expr);
}

}  // namespace iceblink::sql
