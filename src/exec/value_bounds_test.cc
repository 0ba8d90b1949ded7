#include "exec/value_bounds.h"

#include <gtest/gtest.h>

namespace iceblink::exec {
namespace {

using plan::DataType;
using plan::Expr;
using plan::ExprPtr;
using sql::TypeKind;

ExprPtr Make(Expr::Node node, DataType type) {
  return std::make_shared<const Expr>(Expr{std::move(node), std::move(type), true});
}
ExprPtr Long(int64_t value) { return Make(plan::LiteralExpr{Value(value)}, TypeKind::kBigInt); }
ExprPtr Column() { return Make(plan::ColumnRef{1, "id"}, TypeKind::kBigInt); }
ExprPtr Call(std::string_view op, ExprPtr a, ExprPtr b, DataType type = TypeKind::kBigInt) {
  return Make(plan::Call{op, {std::move(a), std::move(b)}}, std::move(type));
}
ExprPtr CastTo(ExprPtr child, DataType type, plan::CastMode mode = plan::CastMode::kAnsi) {
  return Make(plan::Cast{std::move(child), mode, ""}, std::move(type));
}
std::pair<int64_t, int64_t> Of(const ExprPtr& expr) {
  auto bounds = BoundsOf(*expr);
  EXPECT_TRUE(bounds.has_value());
  if (!bounds) return {};
  return {static_cast<int64_t>(bounds->min), static_cast<int64_t>(bounds->max)};
}

TEST(ValueBoundsTest, RemainderLiesWithinItsDivisor) {
  EXPECT_EQ(Of(Call("%", Column(), Long(60))), std::pair(-59L, 59L));
  EXPECT_EQ(Of(Call("%", Column(), Long(-60))), std::pair(-59L, 59L));
  EXPECT_EQ(Of(Call("%", Long(7), Column())), std::pair(0L, 7L));
  EXPECT_EQ(Of(Call("%", Column(), Long(0))), std::pair(INT64_MIN, INT64_MAX));
}

TEST(ValueBoundsTest, ArithmeticKeepsToItsType) {
  ExprPtr small = Call("%", Column(), Long(10));
  EXPECT_EQ(Of(Call("-", Long(1), small)), std::pair(-8L, 10L));
  EXPECT_EQ(Of(Call("*", small, Long(-3))), std::pair(-27L, 27L));
  EXPECT_EQ(Of(Call("*", Column(), Long(2))), std::pair(INT64_MIN, INT64_MAX));
}

TEST(ValueBoundsTest, DecimalsCountUnscaled) {
  ExprPtr whole = CastTo(Call("%", Column(), Long(100)), DataType::Decimal(20, 0));
  ExprPtr quarter = Make(plan::LiteralExpr{Value(Decimal{25, 2})}, DataType::Decimal(2, 2));
  ExprPtr product = Call("*", whole, quarter, DataType::Decimal(23, 2));
  EXPECT_EQ(Of(product), std::pair(-2475L, 2475L));
  EXPECT_EQ(DigitsOf(*BoundsOf(*product)), 4);
  EXPECT_TRUE(Fits(*BoundsOf(*product), DataType::Decimal(4, 2)));
  EXPECT_FALSE(Fits(*BoundsOf(*product), DataType::Decimal(3, 2)));
  EXPECT_EQ(Of(CastTo(quarter, DataType::Decimal(6, 4))), std::pair(2500L, 2500L));
}

TEST(ValueBoundsTest, LegacyCastsMayWrap) {
  ExprPtr cast = CastTo(Long(300), TypeKind::kTinyInt, plan::CastMode::kLegacy);
  EXPECT_EQ(Of(cast), std::pair(-128L, 127L));
}

}  // namespace
}  // namespace iceblink::exec
