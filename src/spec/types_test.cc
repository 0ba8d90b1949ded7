// Types, schemas, transforms, specs and single values against the specification's golden values.
#include <gtest/gtest.h>

#include "base/uuid.h"
#include "spec/partition_spec.h"
#include "spec/single_value.h"
#include "spec/sort_order.h"

namespace iceblink::spec {
namespace {

TEST(Type, ParsesAndPrintsTheSpecificationStrings) {
  for (const char* text : {"boolean",
                           "int",
                           "long",
                           "float",
                           "double",
                           "date",
                           "time",
                           "timestamp",
                           "timestamptz",
                           "timestamp_ns",
                           "timestamptz_ns",
                           "string",
                           "uuid",
                           "binary",
                           "variant",
                           "unknown",
                           "decimal(9, 2)",
                           "fixed[16]",
                           "geometry",
                           "geometry(srid:3857)",
                           "geography(srid:4269)",
                           "geography(OGC:CRS84, karney)"}) {
    auto type = ParsePrimitiveType(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->ToString(), text);
  }
  EXPECT_EQ(*ParsePrimitiveType("decimal(9,2)"), Type::Decimal(9, 2));
  EXPECT_EQ(*ParsePrimitiveType("geometry(OGC:CRS84)"), Type::Geometry());
  EXPECT_EQ(ParsePrimitiveType("int8").error().message,
            "Cannot parse type string to primitive: int8");
}

Schema NestedSchema() {
  return Schema(
      {NestedField::Required(1, "id", Type::Int()),
       NestedField::Optional(
           2, "points",
           Type::List(3, Type::Struct({NestedField::Required(4, "x", Type::Double())}), true)),
       NestedField::Optional(5, "props", Type::Map(6, Type::String(), 7, Type::Long(), false))});
}

TEST(Schema, FindsFieldsByAllNames) {
  Schema schema = NestedSchema();
  EXPECT_EQ(schema.FindField("points.element.x")->id, 4);
  EXPECT_EQ(schema.FindField("points.x")->id, 4);
  EXPECT_EQ(schema.FindField("Points.X"), nullptr);
  EXPECT_EQ(schema.FindField("Points.X", false)->id, 4);
  EXPECT_EQ(schema.FindField("props.value")->id, 7);
  EXPECT_EQ(schema.FullName(4), "points.element.x");
  EXPECT_EQ(schema.ParentId(4), 3);
  EXPECT_EQ(schema.HighestFieldId(), 7);
}

TEST(Schema, NumbersDirectFieldsBeforeNestedOnes) {
  int32_t next = 0;
  Schema fresh = AssignFreshIds(NestedSchema(), [&] { return ++next; });
  EXPECT_EQ(fresh.FindField("props")->id, 3);
  EXPECT_EQ(fresh.FindField("points.element")->id, 4);
  EXPECT_EQ(fresh.FindField("points.x")->id, 5);
  EXPECT_EQ(fresh.FindField("props.key")->id, 6);
  EXPECT_EQ(fresh.FindField("props.value")->id, 7);
}

TEST(Schema, SelectsWithParents) {
  Schema selected = SelectFields(NestedSchema(), {4, 7});
  EXPECT_EQ(selected.fields().size(), 2u);
  EXPECT_NE(selected.FindField("points.x"), nullptr);
  EXPECT_NE(selected.FindField("props.key"), nullptr);
}

TEST(Transform, HashesAsTheSpecificationSays) {
  auto hash = [](const Type& type, const Value& value) { return BucketHash(type, value); };
  EXPECT_EQ(hash(Type::Int(), int32_t{34}), 2017239379);
  EXPECT_EQ(hash(Type::Long(), int64_t{34}), 2017239379);
  EXPECT_EQ(hash(Type::Decimal(9, 2), Decimal{1420, 2}), -500754589);
  EXPECT_EQ(hash(Type::Date(), int32_t{17486}), -653330422);
  EXPECT_EQ(hash(Type::Time(), int64_t{81068000000}), -662762989);
  EXPECT_EQ(hash(Type::Timestamp(), int64_t{1510871468000000}), -2047944441);
  EXPECT_EQ(hash(Type::TimestampNs(), int64_t{1510871468000001001}), -1207196810);
  EXPECT_EQ(hash(Type::String(), "iceberg"), 1210000089);
  EXPECT_EQ(
      hash(Type::Uuid(), Bytes{Uuid::Parse("f79c3e09-677c-4bbd-a479-3f349cb785e7")->ToBytes()}),
      1488055340);
  EXPECT_EQ(hash(Type::Binary(), Bytes{std::string("\0\1\2\3", 4)}), -188683207);
}

TEST(Transform, AppliesWithFloor) {
  EXPECT_EQ(Transform::Truncate(10).Apply(Type::Int(), int32_t{-1}), Value(int32_t{-10}));
  EXPECT_EQ(Transform::Truncate(10).Apply(Type::Long(), int64_t{19}), Value(int64_t{10}));
  EXPECT_EQ(Transform::Truncate(50).Apply(Type::Decimal(9, 2), Decimal{1065, 2}),
            Value(Decimal{1050, 2}));
  EXPECT_EQ(Transform::Truncate(2).Apply(Type::String(), "イロハ"), Value("イロ"));
  EXPECT_EQ(Transform::Year().Apply(Type::Timestamp(), int64_t{-1}), Value(int32_t{-1}));
  EXPECT_EQ(Transform::Month().Apply(Type::Date(), int32_t{-1}), Value(int32_t{-1}));
  EXPECT_EQ(Transform::Day().Apply(Type::Timestamp(), int64_t{-1}), Value(int32_t{-1}));
  EXPECT_EQ(Transform::Hour().Apply(Type::TimestampNs(), int64_t{-1}), Value(int32_t{-1}));
  EXPECT_EQ(Transform::Bucket(16).Apply(Type::Long(), int64_t{34}),
            Value(int32_t{2017239379 % 16}));
  EXPECT_TRUE(Transform::Void().Apply(Type::Int(), int32_t{1}).is_null());
}

TEST(Transform, KeepsUnknownText) {
  EXPECT_EQ(Transform::Parse("zorder(a, b)").ToString(), "zorder(a, b)");
  EXPECT_TRUE(Transform::Parse("bucket[0]").Is(TransformKind::kUnknown));
  EXPECT_EQ(Transform::Parse("BUCKET[4]"), Transform::Bucket(4));
  EXPECT_TRUE(Transform::Day().SatisfiesOrderOf(Transform::Year()));
  EXPECT_FALSE(Transform::Year().SatisfiesOrderOf(Transform::Day()));
}

TEST(PartitionSpec, PathIsFormUrlEncoded) {
  Schema schema({NestedField::Required(1, "s t", Type::String()),
                 NestedField::Optional(2, "ts", Type::TimestampTz()),
                 NestedField::Optional(3, "b", Type::Binary())});
  std::vector<PartitionTerm> terms = {{"s t", Transform::Identity(), ""},
                                      {"ts", Transform::Hour(), ""},
                                      {"b", Transform::Truncate(2), "bt"},
                                      {"ts", Transform::Bucket(4), ""}};
  auto spec = BuildPartitionSpec(schema, terms);
  ASSERT_TRUE(spec) << spec.error().message;
  std::vector<Value> tuple = {"a/b c", int32_t{419686}, Bytes{"ab"}, Value()};
  EXPECT_EQ(PartitionPath(*spec, schema, tuple),
            "s+t=a%2Fb+c/ts_hour=2017-11-16-22/bt=YWI%3D/ts_bucket=null");
  EXPECT_EQ(spec->fields[3].ToString(), "1003: ts_bucket: bucket[4](2)");
}

TEST(PartitionSpec, RefusesWhatJavaRefuses) {
  Schema schema({NestedField::Required(1, "id", Type::Double()),
                 NestedField::Optional(2, "ts", Type::Timestamp()),
                 NestedField::Optional(3, "ts_day", Type::Int())});
  auto message = [&](std::vector<PartitionTerm> terms) {
    auto spec = BuildPartitionSpec(schema, terms);
    return spec ? std::string() : spec.error().message;
  };
  EXPECT_EQ(message({{"id", Transform::Bucket(4), ""}}),
            "Invalid source type double for transform: bucket[4]");
  EXPECT_EQ(message({{"ts", Transform::Year(), ""}, {"ts", Transform::Hour(), ""}}),
            "Cannot add redundant partition: 1000: ts_year: year(2) conflicts with 1001: ts_hour: "
            "hour(2)");
  EXPECT_EQ(message({{"ts", Transform::Day(), ""}}),
            "Cannot create partition from name that exists in schema: ts_day");
  EXPECT_EQ(message({{"nope", Transform::Day(), ""}}), "Cannot find source column: nope");
}

TEST(PartitionSpec, UnionTakesNewestNames) {
  Schema schema(
      {NestedField::Required(1, "id", Type::Int()), NestedField::Optional(2, "s", Type::String())});
  std::vector<PartitionSpec> specs = {
      {0, {{1, 1000, "old", Transform::Identity()}, {9, 1001, "gone", Transform::Day()}}},
      {1, {{1, 1000, "new", Transform::Void()}, {2, 1002, "s", Transform::Identity()}}}};
  auto type = UnionPartitionType(schema, specs);
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ(Type(*type).ToString(), "struct<1000: new: optional int, 1002: s: optional string>");
}

TEST(SortOrder, DescribesAsSpark) {
  Schema schema({NestedField::Required(1, "id", Type::Int()),
                 NestedField::Optional(2, "ts", Type::Timestamp())});
  std::vector<SortTerm> terms = {
      {"id", Transform::Bucket(4)},
      {"ts", Transform::Day(), SortDirection::kDesc, NullOrder::kNullsLast}};
  auto order = BuildSortOrder(schema, terms);
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(order->order_id, 1);
  EXPECT_EQ(DescribeSortOrder(*order, schema),
            "bucket(4, id) ASC NULLS FIRST, days(ts) DESC NULLS LAST");
}

TEST(SingleValue, BoundsGoBothWays) {
  struct Case {
    Type type;
    Value value;
  };
  for (const Case& c :
       {Case{Type::Boolean(), true}, Case{Type::Int(), int32_t{-5}},
        Case{Type::Long(), int64_t{1} << 40}, Case{Type::Float(), 1.5F},
        Case{Type::Double(), -2.25}, Case{Type::Date(), int32_t{17486}},
        Case{Type::Decimal(38, 2), Decimal{-129, 2}}, Case{Type::String(), "é"},
        Case{Type::Fixed(3), Bytes{"abc"}}, Case{Type::TimestampNs(), int64_t{-1}}}) {
    auto back = FromBound(c.type, ToBound(c.type, c.value).data);
    ASSERT_TRUE(back) << c.type.ToString();
    EXPECT_EQ(*back, c.value) << c.type.ToString();
  }
  EXPECT_EQ(*FromBound(Type::Long(), ToBound(Type::Int(), int32_t{-7}).data), Value(int64_t{-7}));
  EXPECT_EQ(*FromBound(Type::Double(), ToBound(Type::Float(), 0.5F).data), Value(0.5));
  EXPECT_FALSE(FromBound(Type::Int(), "abc"));
}

TEST(SingleValue, TruncatesBounds) {
  EXPECT_EQ(TruncateLowerBound(Type::String(), "abcdef", 3), Value("abc"));
  EXPECT_EQ(*TruncateUpperBound(Type::String(), "abcdef", 3), Value("abd"));
  EXPECT_EQ(*TruncateUpperBound(Type::String(), "abc", 3), Value("abc"));
  EXPECT_EQ(*TruncateUpperBound(Type::String(), "a\U0010FFFFz", 2), Value("b"));
  EXPECT_FALSE(TruncateUpperBound(Type::String(), "\U0010FFFF\U0010FFFFz", 2));
  EXPECT_EQ(*TruncateUpperBound(Type::Binary(), Bytes{"a\xff\xff"}, 2), Value(Bytes{"b"}));
  EXPECT_EQ(*TruncateUpperBound(Type::String(), "\uD7FFx", 1), Value("\uE000"));
}

TEST(SingleValue, JsonGoesBothWays) {
  struct Case {
    Type type;
    Value value;
    const char* json;
  };
  Type list = Type::List(1, Type::Int(), false);
  for (const Case& c :
       {Case{Type::Decimal(9, 2), Decimal{1420, 2}, R"("14.20")"}, Case{Type::Double(), 1.0, "1.0"},
        Case{Type::Float(), 22.27F, "22.27"},
        Case{Type::Time(), int64_t{81068123456}, R"("22:31:08.123456")"},
        Case{Type::TimestampTz(), int64_t{1510871468123456},
             R"("2017-11-16T22:31:08.123456+00:00")"},
        Case{Type::Timestamp(), int64_t{1510871468000000}, R"("2017-11-16T22:31:08")"},
        Case{Type::Binary(), Bytes{std::string("\x00\x0f\xff", 3)}, R"("000FFF")"},
        Case{list, Value::Array({int32_t{1}, Value()}), "[1,null]"},
        Case{Type::Map(1, Type::String(), 2, Type::Int(), true),
             Value::Map({{Value("a"), Value(int32_t{1})}}), R"({"keys":["a"],"values":[1]})"},
        Case{Type::Struct({NestedField::Optional(3, "x", Type::Long())}),
             Value::Struct({int64_t{2}}), R"({"3":2})"}}) {
    EXPECT_EQ(ToJsonValue(c.type, c.value), c.json);
    auto back = FromJsonValue(c.type, c.json);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, c.value) << c.json;
  }
  EXPECT_EQ(FromJsonValue(Type::Int(), R"("x")").error().message,
            R"(Cannot parse default as a int value: "x")");
}

TEST(SingleValue, HumanStringsAreJavas) {
  EXPECT_EQ(HumanString(Type::Time(), int64_t{81060000000}), "22:31");
  EXPECT_EQ(HumanString(Type::TimestampTz(), int64_t{1510871468000001}),
            "2017-11-16T22:31:08.000001+00:00");
  EXPECT_EQ(HumanString(Type::Double(), 1e10), "1.0E10");
  EXPECT_EQ(HumanString(Type::Double(), 100.0), "100.0");
  EXPECT_EQ(HumanString(Type::Float(), 0.1F), "0.1");
  EXPECT_EQ(HumanString(Type::Double(), 1.25e-5), "1.25E-5");
}

}  // namespace
}  // namespace iceblink::spec
