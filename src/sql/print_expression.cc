#include <array>
#include <cmath>
#include <cstdio>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "sql/printer.h"
#include "sql/printer_parts.h"
#include "sql/token.h"

namespace iceblink::sql {

namespace {

// Binding strength, as in the parser; 15 is a primary expression.
constexpr int kLambda = 0, kOr = 1, kAnd = 2, kNot = 3, kPredicate = 4, kComparison = 5,
              kUnary = 12, kPrimary = 15;

int Precedence(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kOr:
      return kOr;
    case BinaryOperator::kAnd:
      return kAnd;
    case BinaryOperator::kBitOr:
      return 6;
    case BinaryOperator::kBitXor:
      return 7;
    case BinaryOperator::kBitAnd:
      return 8;
    case BinaryOperator::kShiftLeft:
    case BinaryOperator::kShiftRight:
    case BinaryOperator::kShiftRightUnsigned:
      return 9;
    case BinaryOperator::kAdd:
    case BinaryOperator::kSubtract:
    case BinaryOperator::kConcat:
      return 10;
    case BinaryOperator::kMultiply:
    case BinaryOperator::kDivide:
    case BinaryOperator::kIntDivide:
    case BinaryOperator::kModulo:
      return 11;
    default:
      return kComparison;
  }
}

std::string Not(bool negated) { return negated ? "NOT " : ""; }

std::string Shortest(double value, const char* format, const char* suffix) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), format, value);
  return std::string(text.data()) + suffix;
}

// Prints one node; precedence() then says how tight it binds.
class ExpressionPrinter {
 public:
  int precedence = kPrimary;

  std::string operator()(const Literal& n) { return PrintLiteral(n); }
  std::string operator()(const DatetimeLiteral& n) {
    return AsciiUpper(n.type.SimpleString()) + " " + PrintString(n.text);
  }
  std::string operator()(const Parameter& n) {
    return n.name.empty() ? "?" : ":" + PrintIdentifier(n.name);
  }
  std::string operator()(const NamedColumn& n) { return PrintName(n.parts); }
  std::string operator()(const Star& n) {
    std::string out = n.qualifier.empty() ? "*" : PrintName(n.qualifier) + ".*";
    return n.except.empty() ? out : out + " EXCEPT (" + PrintNames(n.except) + ")";
  }
  std::string operator()(const UnaryOp& n) {
    if (n.op == UnaryOperator::kNot) {
      precedence = kNot;
      return "NOT " + PrintOperand(*n.child, kNot);
    }
    precedence = kUnary;
    // -(5) is no literal, and --5 a comment.
    const bool plain = !n.child->As<Literal>() && !n.child->As<UnaryOp>();
    const std::string child =
        plain ? PrintOperand(*n.child, kUnary) : "(" + PrintExpression(*n.child) + ")";
    return std::string(OperatorText(n.op)) + child;
  }
  std::string operator()(const BinaryOp& n) {
    precedence = Precedence(n.op);
    const int left =
        precedence <= kAnd ? precedence + 1 : precedence;  // keeps the balance of AND and OR trees
    return PrintOperand(*n.left, left) + " " + std::string(OperatorText(n.op)) + " " +
           PrintOperand(*n.right, precedence + 1);
  }
  std::string operator()(const Cast& n) {
    return std::string(n.is_try ? "TRY_CAST(" : "CAST(") + PrintExpression(*n.child) + " AS " +
           n.type.SqlString() + ")";
  }
  std::string operator()(const Case& n) {
    std::string out = "CASE";
    if (n.operand) out += " " + PrintExpression(*n.operand);
    for (const WhenClause& when : n.whens) {
      out += " WHEN " + PrintExpression(*when.condition) + " THEN " + PrintExpression(*when.result);
    }
    if (n.otherwise) out += " ELSE " + PrintExpression(*n.otherwise);
    return out + " END";
  }
  std::string operator()(const InList& n) {
    return Predicate(*n.child, Not(n.negated) + "IN (" + PrintExpressions(n.list) + ")");
  }
  std::string operator()(const InSubquery& n) {
    return Predicate(*n.child, Not(n.negated) + "IN (" + PrintQuery(*n.query) + ")");
  }
  std::string operator()(const Between& n) {
    return Predicate(*n.child, Not(n.negated) + "BETWEEN " + PrintOperand(*n.low, kComparison) +
                                   " AND " + PrintOperand(*n.high, kComparison));
  }
  std::string operator()(const Like& n) {
    constexpr std::string_view kKinds[] = {"LIKE ", "ILIKE ", "RLIKE "};
    std::string tail = Not(n.negated) + std::string(kKinds[static_cast<size_t>(n.kind)]);
    if (n.quantifier != LikeQuantifier::kNone) {
      return Predicate(*n.child, tail + (n.quantifier == LikeQuantifier::kAny ? "ANY (" : "ALL (") +
                                     PrintExpressions(n.patterns) + ")");
    }
    tail += PrintOperand(*n.patterns[0], kComparison);
    return Predicate(*n.child, n.escape == "\\" ? tail : tail + " ESCAPE " + PrintString(n.escape));
  }
  std::string operator()(const IsNull& n) {
    return Predicate(*n.child, "IS " + Not(n.negated) + "NULL");
  }
  std::string operator()(const IsTruth& n) {
    constexpr std::string_view kTruths[] = {"TRUE", "FALSE", "UNKNOWN"};
    return Predicate(*n.child,
                     "IS " + Not(n.negated) + std::string(kTruths[static_cast<size_t>(n.truth)]));
  }
  std::string operator()(const IsDistinctFrom& n) {
    return Predicate(
        *n.left, "IS " + Not(n.negated) + "DISTINCT FROM " + PrintOperand(*n.right, kComparison));
  }
  std::string operator()(const Subscript& n) {
    return Base(*n.child) + "[" + PrintOperand(*n.index, kComparison) + "]";
  }
  std::string operator()(const FieldAccess& n) {
    return Base(*n.child) + "." + PrintIdentifier(n.field);
  }
  std::string operator()(const VariantPath& n) { return Base(*n.child) + ":" + n.path; }
  std::string operator()(const Collate& n) {
    return Base(*n.child) + " COLLATE " + PrintName(n.collation);
  }
  std::string operator()(const FunctionCall& n);
  std::string operator()(const Lambda& n) {
    precedence = kLambda;
    std::string parameters = PrintList(n.parameters, PrintIdentifier);
    if (n.parameters.size() > 1) parameters = "(" + parameters + ")";
    return parameters + " -> " + PrintExpression(*n.body);
  }
  std::string operator()(const StructConstructor& n) {
    return "STRUCT(" + PrintList(n.fields, PrintNamed) + ")";
  }
  std::string operator()(const Extract& n) {
    return "EXTRACT(" + PrintIdentifier(n.field) + " FROM " + PrintOperand(*n.source, kComparison) +
           ")";
  }
  std::string operator()(const Trim& n) {
    constexpr std::string_view kSides[] = {"BOTH ", "LEADING ", "TRAILING "};
    const std::string characters =
        n.characters ? PrintOperand(*n.characters, kComparison) + " " : "";
    return "TRIM(" + std::string(kSides[static_cast<size_t>(n.side)]) + characters + "FROM " +
           PrintOperand(*n.source, kComparison) + ")";
  }
  std::string operator()(const Overlay& n) {
    const std::string length = n.length ? " FOR " + PrintOperand(*n.length, kComparison) : "";
    return "OVERLAY(" + PrintOperand(*n.input, kComparison) + " PLACING " +
           PrintOperand(*n.replacement, kComparison) + " FROM " +
           PrintOperand(*n.position, kComparison) + length + ")";
  }
  std::string operator()(const Exists& n) {
    precedence = kPredicate;
    return "EXISTS (" + PrintQuery(*n.query) + ")";
  }
  std::string operator()(const ScalarSubquery& n) { return "(" + PrintQuery(*n.query) + ")"; }

 private:
  // What stands before a dot, a bracket or a colon. A number would swallow the dot.
  static std::string Base(const Expr& child) {
    return child.As<Literal>() ? "(" + PrintExpression(child) + ")" : PrintOperand(child, kPrimary);
  }
  std::string Predicate(const Expr& child, const std::string& tail) {
    precedence = kPredicate;
    return PrintOperand(child, kComparison) + " " + tail;
  }
};

std::string ExpressionPrinter::operator()(const FunctionCall& n) {
  const auto* unit = n.args.empty() ? nullptr : n.args[0].expr->As<Literal>();
  const bool by_unit = n.name.size() == 1 &&
                       (n.name[0] == "timestampadd" || n.name[0] == "timestampdiff") &&
                       n.args.size() == 3 && unit && unit->value.Is<std::string>();
  std::string out;
  if (by_unit) {
    out = n.name[0] + "(" + unit->value.As<std::string>() + ", " +
          PrintArguments({n.args[1], n.args[2]}) + ")";
  } else {
    out = PrintName(n.name) + "(" + (n.distinct ? "DISTINCT " : "") + PrintArguments(n.args) + ")";
  }
  if (!n.within_group.empty())
    out += " WITHIN GROUP (ORDER BY " + PrintSortItems(n.within_group) + ")";
  if (n.filter) out += " FILTER (WHERE " + PrintExpression(*n.filter) + ")";
  if (n.nulls != NullTreatment::kDefault)
    out += n.nulls == NullTreatment::kIgnoreNulls ? " IGNORE NULLS" : " RESPECT NULLS";
  if (n.window) out += " OVER " + PrintWindow(*n.window);
  return out;
}

std::string PrintBound(const FrameBound& bound) {
  switch (bound.kind) {
    case FrameBound::Kind::kUnboundedPreceding:
      return "UNBOUNDED PRECEDING";
    case FrameBound::Kind::kPreceding:
      return PrintExpression(*bound.offset) + " PRECEDING";
    case FrameBound::Kind::kCurrentRow:
      return "CURRENT ROW";
    case FrameBound::Kind::kFollowing:
      return PrintExpression(*bound.offset) + " FOLLOWING";
    case FrameBound::Kind::kUnboundedFollowing:
      return "UNBOUNDED FOLLOWING";
  }
  return "";
}

}  // namespace

std::string PrintOperand(const Expr& expr, int precedence) {
  ExpressionPrinter printer;
  std::string text = std::visit(printer, expr.node);
  return printer.precedence < precedence ? "(" + text + ")" : text;
}

std::string PrintExpression(const Expr& expr) { return PrintOperand(expr, 0); }

std::string PrintIdentifier(std::string_view name) {
  return FindWord(name) == Word::kNotAWord ? QuoteIfNeeded(name) : QuoteIdentifier(name);
}

std::string PrintName(const Name& name) {
  std::string out;
  for (const std::string& part : name) out += (out.empty() ? "" : ".") + PrintIdentifier(part);
  return out;
}

std::string PrintNames(const std::vector<Name>& names) { return PrintList(names, PrintName); }
std::string PrintIdentifiers(const std::vector<std::string>& names) {
  return PrintList(names, PrintIdentifier);
}
std::string PrintExpressions(const std::vector<ExprPtr>& exprs) {
  return PrintList(exprs, [](const ExprPtr& expr) { return PrintExpression(*expr); });
}

std::string PrintString(std::string_view text) {
  std::string out = "'";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool like_escape =
        c == '\\' && i + 1 < text.size() && (text[i + 1] == '%' || text[i + 1] == '_');
    if (c == '\0') {
      out += "\\0";
    } else {
      if ((c == '\'' || c == '\\') && !like_escape) out += '\\';
      out += c;
    }
  }
  return out + "'";
}

std::string PrintLiteral(const Literal& literal) {
  const Value& value = literal.value;
  if (value.is_null()) return "NULL";
  switch (literal.type.kind()) {
    case TypeKind::kBoolean:
      return value.As<bool>() ? "TRUE" : "FALSE";
    case TypeKind::kTinyInt:
      return std::to_string(value.As<int32_t>()) + "Y";
    case TypeKind::kSmallInt:
      return std::to_string(value.As<int32_t>()) + "S";
    case TypeKind::kInt:
      return std::to_string(value.As<int32_t>());
    case TypeKind::kBigInt:
      return std::to_string(value.As<int64_t>()) + "L";
    case TypeKind::kFloat:
      return Shortest(value.As<float>(), "%.9g", "F");
    case TypeKind::kDouble:
      return Shortest(value.As<double>(), "%.17g", "D");
    case TypeKind::kDecimal:
      return DecimalToPlainString(value.As<Decimal>()) + "BD";
    case TypeKind::kBinary:
      return "X'" + HexEncode(value.As<Bytes>().data, true) + "'";
    case TypeKind::kDate:
      return "DATE '" + FormatDate(value.As<int32_t>()) + "'";
    case TypeKind::kTimestampNtz:
      return "TIMESTAMP_NTZ '" + FormatTimestamp(value.As<int64_t>(), {}, ' ') + "'";
    case TypeKind::kTime:
      return "TIME '" + FormatTime(value.As<int64_t>()) + "'";
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
      return PrintInterval(literal);
    default:
      return value.Is<std::string>() ? PrintString(value.As<std::string>()) : "NULL";
  }
}

// INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 02:03:04.5' DAY TO SECOND, INTERVAL '03' HOUR.
std::string PrintInterval(const Literal& literal) {
  const Interval& interval = literal.value.As<Interval>();
  const bool year_month = literal.type.kind() == TypeKind::kYearMonthInterval;
  const bool negative = year_month ? interval.months < 0 : interval.micros < 0;
  constexpr std::array<uint64_t, 6> kSizes{
      12, 1, kMicrosPerDay, kMicrosPerHour, 60 * kMicrosPerSecond, kMicrosPerSecond};
  constexpr std::array<char, 6> kSeparators{'-', ' ', ' ', ':', ':', '.'};
  const int64_t amount = year_month ? interval.months : interval.micros;
  uint64_t rest = negative ? 0 - static_cast<uint64_t>(amount) : static_cast<uint64_t>(amount);
  std::string text = negative ? "-" : "";
  const auto end = static_cast<size_t>(literal.type.end_field());
  for (auto field = static_cast<size_t>(literal.type.start_field()); field <= end; ++field) {
    const std::string digits = std::to_string(rest / kSizes[field]);
    const bool clock = field >= static_cast<size_t>(IntervalField::kHour);
    text += (clock && digits.size() < 2 ? "0" : "") + digits;
    rest %= kSizes[field];
    if (field < end) text += kSeparators[field];
  }
  if (literal.type.end_field() == IntervalField::kSecond && rest > 0) {
    const std::string micros = std::to_string(rest);
    text += "." + std::string(6 - micros.size(), '0') + micros;
    text.erase(text.find_last_not_of('0') + 1);
  }
  std::string out =
      "INTERVAL '" + text + "' " + AsciiUpper(IntervalFieldName(literal.type.start_field()));
  if (literal.type.end_field() == literal.type.start_field()) return out;
  return out + " TO " + AsciiUpper(IntervalFieldName(literal.type.end_field()));
}

std::string PrintNamed(const NamedExpr& named) {
  std::string out = PrintExpression(*named.expr);
  if (!named.alias.empty()) out += " AS " + PrintIdentifier(named.alias);
  if (!named.aliases.empty()) out += " AS (" + PrintIdentifiers(named.aliases) + ")";
  return out;
}

std::string PrintArguments(const std::vector<Argument>& args) {
  return PrintList(args, [](const Argument& arg) {
    return (arg.name.empty() ? "" : PrintIdentifier(arg.name) + " => ") +
           PrintExpression(*arg.expr);
  });
}

std::string PrintSortItems(const std::vector<SortItem>& items) {
  return PrintList(items, [](const SortItem& item) {
    std::string out = PrintExpression(*item.expr) + (item.descending ? " DESC" : " ASC");
    if (item.nulls != NullOrder::kDefault)
      out += item.nulls == NullOrder::kFirst ? " NULLS FIRST" : " NULLS LAST";
    return out;
  });
}

std::string PrintWindow(const WindowSpec& spec) {
  if (!spec.reference.empty()) return PrintIdentifier(spec.reference);
  std::string out;
  if (!spec.partition_by.empty()) out += " PARTITION BY " + PrintExpressions(spec.partition_by);
  if (!spec.order_by.empty()) out += " ORDER BY " + PrintSortItems(spec.order_by);
  if (spec.frame) {
    out += std::string(spec.frame->rows ? " ROWS" : " RANGE") + " BETWEEN " +
           PrintBound(spec.frame->start) + " AND " + PrintBound(spec.frame->end);
  }
  return "(" + (out.empty() ? out : out.substr(1)) + ")";
}

}  // namespace iceblink::sql
