// Credentials by prefix: who is asked for new ones, and when.
#include "io/catalog_file_system.h"

#include <gtest/gtest.h>

namespace iceblink::io {
namespace {

TEST(CatalogFileSystem, RenewsCredentialsShortlyBeforeTheyExpire) {
  ManualClock clock(0);
  CatalogFileSystem files({}, DefaultFileSystem(), clock);
  int renewals = 0;
  const int64_t expires_ms = 3'600'000;
  files.SetCredentials("s3://b/t/", {{"s3.access-key-id", "A"}},
                       CatalogFileSystem::Renewal{expires_ms, [&] { renewals++; }});
  // Whether the store can be opened does not matter here.
  const auto touch = [&](const char* path) { (void)files.Resolve(path); };
  touch("s3://b/t/data/1.parquet");
  EXPECT_EQ(renewals, 0);
  clock.AdvanceMillis(expires_ms - 200'000);
  touch("s3://b/other/1.parquet");
  touch("/local/file");
  EXPECT_EQ(renewals, 0);
  touch("s3://b/t/data/1.parquet");
  touch("s3://b/t/data/2.parquet");
  EXPECT_EQ(renewals, 1);  // and not again at once, should it have failed
  clock.AdvanceMillis(11'000);
  touch("s3://b/t/data/1.parquet");
  EXPECT_EQ(renewals, 2);
  files.SetCredentials("s3://b/t/", {{"s3.access-key-id", "B"}},
                       CatalogFileSystem::Renewal{2 * expires_ms, [&] { renewals++; }});
  clock.AdvanceMillis(11'000);
  touch("s3://b/t/data/1.parquet");
  EXPECT_EQ(renewals, 2);
}

}  // namespace
}  // namespace iceblink::io
