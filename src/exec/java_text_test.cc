// Numbers, dates and intervals as Java and Spark print and read them; decimals beyond 38 digits on
// the way.
#include "exec/java_text.h"

#include <gtest/gtest.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "exec/java_format.h"
#include "exec/wide_decimal.h"

namespace iceblink::exec {
namespace {

TEST(JavaTextTest, PrintsDoublesAsJava) {
  EXPECT_EQ(JavaDouble(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(JavaDouble(1e7), "1.0E7");
  EXPECT_EQ(JavaDouble(1234567.0), "1234567.0");
  EXPECT_EQ(JavaDouble(1e-3), "0.001");
  EXPECT_EQ(JavaDouble(1e-4), "1.0E-4");
  EXPECT_EQ(JavaDouble(-0.0), "-0.0");
  EXPECT_EQ(JavaFloat(0.1f), "0.1");
}

TEST(JavaTextTest, ReadsDatesWithMissingParts) {
  EXPECT_EQ(ParseSparkDate("2026"), DaysFromCivil({2026, 1, 1}));
  EXPECT_EQ(ParseSparkDate(" 2026-3 "), DaysFromCivil({2026, 3, 1}));
  EXPECT_EQ(ParseSparkDate("2026-01-02T03:04"), DaysFromCivil({2026, 1, 2}));
  EXPECT_FALSE(ParseSparkDate("2026-02-30"));
  EXPECT_FALSE(ParseSparkDate("26-02-03"));
  auto zoned = ParseSparkTimestamp("2026-01-02 03:04:05.5 Europe/Berlin");
  ASSERT_TRUE(zoned);
  EXPECT_EQ(zoned->zone, "Europe/Berlin");
}

TEST(JavaTextTest, IntervalsRoundTrip) {
  EXPECT_EQ(SparkInterval(14, true, 0, 1), "INTERVAL '1-2' YEAR TO MONTH");
  EXPECT_EQ(ParseYearMonth("INTERVAL '1-2' YEAR TO MONTH", 0, 1), 14);
  int64_t micros = 93784500000;
  EXPECT_EQ(SparkInterval(micros, false, 2, 5), "INTERVAL '1 02:03:04.5' DAY TO SECOND");
  EXPECT_EQ(ParseDayTime("1 02:03:04.5", 2, 5), micros);
  EXPECT_EQ(ParseDayTime("-1 02:03:04.5", 2, 5), -micros);
  EXPECT_FALSE(ParseYearMonth("1-12", 0, 1));
}

TEST(JavaFormatTest, FormatsAndParses) {
  int64_t at = DaysFromCivil({2026, 8, 9}) * kMicrosPerDay + 11045006000;  // 03:04:05.006
  EXPECT_EQ(FormatJava("yyyy-MM-dd HH:mm:ss.SSS", at, 0, "UTC"), "2026-08-09 03:04:05.006");
  EXPECT_EQ(FormatJava("E, d MMM yyyy h:mm a", at, 0, "UTC"), "Sun, 9 Aug 2026 3:04 AM");
  EXPECT_EQ(FormatJava("yyyy'T'HH XXX", at, 3600, "Europe/Berlin"), "2026T03 +01:00");
  EXPECT_FALSE(FormatJava("w", at, 0, "UTC"));
  JavaParse parsed = ParseJava("dd/MM/yyyy", "09/08/2026");
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.local_micros, DaysFromCivil({2026, 8, 9}) * kMicrosPerDay);
  EXPECT_EQ(ParseJava("dd-MM-yyyy", "01/02/2026").error_index, 2u);
}

TEST(WideDecimalTest, RoundsHalfUpBeyond128Bits) {
  EXPECT_EQ(*DecimalDivide({100, 2}, {300, 2}, 13).unscaled, Int128{3333333333333});
  EXPECT_EQ(*DecimalDivide({-1, 0}, {8, 0}, 2).unscaled, Int128{-13});
  Int128 nines = PowerOfTen(38) - 1;
  WideResult product = DecimalMultiply({nines, 0}, {10, 0}, 0);
  EXPECT_FALSE(product.unscaled);
  EXPECT_EQ(product.text, "999999999999999999999999999999999999990");
  EXPECT_EQ(*DecimalMultiply({nines, 20}, {nines, 20}, 0).unscaled, PowerOfTen(36));
}

}  // namespace
}  // namespace iceblink::exec
