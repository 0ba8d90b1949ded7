// Text, binding, NOT rewriting, projection and residuals.
#include <gtest/gtest.h>

#include <limits>

#include "base/datetime.h"
#include "expr/evaluate.h"

namespace iceblink::expr {
namespace {

using spec::NestedField;
using spec::PartitionSpec;
using spec::Schema;
using spec::Transform;
using spec::Type;

Schema TestSchema() {
  return Schema(
      {NestedField::Required(1, "id", Type::Int()),
       NestedField::Optional(2, "data", Type::String()),
       NestedField::Optional(3, "ts", Type::Timestamp()),
       NestedField::Optional(4, "d", Type::Date()),
       NestedField::Optional(5, "amt", Type::Decimal(9, 2)),
       NestedField::Optional(6, "f", Type::Float()),
       NestedField::Optional(7, "s", Type::Struct({NestedField::Required(8, "x", Type::Long())}))});
}

Expression P(Op op, const char* column, std::vector<Value> literals = {}) {
  return Expression::Predicate(op, column, std::move(literals));
}

TEST(Expression, PrintsAsJava) {
  Term bucket;
  bucket.column = "id";
  bucket.transform = Transform::Bucket(16);
  Expression e = Expression::And(
      Expression::Or(P(Op::kEq, "id", {Value(5)}), Expression::Not(P(Op::kIsNull, "data"))),
      Expression::And(Expression::Predicate(Op::kEq, bucket, {Value(3)}),
                      P(Op::kIn, "data", {Value("a"), Value("b")})));
  EXPECT_EQ(e.ToString(),
            "((ref(name=\"id\") == 5 or not(is_null(ref(name=\"data\")))) and "
            "(bucket[16](ref(name=\"id\")) == 3 and "
            "ref(name=\"data\") in (\"a\", \"b\")))");
  EXPECT_EQ(P(Op::kGtEq, "b", {Value(Bytes{"\x01\xab"})}).ToString(), "ref(name=\"b\") >= X'01AB'");
}

TEST(Expression, SimplifiesConstantsAndRewritesNot) {
  Expression a = P(Op::kLt, "id", {Value(5)});
  EXPECT_TRUE(Expression::And(a, Expression::False()).is_false());
  EXPECT_EQ(Expression::Or(Expression::False(), a), a);
  Expression e = Expression::Not(Expression::And(a, Expression::Not(P(Op::kNotNull, "data"))));
  EXPECT_EQ(RewriteNot(e).ToString(), "(ref(name=\"id\") >= 5 or not_null(ref(name=\"data\")))");
}

TEST(Bind, FoldsOverflowNullsAndSets) {
  auto bound = [](const Expression& e) { return Bind(e, TestSchema()).value(); };
  EXPECT_TRUE(bound(P(Op::kLt, "id", {Value(int64_t{1} << 40)})).is_true());
  EXPECT_TRUE(bound(P(Op::kEq, "id", {Value(-(int64_t{1} << 40))})).is_false());
  EXPECT_TRUE(bound(P(Op::kIsNull, "id")).is_false());
  EXPECT_TRUE(bound(P(Op::kNotNull, "id")).is_true());
  EXPECT_TRUE(bound(P(Op::kIsNull, "s.x")).is_predicate());  // the struct may be null
  EXPECT_EQ(bound(P(Op::kIn, "id", {Value(7), Value(7)})).op(), Op::kEq);
  EXPECT_TRUE(bound(P(Op::kIn, "id", {Value(int64_t{1} << 40)})).is_false());
  EXPECT_TRUE(bound(P(Op::kNotIn, "id", {})).is_true());
}

TEST(Bind, ConvertsLiterals) {
  auto literal = [](const char* column, Value value) {
    return Bind(P(Op::kEq, column, {std::move(value)}), TestSchema()).value().literal();
  };
  EXPECT_EQ(literal("d", "2017-11-16"), Value(int32_t{17486}));
  EXPECT_EQ(literal("ts", "2017-11-16T22:31:08"), Value(int64_t{1510871468000000}));
  EXPECT_EQ(literal("amt", Value(5)), Value(Decimal{500, 2}));
  EXPECT_EQ(literal("amt", Value(1.255)), Value(Decimal{126, 2}));
  EXPECT_EQ(literal("f", Value(2.5)), Value(2.5F));
  EXPECT_EQ(Bind(P(Op::kEq, "id", {Value("x")}), TestSchema()).error().message,
            "Invalid value for conversion to type int: x (java.lang.String)");
  EXPECT_EQ(Bind(P(Op::kIsNan, "id"), TestSchema()).error().message,
            "IsNaN cannot be used with a non-floating-point column");
  EXPECT_FALSE(Bind(P(Op::kEq, "ID", {Value(1)}), TestSchema()));
  EXPECT_TRUE(Bind(P(Op::kEq, "ID", {Value(1)}), TestSchema(), false));
}

struct Projection {
  Transform transform;
  int32_t source;
  Expression filter;
  const char* inclusive;
  const char* strict;
};

TEST(Projection, FollowsTheTable) {
  Value micros = int64_t{1510871468000000};  // 2017-11-16T22:31:08, hour 419686
  Transform bucket = Transform::Bucket(10);
  int32_t hash5 = bucket.Apply(Type::Int(), int32_t{5}).AsInt64();
  std::string in_bucket = "ref(name=\"p\") == " + std::to_string(hash5);
  std::string not_bucket = "ref(name=\"p\") != " + std::to_string(hash5);
  Transform ten = Transform::Truncate(10);
  Transform two = Transform::Truncate(2);
  const Projection cases[] = {
      {bucket, 1, P(Op::kEq, "id", {Value(5)}), in_bucket.c_str(), "false"},
      {bucket, 1, P(Op::kNotEq, "id", {Value(5)}), "true", not_bucket.c_str()},
      {bucket, 1, P(Op::kLt, "id", {Value(5)}), "true", "false"},
      {ten, 1, P(Op::kLt, "id", {Value(100)}),
       "(ref(name=\"p\") <= 90 or ref(name=\"p\") >= 2147483646)", "ref(name=\"p\") < 100"},
      {ten, 1, P(Op::kLtEq, "id", {Value(99)}),
       "(ref(name=\"p\") <= 90 or ref(name=\"p\") >= 2147483646)", "ref(name=\"p\") < 100"},
      {ten, 1, P(Op::kGt, "id", {Value(99)}), "ref(name=\"p\") >= 100",
       "(ref(name=\"p\") > 90 and ref(name=\"p\") < 2147483646)"},
      {ten, 1, P(Op::kGtEq, "id", {Value(100)}), "ref(name=\"p\") >= 100",
       "(ref(name=\"p\") > 90 and ref(name=\"p\") < 2147483646)"},
      {ten, 1, P(Op::kIn, "id", {Value(12), Value(25)}), "ref(name=\"p\") in (10, 20)", "false"},
      {ten, 5, P(Op::kLt, "amt", {Value(Decimal{100, 2})}), "ref(name=\"p\") <= 0.90",
       "ref(name=\"p\") < 1.00"},
      {two, 2, P(Op::kLt, "data", {Value("abc")}), "ref(name=\"p\") <= \"ab\"",
       "ref(name=\"p\") < \"ab\""},
      {two, 2, P(Op::kStartsWith, "data", {Value("a")}), "ref(name=\"p\") startsWith \"\"a\"\"",
       "ref(name=\"p\") startsWith \"\"a\"\""},
      {two, 2, P(Op::kStartsWith, "data", {Value("ab")}), "ref(name=\"p\") == \"ab\"",
       "ref(name=\"p\") == \"ab\""},
      {two, 2, P(Op::kStartsWith, "data", {Value("abc")}), "ref(name=\"p\") startsWith \"\"ab\"\"",
       "false"},
      {two, 2, P(Op::kNotStartsWith, "data", {Value("abc")}), "true",
       "ref(name=\"p\") notStartsWith \"\"ab\"\""},
      {Transform::Hour(), 3, P(Op::kLtEq, "ts", {micros}),
       "(ref(name=\"p\") <= 419686 or ref(name=\"p\") >= 1732919507)",
       "(ref(name=\"p\") < 419686 and ref(name=\"p\") > -1732919508)"},
      {Transform::Day(), 3, P(Op::kEq, "ts", {Value(int64_t{-1})}), "ref(name=\"p\") in (-1, 0)",
       "false"},
      {Transform::Day(), 3, P(Op::kNotEq, "ts", {Value(int64_t{-1})}), "true",
       "ref(name=\"p\") not in (-1, 0)"},
      {Transform::Day(), 3, P(Op::kLt, "ts", {Value(-kMicrosPerDay)}), "ref(name=\"p\") <= -1",
       "ref(name=\"p\") < -1"},
      {Transform::Day(), 3, P(Op::kGtEq, "ts", {Value(int64_t{0})}), "ref(name=\"p\") >= 0",
       "ref(name=\"p\") > 0"},
      {Transform::Day(), 4, P(Op::kEq, "d", {Value(-5)}), "ref(name=\"p\") == -5", "false"},
      {Transform::Month(), 4, P(Op::kEq, "d", {Value(-5)}), "ref(name=\"p\") in (-1, 0)", "false"},
      {Transform::Year(), 3, P(Op::kIsNull, "ts"), "is_null(ref(name=\"p\"))",
       "is_null(ref(name=\"p\"))"},
      {Transform::Identity(), 1, P(Op::kNotIn, "id", {Value(1), Value(2)}),
       "ref(name=\"p\") not in (1, 2)", "ref(name=\"p\") not in (1, 2)"},
      {Transform::Void(), 1, P(Op::kEq, "id", {Value(1)}), "true", "false"},
  };
  for (const Projection& c : cases) {
    PartitionSpec spec{0, {{c.source, 1000, "p", c.transform}}};
    EXPECT_EQ(ProjectInclusive(c.filter, TestSchema(), spec)->ToString(), c.inclusive)
        << c.filter.ToString();
    EXPECT_EQ(ProjectStrict(c.filter, TestSchema(), spec)->ToString(), c.strict)
        << c.filter.ToString();
  }
}

// Every row that a filter finds must lie in a partition that the inclusive projection keeps, and a
// partition that the strict one takes must hold no other row.
void ExpectSoundAt(const Transform& transform, const Type& source,
                   const std::vector<Value>& values) {
  Schema schema({NestedField::Required(1, "v", source)});
  PartitionSpec spec{0, {{1, 1000, "p", transform}}};
  Schema partition = PartitionSchema(spec, schema);
  auto holds = [](const Expression& e, const Schema& of, const Value& value) {
    return RowEvaluator::Make(e, of)->Eval(std::vector<Value>{value});
  };
  for (Op op : {Op::kLt, Op::kLtEq, Op::kGt, Op::kGtEq, Op::kEq, Op::kNotEq}) {
    for (const Value& literal : values) {
      Expression filter = P(op, "v", {literal});
      Expression inclusive = *ProjectInclusive(filter, schema, spec);
      Expression strict = *ProjectStrict(filter, schema, spec);
      for (const Value& value : values) {
        Value in = transform.Apply(source, value);
        bool matches = holds(filter, schema, value);
        EXPECT_TRUE(!matches || holds(inclusive, partition, in))
            << transform.ToString() << " " << filter.ToString() << " lost " << value.AsInt64();
        EXPECT_TRUE(matches || !holds(strict, partition, in))
            << transform.ToString() << " " << filter.ToString() << " took " << value.AsInt64();
      }
    }
  }
}

TEST(Projection, IsSoundWhereResultsWrap) {
  constexpr int32_t kInt = std::numeric_limits<int32_t>::max();
  constexpr int64_t kLong = std::numeric_limits<int64_t>::max();
  std::vector<Value> ints = {Value(-1), Value(0), Value(5)};
  std::vector<Value> longs = {Value(int64_t{-1}), Value(int64_t{0}), Value(int64_t{5})};
  for (int32_t step : {0, 1, 2, 7, 3646, 3647, 3648, 3649, 10000}) {
    ints.insert(ints.end(), {Value(kInt - step), Value(-kInt - 1 + step)});
    longs.insert(longs.end(), {Value(kLong - step), Value(-kLong - 1 + step)});
  }
  for (int32_t width : {1, 7, 10, 4096, 10000}) {
    ExpectSoundAt(Transform::Truncate(width), Type::Int(), ints);
    ExpectSoundAt(Transform::Truncate(width), Type::Long(), longs);
  }
  for (int64_t hour : {int64_t{1} << 31, -(int64_t{1} << 31)}) {
    for (int64_t by : {-1, 0, 1}) longs.emplace_back((hour + by) * kMicrosPerHour);
  }
  ExpectSoundAt(Transform::Hour(), Type::Timestamp(), longs);
  ExpectSoundAt(Transform::Hour(), Type::TimestampNs(), longs);
}

TEST(Projection, KeepsPredicatesOnTheTransformItself) {
  PartitionSpec spec{0, {{1, 1000, "p", Transform::Bucket(16)}}};
  Term term;
  term.column = "id";
  term.transform = Transform::Bucket(16);
  Expression same = Expression::Predicate(Op::kGt, term, {Value(3)});
  EXPECT_EQ(ProjectInclusive(same, TestSchema(), spec)->ToString(), "ref(name=\"p\") > 3");
  term.transform = Transform::Bucket(8);
  EXPECT_TRUE(ProjectInclusive(Expression::Predicate(Op::kGt, term, {Value(3)}), TestSchema(), spec)
                  ->is_true());
}

TEST(Projection, KnowsWhetherWholePartitionsAreSelected) {
  PartitionSpec identity{0, {{2, 1000, "data", Transform::Identity()}}};
  PartitionSpec days{0, {{3, 1000, "ts_day", Transform::Day()}}};
  Expression by_data = P(Op::kEq, "data", {Value("x")});
  EXPECT_TRUE(*SelectsPartitions(by_data, TestSchema(), identity));
  EXPECT_FALSE(*SelectsPartitions(by_data, TestSchema(), days));
  EXPECT_FALSE(*SelectsPartitions(P(Op::kEq, "ts", {Value(int64_t{5})}), TestSchema(), days));
}

TEST(Residual, IsWhatThePartitionLeavesOpen) {
  PartitionSpec spec{0, {{3, 1000, "ts_day", Transform::Day()}}};
  Value start = int64_t{17486} * kMicrosPerDay;
  Value noon = int64_t{17486} * kMicrosPerDay + 12 * kMicrosPerHour;
  Expression filter = Expression::And(P(Op::kGtEq, "ts", {start}), P(Op::kLt, "ts", {noon}));
  auto evaluator = ResidualEvaluator::Make(filter, TestSchema(), spec);
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  auto residual = [&](Value day) {
    return evaluator->ResidualFor(std::vector<Value>{std::move(day)}).ToString();
  };
  EXPECT_EQ(residual(Value(17486)), "ref(name=\"ts\") < 1510833600000000");
  EXPECT_EQ(residual(Value(17485)), "false");
  EXPECT_EQ(residual(Value(17487)), "false");
  EXPECT_EQ(residual(Value()), "false");
  auto unpartitioned = ResidualEvaluator::Make(filter, TestSchema(), PartitionSpec{});
  EXPECT_EQ(unpartitioned->ResidualFor({}), filter);
}

TEST(Residual, FoldsIdentityPartitions) {
  PartitionSpec spec{
      0, {{2, 1000, "data", Transform::Identity()}, {1, 1001, "b", Transform::Bucket(4)}}};
  Expression filter =
      Expression::Or(P(Op::kEq, "data", {Value("a")}), P(Op::kEq, "id", {Value(5)}));
  auto evaluator = ResidualEvaluator::Make(filter, TestSchema(), spec);
  ASSERT_TRUE(evaluator);
  Value bucket = Transform::Bucket(4).Apply(Type::Int(), int32_t{5});
  Value other = (bucket.As<int32_t>() + 1) % 4;
  EXPECT_TRUE(evaluator->ResidualFor(std::vector<Value>{Value("a"), bucket}).is_true());
  EXPECT_TRUE(evaluator->ResidualFor(std::vector<Value>{Value("b"), other}).is_false());
  EXPECT_EQ(evaluator->ResidualFor(std::vector<Value>{Value("b"), bucket}).ToString(),
            "ref(name=\"id\") == 5");
}

}  // namespace
}  // namespace iceblink::expr
