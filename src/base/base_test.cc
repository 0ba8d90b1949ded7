// Golden values come from the Iceberg specification (hashes) and from java.time, BigDecimal and
// URLEncoder.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/datetime.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/murmur3.h"
#include "base/strings.h"
#include "base/thread_pool.h"
#include "base/uuid.h"

namespace iceblink {
namespace {

TEST(Strings, SplitsAndTrims) {
  EXPECT_EQ(Split("a..b", '.'), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(Split("", '.'), std::vector<std::string>{""});
  EXPECT_EQ(SplitTrimmed(" a , ,b", ','), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Trim(" \t x y\n"), "x y");
  EXPECT_EQ(Join(std::vector<std::string>{"a", "b"}, "."), "a.b");
  EXPECT_EQ(ReplaceAll("a`b`", "`", "``"), "a``b``");
}

TEST(Strings, FoldsCaseBeyondAscii) {
  EXPECT_TRUE(EqualsIgnoreCase("ÄPFEL", "äpfel"));
  EXPECT_FALSE(EqualsIgnoreCase("a", "ä"));
}

TEST(Strings, ParsesWholeNumbersOnly) {
  EXPECT_EQ(ParseInt64("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseInt64("+7"), 7);
  for (const char* bad : {"", "+", "+-1", "1 ", " 1", "9223372036854775808", "0x1"})
    EXPECT_FALSE(ParseInt64(bad)) << bad;
  EXPECT_EQ(ParseDouble("1e3"), 1000.0);
  for (const char* bad : {"", "inf", "nan", "1x", "0x10"}) EXPECT_FALSE(ParseDouble(bad)) << bad;
}

TEST(Strings, EncodesFormUrlAsJava) {
  EXPECT_EQ(FormUrlEncode("a b/c=é*-._~"), "a+b%2Fc%3D%C3%A9*-._%7E");
  EXPECT_EQ(FormUrlDecode("a+b%2Fc%zz%"), "a b/c%zz%");
}

TEST(Strings, KnowsCodePoints) {
  EXPECT_EQ(CodePointCount("iceβ🧊"), 5u);
  EXPECT_EQ(CodePointPrefix("🧊ice", 2), "🧊i");
  EXPECT_TRUE(IsValidUtf8("🧊"));
  EXPECT_FALSE(IsValidUtf8("\xc0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xed\xa0\x80"));
}

TEST(Strings, RanksNearNames) {
  EXPECT_EQ(LevenshteinDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(OrderBySimilarity("nme", {"other", "name", "names"}),
            (std::vector<std::string>{"name", "names", "other"}));
  EXPECT_EQ(NearName("adit", {"audit", "main"}), "audit");
  EXPECT_EQ(NearName("Audit", {"audit"}), "audit");
  EXPECT_FALSE(NearName("audit", {"audit", "audits"}));
  EXPECT_FALSE(NearName("feature", {"main"}));
}

TEST(DateTime, ConvertsCivilDatesBothWays) {
  EXPECT_EQ(DaysFromCivil({2017, 11, 16}), 17486);
  EXPECT_EQ(DaysFromCivil({1969, 12, 31}), -1);
  for (int64_t days : {-100000000LL, -719528LL, -1LL, 0LL, 11016LL, 100000000LL}) {
    EXPECT_EQ(DaysFromCivil(CivilFromDays(days)), days);
  }
  EXPECT_EQ(MonthsFromDays(-1), -1);
  EXPECT_EQ(YearsFromDays(-1), -1);
}

TEST(DateTime, FormatsAsJava) {
  EXPECT_EQ(FormatDate(17486), "2017-11-16");
  EXPECT_EQ(FormatDate(DaysFromCivil({10000, 1, 1})), "+10000-01-01");
  EXPECT_EQ(FormatDate(DaysFromCivil({-1, 3, 1})), "-0001-03-01");
  EXPECT_EQ(FormatTimestamp(1510871468000001), "2017-11-16T22:31:08.000001");
  EXPECT_EQ(FormatTimestamp(1510871468100000, "+00:00"), "2017-11-16T22:31:08.1+00:00");
  EXPECT_EQ(FormatTimestamp(-1), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(FormatTimestampNanos(1510871468000001001), "2017-11-16T22:31:08.000001001");
  EXPECT_EQ(FormatTimeShort(36775038000), "10:12:55.038");
  EXPECT_EQ(FormatTimeShort(36720000000), "10:12");
  EXPECT_EQ(FormatTime(36720000000), "10:12:00");
  EXPECT_EQ(HumanMonth(-1), "1969-12");
  EXPECT_EQ(HumanHour(420034), "2017-12-01-10");
  EXPECT_NO_FATAL_FAILURE(FormatTimestamp(std::numeric_limits<int64_t>::min()));
}

TEST(DateTime, ParsesIsoTexts) {
  EXPECT_EQ(ParseDate("2017-11-16").value(), 17486);
  EXPECT_EQ(ParseDate("+10000-01-01").value(), DaysFromCivil({10000, 1, 1}));
  EXPECT_EQ(ParseTime("22:31:08.5").value(), 81068500000);
  EXPECT_EQ(ParseTimestamp("2017-11-16T14:31:08-08:00").value().ToMicros(), 1510871468000000);
  EXPECT_EQ(ParseTimestamp("2017-11-16 22:31:08.000001001Z").value().ToNanos(),
            1510871468000001001);
  EXPECT_FALSE(ParseTimestamp("2017-11-16T22:31:08").value().offset_seconds);
  EXPECT_FALSE(ParseTimestamp("+999999999-01-01T00:00").value().ToNanos());
  for (const char* bad : {"2017-02-29", "2017-13-01", "17-01-01", "2017-01-01x", "", "2017-1-1"}) {
    EXPECT_FALSE(ParseDate(bad)) << bad;
  }
  EXPECT_EQ(ParseDate("2017-02-29").error().message,
            "Text '2017-02-29' could not be parsed at index 8");
}

TEST(Decimals, PrintsAsBigDecimal) {
  EXPECT_EQ(DecimalToString({1420, 2}), "14.20");
  EXPECT_EQ(DecimalToString({5, -2}), "5E+2");
  EXPECT_EQ(DecimalToString({1, 7}), "1E-7");
  EXPECT_EQ(DecimalToString({-1, 6}), "-0.000001");
  EXPECT_EQ(DecimalToPlainString({-5, 3}), "-0.005");
  EXPECT_EQ(DecimalToPlainString({5, -2}), "500");
}

TEST(Decimals, ParsesAndRejects) {
  EXPECT_EQ(ParseDecimal("-14.20").value(), (Decimal{-1420, 2}));
  EXPECT_EQ(ParseDecimal("1.5E3").value(), (Decimal{15, -2}));
  for (const char* bad : {"", ".", "1.2.3", "1e", "--1", "1e9999999999"})
    EXPECT_FALSE(ParseDecimal(bad)) << bad;
}

TEST(Decimals, HasMinimalBytes) {
  for (const Int128 v : {Int128{0}, Int128{127}, Int128{128}, Int128{-128}, Int128{-129},
                         -PowerOfTen(38), PowerOfTen(38)}) {
    EXPECT_TRUE(Int128FromBytes(Int128ToMinimalBytes(v)) == v);
  }
  EXPECT_EQ(Int128ToMinimalBytes(128), std::string("\0\x80", 2));
  EXPECT_EQ(Int128ToMinimalBytes(-128), "\x80");
  EXPECT_EQ(DecimalRequiredBytes(9), 4);
  EXPECT_EQ(DecimalRequiredBytes(18), 8);
  EXPECT_EQ(DecimalRequiredBytes(38), 16);
}

TEST(Decimals, RescalesWithRounding) {
  EXPECT_EQ(Rescale({-15, 1}, 0, Rounding::kHalfUp), (Decimal{-2, 0}));
  EXPECT_EQ(Rescale({-15, 1}, 0, Rounding::kFloor), (Decimal{-2, 0}));
  EXPECT_EQ(Rescale({15, 1}, 3, Rounding::kUnnecessary), (Decimal{1500, 3}));
  EXPECT_FALSE(Rescale({15, 1}, 0, Rounding::kUnnecessary));
  EXPECT_FALSE(Rescale({PowerOfTen(37), 0}, 10, Rounding::kDown));
  EXPECT_EQ(DecimalPrecision(999), 3);
  EXPECT_EQ(DecimalPrecision(1000), 4);
  EXPECT_EQ(CompareDecimals({PowerOfTen(37), 0}, {1, 30}), 1);
  EXPECT_EQ(CompareDecimals({10, 1}, {100, 2}), 0);
}

TEST(Hash, MatchesTheSpecification) {
  EXPECT_EQ(Murmur3Long(34), 2017239379);
  EXPECT_EQ(Murmur3("iceberg"), 1210000089);
  EXPECT_EQ(Murmur3(std::string("\0\1\2\3", 4)), -188683207);
  EXPECT_EQ(Murmur3(Int128ToMinimalBytes(1420)), -500754589);
  EXPECT_EQ(Murmur3(Uuid::Parse("f79c3e09-677c-4bbd-a479-3f349cb785e7")->ToBytes()), 1488055340);
}

TEST(Ids, AreRandomAndWellFormed) {
  const std::string text = NewUuid();
  EXPECT_EQ(text[14], '4');
  EXPECT_EQ(Uuid::Parse(text)->ToString(), text);
  EXPECT_FALSE(Uuid::Parse("f79c3e09-677c-4bbd-a479-3f349cb785eg"));
  EXPECT_GT(NewSnapshotId(), 0);
}

TEST(Bytes, KeepsByteOrder) {
  std::string out;
  PutBigEndian<int32_t>(-2, out);
  PutLittleEndian<int64_t>(7, out);
  EXPECT_EQ(GetBigEndian<int32_t>(out.data()), -2);
  EXPECT_EQ(GetLittleEndian<int64_t>(out.data() + 4), 7);
}

TEST(Base64, EncodesBothAlphabets) {
  EXPECT_EQ(Base64Encode("\xfb\xff"), "+/8=");
  EXPECT_EQ(Base64UrlEncode("\xfb\xff"), "-_8");
  EXPECT_EQ(Base64Decode("-_8"), "\xfb\xff");
  EXPECT_FALSE(Base64Decode("a"));
  EXPECT_FALSE(Base64Decode("a b="));
}

TEST(JsonText, NamesTheFieldInErrors) {
  const Json json = ParseJson(R"({"a":1,"b":"x","n":null,"big":5000000000})").value();
  EXPECT_EQ(json::GetLong(json, "a").value(), 1);
  EXPECT_EQ(json::GetLong(json, "c").error().message, "Cannot parse missing long: c");
  EXPECT_EQ(json::GetLong(json, "b").error().message, "Cannot parse to a long value: b: \"x\"");
  EXPECT_FALSE(json::GetInt(json, "big"));
  EXPECT_EQ(json::FindString(json, "n").value(), std::nullopt);
}

TEST(JsonText, SurvivesHostileInput) {
  EXPECT_EQ(ParseJson(std::string(100000, '['), "f.json").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(ParseJson("{\"a\":", "f.json").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(ParseJson("\"\xff\"").error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(ParseJson("\"[[\\\"[\""));
}

TEST(ThreadPool, RunsEveryIndexOnceEvenNested) {
  ThreadPool pool(3);
  std::atomic<int> sum = 0;
  const Status status = pool.ParallelFor(10, [&](size_t i) {
    return pool.ParallelFor(10, [&, i](size_t j) -> Status {
      sum += static_cast<int>(i * 10 + j);
      return {};
    });
  });
  EXPECT_TRUE(status);
  EXPECT_EQ(sum, 4950);
}

TEST(ThreadPool, ReturnsTheLowestError) {
  ThreadPool pool(2);
  const Status status = pool.ParallelFor(100, [](size_t i) -> Status {
    if (i == 3) return Fail(ErrorCode::kIo, "three");
    return {};
  });
  EXPECT_EQ(status.error().message, "three");
}

}  // namespace
}  // namespace iceblink
