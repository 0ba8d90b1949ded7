#include "engine/table_selection.h"

#include <gtest/gtest.h>

#include "engine/configuration.h"
#include "engine/table_description.h"

namespace iceblink::engine {
namespace {

TEST(Selector, TakesOnlyWholePatterns) {
  EXPECT_EQ(ParseSelector("branch_audit")->name, "audit");
  EXPECT_EQ(ParseSelector("tag_v1")->kind, Selector::Kind::kTag);
  EXPECT_EQ(ParseSelector("snapshot_id_42")->number, 42);
  EXPECT_EQ(ParseSelector("at_timestamp_1700000000000")->kind, Selector::Kind::kTimestamp);
  EXPECT_EQ(ParseSelector("FILES")->kind, Selector::Kind::kMetadataTable);
  EXPECT_EQ(ParseSelector("Changes")->kind, Selector::Kind::kChanges);
  EXPECT_FALSE(ParseSelector("snapshot_id_x"));
  EXPECT_FALSE(ParseSelector("snapshot_id_-1"));
  EXPECT_FALSE(ParseSelector("Branch_audit"));
  EXPECT_FALSE(ParseSelector("orders"));
}

TEST(Configuration, ResetReturnsToTheInitialValue) {
  Configuration conf(Settings{{"spark.a", "1"}});
  ASSERT_TRUE(conf.Set("spark.a", "2"));
  ASSERT_TRUE(conf.Set("spark.b", "3"));
  ASSERT_TRUE(conf.Reset("spark.a"));
  EXPECT_EQ(conf.Get("spark.a"), "1");
  conf.ResetAll();
  EXPECT_FALSE(conf.IsSet("spark.b"));
  EXPECT_EQ(conf.Get("spark.sql.sources.partitionOverwriteMode"), "STATIC");
  EXPECT_FALSE(conf.Set("spark.sql.sources.partitionOverwriteMode", "sometimes"));
  EXPECT_FALSE(conf.Set("spark.sql.session.timeZone", "Mars/Olympus"));
}

TEST(ShowPattern, StarsAndAlternatives) {
  EXPECT_TRUE(MatchesShowPattern("Orders", "ord*"));
  EXPECT_TRUE(MatchesShowPattern("orders", "x|*ers"));
  EXPECT_TRUE(MatchesShowPattern("orders", "o*d*s"));
  EXPECT_FALSE(MatchesShowPattern("orders", "ord"));
  EXPECT_FALSE(MatchesShowPattern("orders", "*z*"));
}

}  // namespace
}  // namespace iceblink::engine
