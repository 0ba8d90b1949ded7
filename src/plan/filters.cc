#include "plan/filters.h"

#include <cmath>

#include "base/decimal.h"
#include "plan/expression_tree.h"
#include "plan/query_analyzer.h"
#include "table/metadata_columns.h"

namespace iceblink::plan {

using expr::Op;
using sql::TypeKind;
using IcebergExpression = expr::Expression;

ColumnNames NamesOf(const TableScan& scan) {
  return [&scan](ColumnId id) -> std::optional<std::string> {
    for (const ScanColumn& column : scan.columns)
      if (column.column.id == id && !table::IsReservedFieldId(column.field_id)) {
        const spec::NestedField* field = scan.table.schema->FindField(column.field_id);
        return field == nullptr ? std::nullopt : std::optional(field->name);
      }
    return std::nullopt;
  };
}

namespace {

struct TermOf {
  expr::Term term;
  DataType type;               // of the column (or of the transform's result)
  const Expr* cast = nullptr;  // an up-cast around it
};

class Converter {
 public:
  Converter(const ColumnNames& names, const SessionSettings& settings)
      : names_(names), settings_(settings) {}

  std::optional<IcebergExpression> Convert(const ExprPtr& expr, bool negated) const {
    if (auto constant = FoldConstant(expr, settings_);
        constant && expr->type.kind() == TypeKind::kBoolean) {
      bool holds = !constant->is_null() && constant->As<bool>() != negated;
      return holds ? IcebergExpression::True() : IcebergExpression::False();
    }
    if (const auto* args = expr->ArgsOf("not")) return Convert((*args)[0], !negated);
    if (const auto* args = expr->ArgsOf("and")) return Connect(*args, negated, !negated);
    if (const auto* args = expr->ArgsOf("or")) return Connect(*args, negated, negated);
    if (const auto* args = expr->ArgsOf("isnull"))
      return Unary(*args, negated ? Op::kNotNull : Op::kIsNull);
    if (const auto* args = expr->ArgsOf("isnotnull"))
      return Unary(*args, negated ? Op::kIsNull : Op::kNotNull);
    if (const auto* args = expr->ArgsOf("isnan")) return IsNan(*args, negated);
    if (const auto* args = expr->ArgsOf("in")) return In(*args, negated);
    if (const auto* args = expr->ArgsOf("like")) return Like(*args, negated);
    if (const auto* args = expr->ArgsOf("startswith")) return StartsWith(*args, negated);
    if (const auto* args = expr->ArgsOf("<=>")) return NullSafeEqual(*args, negated);
    for (const auto& [name, op, swapped] : kComparisons)
      if (const auto* args = expr->ArgsOf(name)) return Compare(*args, op, swapped, negated);
    if (auto term = FindTerm(expr); term && expr->type.kind() == TypeKind::kBoolean)
      return IcebergExpression::Predicate(Op::kEq, term->term, {Value(!negated)});
    return std::nullopt;
  }

 private:
  struct ComparisonRow {
    std::string_view name;
    Op op, swapped;
  };
  static constexpr ComparisonRow kComparisons[] = {{"=", Op::kEq, Op::kEq},
                                                   {"<", Op::kLt, Op::kGt},
                                                   {"<=", Op::kLtEq, Op::kGtEq},
                                                   {">", Op::kGt, Op::kLt},
                                                   {">=", Op::kGtEq, Op::kLtEq}};

  std::optional<IcebergExpression> Connect(const std::vector<ExprPtr>& args, bool negated,
                                           bool conjunction) const {
    auto left = Convert(args[0], negated);
    auto right = Convert(args[1], negated);
    if (!left || !right) return std::nullopt;
    return conjunction ? IcebergExpression::And(*left, *right)
                       : IcebergExpression::Or(*left, *right);
  }

  // A column, a struct field of one, or a partition transform of one.
  std::optional<TermOf> FindTerm(const ExprPtr& expr) const {
    if (const auto* column = expr->As<ColumnRef>()) {
      auto name = names_(column->id);
      if (!name) return std::nullopt;
      return TermOf{{*name, spec::Transform::Identity()}, expr->type};
    }
    if (const auto* args = expr->ArgsOf("get_struct_field")) {
      auto base = FindTerm((*args)[0]);
      if (!base || base->cast != nullptr) return std::nullopt;
      base->term.column += "." + LiteralValue((*args)[2])->As<std::string>();
      base->type = expr->type;
      return base;
    }
    if (const auto* cast = expr->As<Cast>()) {
      auto base = FindTerm(cast->child);
      if (!base || base->cast != nullptr || !Widens(cast->child->type, expr->type))
        return std::nullopt;
      base->cast = expr.get();
      return base;
    }
    return TransformTerm(expr);
  }

  std::optional<TermOf> TransformTerm(const ExprPtr& expr) const {
    using spec::Transform;
    if (const auto* args = expr->ArgsOf("iceberg_years"))
      return WithTransform((*args)[0], Transform::Year(), expr->type);
    if (const auto* args = expr->ArgsOf("iceberg_months"))
      return WithTransform((*args)[0], Transform::Month(), expr->type);
    if (const auto* args = expr->ArgsOf("iceberg_days"))
      return WithTransform((*args)[0], Transform::Day(), expr->type);
    if (const auto* args = expr->ArgsOf("iceberg_hours"))
      return WithTransform((*args)[0], Transform::Hour(), expr->type);
    for (std::string_view name : {"iceberg_bucket", "iceberg_truncate"}) {
      const auto* args = expr->ArgsOf(name);
      const Value* width = args == nullptr ? nullptr : LiteralValue((*args)[0]);
      if (width == nullptr || width->is_null()) continue;
      auto number = static_cast<int32_t>(width->AsInt64());
      return WithTransform(
          (*args)[1],
          name == "iceberg_bucket" ? Transform::Bucket(number) : Transform::Truncate(number),
          expr->type);
    }
    return std::nullopt;
  }

  std::optional<TermOf> WithTransform(const ExprPtr& column, spec::Transform transform,
                                      const DataType& type) const {
    auto base = FindTerm(column);
    if (!base || base->cast != nullptr || !base->term.transform.is_identity()) return std::nullopt;
    base->term.transform = transform;
    base->type = type;
    return base;
  }

  // Casts that keep every value, so that the literal may come down to the column instead.
  static bool Widens(const DataType& from, const DataType& to) {
    if (from.is_integral()) return to.is_integral() || to.kind() == TypeKind::kDecimal;
    if (from.kind() == TypeKind::kFloat) return to.kind() == TypeKind::kDouble;
    return from.kind() == TypeKind::kDecimal && to.kind() == TypeKind::kDecimal &&
           to.scale() >= from.scale();
  }

  // The constant as the column's type has it; nothing when it is not a constant or lies between the
  // column's values.
  std::optional<Value> Literal(const ExprPtr& expr, const TermOf& term) const {
    auto value = FoldConstant(expr, settings_);
    if (!value || value->is_null() || term.cast == nullptr) return value;
    if (value->Is<Decimal>() && term.type.is_integral()) {
      auto whole = Rescale(value->As<Decimal>(), 0, Rounding::kUnnecessary);
      if (!whole || whole->unscaled > INT64_MAX || whole->unscaled < INT64_MIN) return std::nullopt;
      return Value(static_cast<int64_t>(whole->unscaled));
    }
    if (value->Is<Decimal>() && term.type.kind() == TypeKind::kDecimal) {
      auto scaled = Rescale(value->As<Decimal>(), term.type.scale(), Rounding::kUnnecessary);
      return scaled ? std::optional(Value(*scaled)) : std::nullopt;
    }
    if (value->Is<double>() && term.type.kind() == TypeKind::kFloat) {
      double number = value->As<double>();
      auto narrow = static_cast<float>(number);
      if (!std::isnan(number) && static_cast<double>(narrow) != number) return std::nullopt;
      return Value(narrow);
    }
    return value;
  }

  static bool IsNanValue(const Value& value) {
    return (value.Is<double>() && std::isnan(value.As<double>())) ||
           (value.Is<float>() && std::isnan(value.As<float>()));
  }

  static IcebergExpression NotNull(const expr::Term& term) {
    return IcebergExpression::Predicate(Op::kNotNull, term);
  }

  std::optional<IcebergExpression> Unary(const std::vector<ExprPtr>& args, Op op) const {
    auto term = FindTerm(args[0]);
    return term ? std::optional(IcebergExpression::Predicate(op, term->term)) : std::nullopt;
  }

  std::optional<IcebergExpression> IsNan(const std::vector<ExprPtr>& args, bool negated) const {
    auto term = FindTerm(args[0]);
    bool floating =
        term && (term->type.kind() == TypeKind::kFloat || term->type.kind() == TypeKind::kDouble);
    if (!floating) return std::nullopt;
    // isnan(NULL) is false, so its negation holds for NULL.
    if (!negated) return IcebergExpression::Predicate(Op::kIsNan, term->term);
    return IcebergExpression::Or(IcebergExpression::Predicate(Op::kIsNull, term->term),
                                 IcebergExpression::Predicate(Op::kNotNan, term->term));
  }

  IcebergExpression Test(const TermOf& term, Op op, const Value& value) const {
    bool floating = term.type.kind() == TypeKind::kFloat || term.type.kind() == TypeKind::kDouble;
    IcebergExpression nan = IcebergExpression::Predicate(Op::kIsNan, term.term);
    if (floating && IsNanValue(value)) {
      IcebergExpression number = IcebergExpression::And(
          NotNull(term.term), IcebergExpression::Predicate(Op::kNotNan, term.term));
      switch (op) {
        case Op::kEq:
        case Op::kGtEq:
          return nan;
        case Op::kGt:
          return IcebergExpression::False();
        case Op::kLtEq:
          return NotNull(term.term);
        default:
          return number;
      }
    }
    IcebergExpression test = IcebergExpression::Predicate(op, term.term, {value});
    if (op == Op::kNotEq) return IcebergExpression::And(NotNull(term.term), test);
    if (floating && (op == Op::kGt || op == Op::kGtEq)) return IcebergExpression::Or(test, nan);
    return test;
  }

  std::optional<IcebergExpression> Compare(const std::vector<ExprPtr>& args, Op op, Op swapped,
                                           bool negated) const {
    bool right_column = false;
    auto term = FindTerm(args[0]);
    if (!term) {
      term = FindTerm(args[1]);
      right_column = true;
    }
    if (!term) return std::nullopt;
    auto value = Literal(args[right_column ? 0 : 1], *term);
    if (!value) return std::nullopt;
    if (value->is_null()) return IcebergExpression::False();
    Op effective = right_column ? swapped : op;
    return Test(*term, negated ? expr::Negate(effective) : effective, *value);
  }

  std::optional<IcebergExpression> NullSafeEqual(const std::vector<ExprPtr>& args,
                                                 bool negated) const {
    bool right_column = false;
    auto term = FindTerm(args[0]);
    if (!term) {
      term = FindTerm(args[1]);
      right_column = true;
    }
    if (!term) return std::nullopt;
    auto value = Literal(args[right_column ? 0 : 1], *term);
    if (!value) return std::nullopt;
    IcebergExpression is_null = IcebergExpression::Predicate(Op::kIsNull, term->term);
    if (value->is_null()) return negated ? NotNull(term->term) : is_null;
    if (!negated) return Test(*term, Op::kEq, *value);
    return IcebergExpression::Or(is_null, Test(*term, Op::kNotEq, *value));
  }

  std::optional<IcebergExpression> In(const std::vector<ExprPtr>& args, bool negated) const {
    auto term = FindTerm(args[0]);
    if (!term) return std::nullopt;
    std::vector<Value> values;
    IcebergExpression nan = IcebergExpression::False();
    for (size_t i = 1; i < args.size(); ++i) {
      auto value = Literal(args[i], *term);
      if (!value) return std::nullopt;
      if (value->is_null() && negated) return IcebergExpression::False();
      if (IsNanValue(*value)) {
        if (negated) return std::nullopt;
        nan = IcebergExpression::Predicate(Op::kIsNan, term->term);
      } else if (!value->is_null()) {
        values.push_back(std::move(*value));
      }
    }
    if (!negated)
      return IcebergExpression::Or(
          IcebergExpression::Predicate(Op::kIn, term->term, std::move(values)), nan);
    return IcebergExpression::And(
        NotNull(term->term),
        IcebergExpression::Predicate(Op::kNotIn, term->term, std::move(values)));
  }

  std::optional<IcebergExpression> Prefix(const TermOf& term, std::string prefix,
                                          bool negated) const {
    if (prefix.empty()) return negated ? IcebergExpression::False() : NotNull(term.term);
    if (!negated)
      return IcebergExpression::Predicate(Op::kStartsWith, term.term, {Value(std::move(prefix))});
    return IcebergExpression::And(
        NotNull(term.term),
        IcebergExpression::Predicate(Op::kNotStartsWith, term.term, {Value(std::move(prefix))}));
  }

  std::optional<IcebergExpression> StartsWith(const std::vector<ExprPtr>& args,
                                              bool negated) const {
    auto term = FindTerm(args[0]);
    const Value* prefix = LiteralValue(args[1]);
    if (!term || !term->type.is_string() || prefix == nullptr || !prefix->Is<std::string>())
      return std::nullopt;
    return Prefix(*term, prefix->As<std::string>(), negated);
  }

  // LIKE 'abc%' and LIKE 'abc'.
  std::optional<IcebergExpression> Like(const std::vector<ExprPtr>& args, bool negated) const {
    auto term = FindTerm(args[0]);
    const Value* pattern = LiteralValue(args[1]);
    if (!term || !term->type.is_string() || args.size() > 2 || pattern == nullptr ||
        !pattern->Is<std::string>())
      return std::nullopt;
    std::string text = pattern->As<std::string>();
    if (text.find('\\') != std::string::npos || text.find('_') != std::string::npos)
      return std::nullopt;
    size_t percent = text.find('%');
    if (percent == std::string::npos)
      return Test(*term, negated ? Op::kNotEq : Op::kEq, Value(text));
    if (percent != text.size() - 1) return std::nullopt;
    text.pop_back();
    return Prefix(*term, std::move(text), negated);
  }

  const ColumnNames& names_;
  const SessionSettings& settings_;
};

}  // namespace

std::optional<expr::Expression> ToIcebergPredicate(const ExprPtr& predicate,
                                                   const ColumnNames& names,
                                                   const SessionSettings& settings) {
  return Converter(names, settings).Convert(predicate, false);
}

IcebergFilter ToIcebergFilter(const ExprPtr& condition, const ColumnNames& names,
                              const SessionSettings& settings) {
  IcebergFilter result;
  for (const ExprPtr& conjunct : SplitConjuncts(condition)) {
    auto filter = ToIcebergPredicate(conjunct, names, settings);
    if (!filter) {
      result.exact = false;
      continue;
    }
    result.filter = expr::Expression::And(result.filter, *filter);
  }
  return result;
}

}  // namespace iceblink::plan
