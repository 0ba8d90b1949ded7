// Evaluation on rows, file metrics and manifest summaries.
#include "expr/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "spec/single_value.h"

namespace iceblink::expr {
namespace {

using spec::BoundMap;
using spec::CountMap;
using spec::DataFile;
using spec::FieldSummary;
using spec::ManifestFile;
using spec::NestedField;
using spec::PartitionSpec;
using spec::Schema;
using spec::Transform;
using spec::Type;

Schema TestSchema() {
  return Schema({NestedField::Required(1, "id", Type::Int()),
                 NestedField::Optional(2, "no_stats", Type::Int()),
                 NestedField::Required(3, "required", Type::String()),
                 NestedField::Optional(4, "all_nulls", Type::String()),
                 NestedField::Optional(5, "some_nulls", Type::String()),
                 NestedField::Optional(6, "no_nulls", Type::String()),
                 NestedField::Optional(7, "all_nans", Type::Double()),
                 NestedField::Optional(8, "some_nans", Type::Float()),
                 NestedField::Optional(9, "ts", Type::Timestamp())});
}

// The file of Java's evaluator tests: ids 30 to 79, strings and floats with chosen null and NaN
// counts.
DataFile TestFile() {
  DataFile file;
  file.record_count = 50;
  file.value_counts = CountMap({{1, 50}, {4, 50}, {5, 50}, {6, 50}, {7, 50}, {8, 50}});
  file.null_value_counts = CountMap({{1, 0}, {4, 50}, {5, 10}, {6, 0}, {7, 0}, {8, 0}});
  file.nan_value_counts = CountMap({{7, 50}, {8, 10}});
  file.lower_bounds = BoundMap({{1, spec::ToBound(Type::Int(), Value(30))},
                                {6, Bytes{"abc"}},
                                {5, Bytes{"aa"}},
                                {8, spec::ToBound(Type::Float(), Value(1.0F))},
                                {9, spec::ToBound(Type::Timestamp(), Value(int64_t{0}))}});
  file.upper_bounds =
      BoundMap({{1, spec::ToBound(Type::Int(), Value(79))},
                {6, Bytes{"abe"}},
                {5, Bytes{"dC"}},
                {8, spec::ToBound(Type::Float(), Value(9.0F))},
                {9, spec::ToBound(Type::Timestamp(), Value(int64_t{3'600'000'000}))}});
  return file;
}

Expression P(Op op, const char* column, std::vector<Value> literals = {}) {
  return Expression::Predicate(op, column, std::move(literals));
}

bool MayMatch(const Expression& e) {
  return InclusiveMetricsEvaluator::Make(e, TestSchema())->Eval(TestFile());
}
bool MustMatch(const Expression& e) {
  return StrictMetricsEvaluator::Make(e, TestSchema())->Eval(TestFile());
}

TEST(InclusiveMetrics, UsesCounts) {
  EXPECT_FALSE(MayMatch(P(Op::kNotNull, "all_nulls")));
  EXPECT_TRUE(MayMatch(P(Op::kNotNull, "some_nulls")));
  EXPECT_FALSE(MayMatch(P(Op::kIsNull, "no_nulls")));
  EXPECT_TRUE(MayMatch(P(Op::kIsNull, "some_nulls")));
  EXPECT_FALSE(MayMatch(P(Op::kNotNan, "all_nans")));
  EXPECT_TRUE(MayMatch(P(Op::kIsNan, "some_nans")));
  EXPECT_FALSE(MayMatch(P(Op::kLt, "all_nulls", {Value("a")})));
  EXPECT_FALSE(MayMatch(P(Op::kEq, "all_nans", {Value(1.0)})));
  EXPECT_TRUE(MayMatch(P(Op::kEq, "no_stats", {Value(5)})));
  DataFile empty = TestFile();
  empty.record_count = 0;
  EXPECT_FALSE(InclusiveMetricsEvaluator::Make(P(Op::kEq, "no_stats", {Value(5)}), TestSchema())
                   ->Eval(empty));
}

TEST(InclusiveMetrics, UsesBounds) {
  EXPECT_FALSE(MayMatch(P(Op::kLt, "id", {Value(30)})));
  EXPECT_TRUE(MayMatch(P(Op::kLtEq, "id", {Value(30)})));
  EXPECT_FALSE(MayMatch(P(Op::kGt, "id", {Value(79)})));
  EXPECT_TRUE(MayMatch(P(Op::kGtEq, "id", {Value(79)})));
  EXPECT_FALSE(MayMatch(P(Op::kEq, "id", {Value(5)})));
  EXPECT_TRUE(MayMatch(P(Op::kEq, "id", {Value(75)})));
  EXPECT_TRUE(MayMatch(P(Op::kNotEq, "id", {Value(5)})));
  EXPECT_FALSE(MayMatch(P(Op::kIn, "id", {Value(5), Value(85)})));
  EXPECT_TRUE(MayMatch(P(Op::kIn, "id", {Value(5), Value(30), Value(85)})));
  EXPECT_FALSE(MayMatch(Expression::Not(P(Op::kLt, "id", {Value(80)}))));
  EXPECT_FALSE(
      MayMatch(Expression::And(P(Op::kLt, "id", {Value(5)}), P(Op::kGt, "id", {Value(0)}))));
}

TEST(InclusiveMetrics, UsesPrefixesAndTransforms) {
  EXPECT_TRUE(MayMatch(P(Op::kStartsWith, "no_nulls", {Value("abd")})));
  EXPECT_FALSE(MayMatch(P(Op::kStartsWith, "no_nulls", {Value("abf")})));
  EXPECT_FALSE(MayMatch(P(Op::kStartsWith, "no_nulls", {Value("aa")})));
  EXPECT_FALSE(MayMatch(P(Op::kNotStartsWith, "no_nulls", {Value("ab")})));
  EXPECT_TRUE(MayMatch(P(Op::kNotStartsWith, "no_nulls", {Value("abc")})));
  EXPECT_TRUE(MayMatch(P(Op::kNotStartsWith, "some_nulls", {Value("a")})));
  Term hour;
  hour.column = "ts";
  hour.transform = Transform::Hour();
  EXPECT_FALSE(MayMatch(Expression::Predicate(Op::kGt, hour, {Value(1)})));
  EXPECT_TRUE(MayMatch(Expression::Predicate(Op::kEq, hour, {Value(1)})));
  hour.column = "id";
  hour.transform = Transform::Truncate(10);
  EXPECT_FALSE(MayMatch(Expression::Predicate(Op::kGt, hour, {Value(70)})));
  DataFile far = TestFile();
  far.lower_bounds.Set(1, spec::ToBound(Type::Int(), Value(std::numeric_limits<int>::min())));
  EXPECT_TRUE(InclusiveMetricsEvaluator::Make(Expression::Predicate(Op::kGt, hour, {Value(70)}),
                                              TestSchema())
                  ->Eval(far));
  hour.column = "ts";
  hour.transform = Transform::Bucket(4);
  EXPECT_TRUE(MayMatch(Expression::Predicate(Op::kEq, hour, {Value(1)})));
}

TEST(StrictMetrics, IsTrueOnlyWhenAllRowsMatch) {
  EXPECT_TRUE(MustMatch(P(Op::kLt, "id", {Value(80)})));
  EXPECT_FALSE(MustMatch(P(Op::kLt, "id", {Value(79)})));
  EXPECT_TRUE(MustMatch(P(Op::kGtEq, "id", {Value(30)})));
  EXPECT_FALSE(MustMatch(P(Op::kEq, "id", {Value(30)})));
  EXPECT_TRUE(MustMatch(P(Op::kNotEq, "id", {Value(5)})));
  EXPECT_FALSE(MustMatch(P(Op::kNotEq, "id", {Value(50)})));
  EXPECT_TRUE(MustMatch(P(Op::kNotIn, "id", {Value(5), Value(85)})));
  EXPECT_FALSE(MustMatch(P(Op::kIn, "id", {Value(30), Value(79)})));
  EXPECT_FALSE(MustMatch(P(Op::kLt, "some_nulls", {Value("zz")})));
  EXPECT_TRUE(MustMatch(P(Op::kLt, "no_nulls", {Value("zz")})));
  EXPECT_FALSE(MustMatch(P(Op::kLt, "some_nans", {Value(100.0F)})));
  EXPECT_TRUE(MustMatch(P(Op::kIsNull, "all_nulls")));
  EXPECT_TRUE(MustMatch(P(Op::kNotNull, "no_nulls")));
  EXPECT_TRUE(MustMatch(P(Op::kNotEq, "all_nulls", {Value("a")})));
  EXPECT_FALSE(MustMatch(P(Op::kNotNull, "no_stats")));
  DataFile one = TestFile();
  one.upper_bounds.Set(1, spec::ToBound(Type::Int(), Value(30)));
  EXPECT_TRUE(StrictMetricsEvaluator::Make(P(Op::kIn, "id", {Value(30), Value(31)}), TestSchema())
                  ->Eval(one));
}

TEST(ManifestEvaluator, UsesFieldSummaries) {
  PartitionSpec spec{0,
                     {{1, 1000, "id", Transform::Identity()},
                      {4, 1001, "all_nulls", Transform::Identity()},
                      {7, 1002, "all_nans", Transform::Identity()},
                      {6, 1003, "no_nulls", Transform::Identity()}}};
  ManifestFile manifest;
  manifest.partitions = {FieldSummary{false, std::nullopt, spec::ToBound(Type::Int(), Value(30)),
                                      spec::ToBound(Type::Int(), Value(79))},
                         FieldSummary{true, std::nullopt, std::nullopt, std::nullopt},
                         FieldSummary{false, true, std::nullopt, std::nullopt},
                         FieldSummary{false, std::nullopt, Bytes{"abc"}, Bytes{"abe"}}};
  auto may = [&](const Expression& e) {
    return ManifestEvaluator::ForRowFilter(e, TestSchema(), spec)->Eval(manifest);
  };
  EXPECT_FALSE(may(P(Op::kLt, "id", {Value(30)})));
  EXPECT_TRUE(may(P(Op::kEq, "id", {Value(79)})));
  EXPECT_FALSE(may(P(Op::kIn, "id", {Value(1), Value(80)})));
  EXPECT_FALSE(may(P(Op::kNotNull, "all_nulls")));
  EXPECT_FALSE(may(P(Op::kEq, "all_nulls", {Value("a")})));
  EXPECT_FALSE(may(P(Op::kNotNan, "all_nans")));
  EXPECT_TRUE(may(P(Op::kIsNan, "all_nans")));
  EXPECT_FALSE(may(P(Op::kStartsWith, "no_nulls", {Value("b")})));
  EXPECT_FALSE(may(P(Op::kNotStartsWith, "no_nulls", {Value("ab")})));
  EXPECT_TRUE(may(P(Op::kEq, "no_stats", {Value(1)})));
  manifest.partitions.reset();
  EXPECT_TRUE(may(P(Op::kLt, "id", {Value(30)})));
}

TEST(RowEvaluator, TreatsNullAndNanAsIceberg) {
  Schema schema({NestedField::Optional(1, "a", Type::Int()),
                 NestedField::Optional(2, "f", Type::Double()),
                 NestedField::Optional(
                     3, "s", Type::Struct({NestedField::Optional(4, "t", Type::String())}))});
  auto eval = [&](const Expression& e, std::vector<Value> row) {
    return RowEvaluator::Make(e, schema)->Eval(row);
  };
  std::vector<Value> row = {Value(5), Value(std::nan("")), Value::Struct({Value("abc")})};
  std::vector<Value> nulls(3);
  EXPECT_TRUE(eval(P(Op::kIn, "a", {Value(9), Value(5), Value(1)}), row));
  EXPECT_TRUE(eval(P(Op::kIsNan, "f"), row));
  EXPECT_TRUE(eval(P(Op::kGt, "f", {Value(1e300)}), row));
  EXPECT_TRUE(eval(P(Op::kStartsWith, "s.t", {Value("ab")}), row));
  EXPECT_FALSE(eval(P(Op::kLt, "a", {Value(9)}), nulls));
  EXPECT_TRUE(eval(P(Op::kNotEq, "a", {Value(9)}), nulls));
  EXPECT_TRUE(eval(P(Op::kIsNull, "s.t"), nulls));
}

}  // namespace
}  // namespace iceblink::expr
