// Files over object stores: how many requests they cost, uploads in parts, properties, answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "base/uuid.h"
#include "io/catalog_file_system.h"
#include "io/cloud_options.h"
#include "io/create_once.h"
#include "io/object_file_system.h"
#include "io/s3_options.h"

namespace iceblink::io {
namespace {

Error Gone() { return Error::Make(ErrorCode::kNotFound, "gone", "NotFoundException"); }

// Objects in memory, requests counted.
class FakeStore final : public ObjectStore {
 public:
  Result<int64_t> Size(const ObjectName& name) override {
    sizes++;
    if (!objects.contains(name.key)) return Fail(Gone());
    return static_cast<int64_t>(objects[name.key].size());
  }
  Status Read(const ObjectName& name, int64_t, int64_t offset, size_t count, char* out) override {
    reads++;
    if (!objects.contains(name.key)) return Fail(Gone());
    const std::string& object = objects[name.key];
    if (static_cast<size_t>(offset) + count > object.size())
      return Fail(ErrorCode::kCorrupt, "short");
    std::memcpy(out, object.data() + offset, count);
    return {};
  }
  Result<ObjectStart> ReadStart(const ObjectName& name, size_t most) override {
    starts++;
    if (!objects.contains(name.key)) return Fail(Gone());
    const std::string& object = objects[name.key];
    return ObjectStart{object.substr(0, most), static_cast<int64_t>(object.size())};
  }
  Result<std::unique_ptr<ObjectWriter>> Create(const ObjectName& name, WriteMode mode) override {
    return std::make_unique<Writer>(*this, name.key, mode);
  }
  Status Delete(const ObjectName& name) override {
    if (name.key == undeletable) return Fail(ErrorCode::kForbidden, "kept");
    const std::lock_guard lock(mutex);
    objects.erase(name.key);
    return {};
  }
  Result<ObjectInfo> Stat(const ObjectName&) override { return Fail(Gone()); }
  Status List(const ObjectName& folder, bool,
              const std::function<Status(const ObjectInfo&)>& visit) override {
    RETURN_IF_ERROR(visit({folder.key + "sub", 0, 0, true}));
    return visit({folder.key + "x", 7, 8, false});
  }
  Status CreateFolder(const ObjectName&) override { return {}; }
  Status DeleteFolder(const ObjectName&) override { return {}; }
  Result<S3Access> Access(const std::string&) override { return access; }

  struct Writer final : ObjectWriter {
    Writer(FakeStore& store, std::string key, WriteMode mode)
        : store(store), key(std::move(key)), mode(mode) {}
    Status Append(std::string_view more) override {
      bytes += more;
      return {};
    }
    Status Close() override {
      if (mode == WriteMode::kCreateNew && store.objects.contains(key))
        return Fail(ErrorCode::kAlreadyExists, "there", "AlreadyExistsException");
      store.objects[key] = bytes;
      return {};
    }
    FakeStore& store;
    std::string key, bytes;
    WriteMode mode;
  };

  std::mutex mutex;
  std::map<std::string, std::string> objects;
  std::atomic<int> sizes = 0, reads = 0, starts = 0;
  std::string undeletable;
  S3Access access;
};

class ObjectFileSystemTest : public testing::Test {
 protected:
  std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
  ObjectFileSystem files_{store_};
};

std::string Bytes(size_t count) {
  std::string out(count, '\0');
  for (size_t i = 0; i < count; i++) out[i] = static_cast<char>(i * 131 + i / 251);
  return out;
}

TEST_F(ObjectFileSystemTest, ReadsASmallFileInOneRequest) {
  store_->objects["m/v1.json"] = Bytes(1000);
  EXPECT_EQ(files_.ReadAll("s3://b/m/v1.json").value(), Bytes(1000));
  EXPECT_EQ(store_->starts, 1);
  EXPECT_EQ(store_->sizes + store_->reads, 0);
}

TEST_F(ObjectFileSystemTest, FootersComeWithTheFirstRead) {
  const std::string data = Bytes(3 << 20);
  store_->objects["d.parquet"] = data;
  const auto file = files_.OpenRead("s3://b/d.parquet").value();
  EXPECT_EQ(file->size(), 3 << 20);
  std::string tail(60'000, '\0');
  ASSERT_TRUE(file->ReadAt(file->size() - 60'000, tail.size(), tail.data()));
  EXPECT_EQ(tail, data.substr(data.size() - 60'000));
  EXPECT_EQ(store_->sizes + store_->reads, 2);
  std::string across(500'000, '\0');
  ASSERT_TRUE(file->ReadAt(file->size() - 500'000, across.size(), across.data()));
  EXPECT_EQ(across, data.substr(data.size() - 500'000));
  EXPECT_EQ(store_->reads, 2);
}

TEST_F(ObjectFileSystemTest, KnownSizesCostNothingAndFootersAreKept) {
  const std::string data = Bytes(2 << 20);
  store_->objects["d.parquet"] = data;
  for (int i = 0; i < 2; i++) {
    const auto file = files_.OpenSized("s3://b/d.parquet", 2 << 20).value();
    EXPECT_EQ(store_->reads, i);
    char last[8];
    ASSERT_TRUE(file->ReadAt((2 << 20) - 8, 8, last));
    ASSERT_TRUE(file->ReadAt((2 << 20) - 100, 8, last));
    EXPECT_EQ(store_->reads, 1);
  }
  const auto wrong = files_.OpenSized("s3://b/d.parquet", (2 << 20) + 5).value();
  char last[8];
  EXPECT_EQ(wrong->ReadAt((2 << 20) - 3, 8, last).error().exception, "EOFException");
  EXPECT_EQ(files_.OpenSized("s3://b/x", 100).value()->ReadAt(0, 8, last).error().message,
            "Failed to open input stream for file: s3://b/x");
}

TEST_F(ObjectFileSystemTest, LargeReadsGoOutInPieces) {
  const std::string data = Bytes(20 << 20);
  store_->objects["d.bin"] = data;
  EXPECT_EQ(files_.ReadAll("s3://b/d.bin").value(), data);
  EXPECT_EQ(store_->starts + store_->reads, 4);  // a mebibyte, then nineteen in three
}

TEST_F(ObjectFileSystemTest, FilesAppearWithClose) {
  const auto file = files_.Create("s3://b/d", WriteMode::kReplace).value();
  ASSERT_TRUE(file->Append("ab") && file->Append("c"));
  EXPECT_FALSE(store_->objects.contains("d"));
  EXPECT_EQ(file->position(), 3);
  ASSERT_TRUE(file->Close());
  EXPECT_EQ(store_->objects["d"], "abc");
  EXPECT_EQ(files_.WriteAll("s3://b/d", "x", WriteMode::kCreateNew).error().message,
            "File already exists: s3://b/d");
}

TEST_F(ObjectFileSystemTest, ListsWithTheLocationsOwnScheme) {
  std::vector<std::string> seen;
  ASSERT_TRUE(files_.List("s3a://b/t/", false, [&](const FileInfo& info) -> Status {
    seen.push_back(info.path + (info.is_directory ? "/" : ""));
    return {};
  }));
  EXPECT_THAT(seen, testing::ElementsAre("s3a://b/t/sub/", "s3a://b/t/x"));
}

TEST_F(ObjectFileSystemTest, DeletesManyAndSaysWhichStay) {
  for (int i = 0; i < 100; i++) store_->objects[std::to_string(i)] = "x";
  store_->undeletable = "7";
  std::vector<std::string> paths, stay;
  for (int i = 0; i < 120; i++) paths.push_back("s3://b/" + std::to_string(i));
  const auto failed = [&](const std::string& path, const Error&) { stay.push_back(path); };
  EXPECT_EQ(files_.DeleteMany(paths, failed), 119u);
  EXPECT_THAT(stay, testing::ElementsAre("s3://b/7"));
  EXPECT_EQ(store_->objects.size(), 1u);
}

TEST_F(ObjectFileSystemTest, NeedsABucket) {
  EXPECT_EQ(files_.ReadAll("s3:///k").error().exception, "ValidationException");
  EXPECT_EQ(ParseObjectLocation("s3://b/a b/%20?#")->key, "a b/%20?#");
}

std::optional<std::string> NoEnvironment(const std::string&) { return std::nullopt; }

TEST(S3Options, ReadsIcebergsNamesBeforeHadoops) {
  const auto options = ParseS3Options({{"s3.endpoint", "http://localhost:9000/"},
                                       {"hadoop.fs.s3a.endpoint", "other:1"},
                                       {"spark.hadoop.fs.s3a.path.style.access", "true"},
                                       {"fs.s3a.access.key", "A"},
                                       {"fs.s3a.secret.key", "S"},
                                       {"client.region", "eu-west-1"},
                                       {"s3.acl", "bucket-owner-full-control"},
                                       {"s3.retry.num-retries", "7"}},
                                      NoEnvironment);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->endpoint, "http://localhost:9000");
  EXPECT_FALSE(options->virtual_host);
  EXPECT_EQ(options->credentials, (AwsCredentials{"A", "S", ""}));
  EXPECT_EQ(options->region, "eu-west-1");
  EXPECT_EQ(options->acl, "bucket-owner-full-control");
  EXPECT_EQ(options->retries, 7);
}

TEST(S3Options, HadoopsEndpointHasNoSchemeAndMayBeAnonymous) {
  const auto options =
      ParseS3Options({{"fs.s3a.endpoint", "localhost:9000"},
                      {"fs.s3a.connection.ssl.enabled", "false"},
                      {"fs.s3a.path.style.access", "false"},
                      {"fs.s3a.aws.credentials.provider",
                       "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"}},
                     NoEnvironment);
  EXPECT_EQ(options->endpoint, "http://localhost:9000");
  EXPECT_TRUE(options->virtual_host);
  EXPECT_TRUE(options->anonymous);
}

TEST(S3Options, TheEnvironmentSaysWhereAndKeysStayTogether) {
  const EnvironmentLookup environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "AWS_ACCESS_KEY_ID") return "E";  // for the chain of the SDK
    if (name == "AWS_ENDPOINT_URL_S3") return "http://e:1";
    if (name == "AWS_REGION") return "us-west-2";
    return std::nullopt;
  };
  EXPECT_EQ(ParseS3Options({}, environment)->credentials, AwsCredentials());
  EXPECT_EQ(ParseS3Options({}, environment)->endpoint, "http://e:1");
  EXPECT_EQ(ParseS3Options({}, environment)->region, "us-west-2");
  EXPECT_EQ(ParseS3Options({{"s3.access-key-id", "A"}}, environment).error().exception,
            "ValidationException");
  EXPECT_EQ(ParseS3Options({{"s3.path-style-access", "maybe"}}, environment).error().message,
            "Invalid value of s3.path-style-access: maybe");
}

TEST(S3Options, RefusesWhatItCannotHeed) {
  EXPECT_EQ(ParseS3Options({{"s3.sse.type", "kms"}}, NoEnvironment).error().code,
            ErrorCode::kUnsupported);
  EXPECT_EQ(ParseS3Options({{"s3.remote-signing-enabled", "true"}}, NoEnvironment).error().message,
            "Unsupported: s3.remote-signing-enabled. Instead, let the catalog vend credentials, "
            "which it is asked for with every table, or set s3.access-key-id and "
            "s3.secret-access-key");
  EXPECT_TRUE(ParseS3Options({{"s3.remote-signing-enabled", "true"},
                              {"s3.access-key-id", "A"},
                              {"s3.secret-access-key", "S"}},
                             NoEnvironment));
  EXPECT_TRUE(ParseS3Options({{"s3.remote-signing-enabled", "false"}}, NoEnvironment));
}

TEST(CloudOptions, ReadGoogleAndAzure) {
  const auto gcs = ParseGcsOptions({{"gcs.service.host", "http://localhost:4443/"},
                                    {"gcs.oauth2.token", "T"},
                                    {"gcs.oauth2.token-expires-at", "1700000000000"}},
                                   NoEnvironment);
  ASSERT_TRUE(gcs);
  EXPECT_EQ(*gcs, (GcsOptions{"http://localhost:4443", false, "T", 1'700'000'000'000, ""}));
  const auto azure = ParseAzureOptions({{"adls.auth.shared-key.account.name", "a"},
                                        {"adls.auth.shared-key.account.key", "K"},
                                        {"hadoop.fs.azure.account.key.b.dfs.core.windows.net", "L"},
                                        {"adls.sas-token.c.dfs.core.windows.net", "S"}},
                                       NoEnvironment);
  ASSERT_TRUE(azure);
  EXPECT_THAT(azure->account_keys,
              testing::ElementsAre(testing::Pair("a", "K"), testing::Pair("b", "L")));
  EXPECT_THAT(azure->sas_tokens, testing::ElementsAre(testing::Pair("c", "S")));
}

TEST(CatalogFileSystem, TheLongestPrefixDecides) {
  CatalogFileSystem files(FileSystemProperties{{"s3.endpoint", "http://localhost:1"}});
  files.SetCredentials("s3://b/db/t", {{"s3.access-key-id", "A"}, {"s3.secret-access-key", "S"}});
  files.SetCredentials("s3://b/db/t2", {{"s3.access-key-id", "B"}, {"s3.secret-access-key", "S"}});
  FileSystem* t = files.Resolve("s3://b/db/t/x").value();
  FileSystem* t2 = files.Resolve("s3a://b/db/t2/x").value();
  EXPECT_NE(t, files.Resolve("s3://b/db/t2/x").value());
  EXPECT_EQ(t2, files.Resolve("s3n://b/other").value());  // another scheme, the catalog's own
  files.SetCredentials("s3://b/db/t", {{"s3.access-key-id", "A"}, {"s3.secret-access-key", "S"}});
  EXPECT_EQ(t, files.Resolve("s3://b/db/t/y").value());
  files.SetCredentials("s3://b/db/t", {{"s3.access-key-id", "C"}, {"s3.secret-access-key", "S"}});
  EXPECT_NE(t, files.Resolve("s3://b/db/t/y").value());
}

// Against a real store: "s3://bucket" in ICEBLINK_TEST_S3, reached as AWS_* variables say.
TEST(S3Store, UploadsAndReadsInParts) {
  const char* bucket = std::getenv("ICEBLINK_TEST_S3");
  if (bucket == nullptr) GTEST_SKIP() << "ICEBLINK_TEST_S3 is not set";
  CatalogFileSystem files(FileSystemProperties{});
  const std::string root = std::string(bucket) + "/" + NewUuid() + "/a b=1/%20é+";
  const std::string data = Bytes(23 << 20);
  ASSERT_TRUE(files.WriteAll(root + "/x.parquet", data, WriteMode::kCreateNew));
  EXPECT_EQ(files.WriteAll(root + "/x.parquet", data + "y", WriteMode::kCreateNew).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(files.ReadAll(root + "/x.parquet").value(), data);
  // A size that metadata states wrongly is found out, at any length of the read.
  const auto longer = files.OpenSized(root + "/x.parquet", (23 << 20) + 20).value();
  std::string end(40, '\0');
  EXPECT_EQ(longer->ReadAt(23 << 20, 5, end.data()).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(longer->ReadAt((23 << 20) - 20, 40, end.data()).error().code, ErrorCode::kCorrupt);
  {
    const auto lost = files.Create(root + "/lost", WriteMode::kReplace).value();
    ASSERT_TRUE(lost->Append(data));
  }
  EXPECT_EQ(files.ReadAll(root + "/lost").error().message,
            "Failed to open input stream for file: " + root + "/lost");
  ASSERT_TRUE(files.WriteAll(root + "/empty", "", WriteMode::kCreateNew));
  EXPECT_EQ(files.ReadAll(root + "/empty").value(), "");
  EXPECT_EQ(files.DeleteMany({root + "/empty", root + "/nosuch"}, {}), 2u);
  std::vector<std::string> names;
  ASSERT_TRUE(files.List(root, true, [&](const FileInfo& info) -> Status {
    names.push_back(info.path);
    return {};
  }));
  EXPECT_EQ(names, std::vector<std::string>{root + "/x.parquet"});
  EXPECT_EQ(files.DeleteMany({root + "/x.parquet"}, {}), 1u);
  EXPECT_FALSE(files.Exists(root + "/x.parquet").value());
  ASSERT_TRUE(files.CreateDirectory(root + "/folder"));
  EXPECT_TRUE(files.Stat(root + "/folder").value().is_directory);
  ASSERT_TRUE(files.DeleteDirectory(root));
  EXPECT_FALSE(files.Exists(root).value());
  CatalogFileSystem stranger(
      FileSystemProperties{{"s3.access-key-id", "nobody"}, {"s3.secret-access-key", "secret"}});
  const auto refused = stranger.ReadAll(root + "/x.parquet");
  const std::string shown = refused ? std::string() : refused.error().message;
  EXPECT_EQ(shown.find("secret"), std::string::npos) << shown;
}

// ---- requests of our own to S3
// ------------------------------------------------------------------------------------------------

TEST(S3RequestTest, AddressesBucketsByPathOrHost) {
  S3Access access{"http://localhost:80", false, "us-east-1", {}};
  EXPECT_EQ(S3Request(access, "PUT", {"b", "a b/ü=1.json"}, {}, "x", 0).url,
            "http://localhost:80/b/a%20b/%C3%BC%3D1.json");
  access.endpoint = "https://s3.eu-west-1.amazonaws.com";
  access.bucket_in_host = true;
  const HttpRequest request =
      S3Request(access, "PUT", {"b", "k"}, {{"If-None-Match", "*"}}, "x", 0);
  EXPECT_EQ(request.url, "https://b.s3.eu-west-1.amazonaws.com/k");
  EXPECT_EQ(request.headers,
            (HeaderList{{"If-None-Match", "*"}, {"Host", "b.s3.eu-west-1.amazonaws.com"}}));
}

TEST(S3RequestTest, SignsWhatGoesOut) {
  const S3Access access{"http://localhost:80", false, "eu-west-1", {"AK", "secret", "token"}};
  const HttpRequest request =
      S3Request(access, "PUT", {"b", "a=1/k"}, {{"If-None-Match", "*"}}, "x", 1'700'000'000'000);
  SigV4Verification check;
  check.secret_of = [](std::string_view) { return "secret"; };
  check.service = "s3";
  check.now_ms = 1'700'000'000'000;
  const auto identity = VerifySigV4({"PUT", "/b/a%3D1/k", "", request.headers}, "x", check);
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ(identity->region, "eu-west-1");
  EXPECT_EQ(identity->session_token, "token");
}

}  // namespace
}  // namespace iceblink::io
