// Files over object stores: how many requests they cost, uploads in parts, properties, answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "base/uuid.h"
#include "io/catalog_file_system.h"
#include "io/object_file_system.h"
#include "io/s3_options.h"
#include "io/xml.h"

namespace iceblink::io {
namespace {

// Objects in memory, requests counted.
class FakeStore final : public ObjectStore {
 public:
  Result<ObjectInfo> Head(const ObjectName& name) override {
    heads++;
    if (!objects.contains(name.key)) return Fail(ErrorCode::kNotFound, "gone", "NotFoundException");
    return ObjectInfo{name.key, static_cast<int64_t>(objects[name.key].size())};
  }
  Result<ObjectRange> Get(const ObjectName& name, int64_t offset, int64_t count) override {
    gets++;
    if (!objects.contains(name.key)) return Fail(ErrorCode::kNotFound, "gone", "NotFoundException");
    const std::string& object = objects[name.key];
    const auto size = static_cast<int64_t>(object.size());
    if (offset < 0) offset = std::max<int64_t>(0, size + offset);
    return ObjectRange{object.substr(static_cast<size_t>(offset), static_cast<size_t>(count)),
                       size};
  }
  Status Put(const ObjectName& name, std::string_view bytes, WriteMode mode) override {
    puts++;
    if (mode == WriteMode::kCreateNew && objects.contains(name.key))
      return Fail(ErrorCode::kAlreadyExists, "there", "AlreadyExistsException");
    objects[name.key] = bytes;
    return {};
  }
  Result<std::unique_ptr<MultipartUpload>> StartUpload(const ObjectName& name, WriteMode) override {
    return std::make_unique<Upload>(*this, name.key);
  }
  Status Delete(const ObjectName& name) override {
    objects.erase(name.key);
    return {};
  }
  void DeleteMany(const std::string&, const std::vector<std::string>& keys,
                  const std::function<void(const std::string&, const Error&)>&) override {
    for (const std::string& key : keys) objects.erase(key);
  }
  Status List(const std::string&, const std::string&, bool, int,
              const std::function<Status(const ObjectInfo&)>&) override {
    lists++;
    return {};
  }
  int64_t part_size() const override { return 10; }
  int64_t multipart_threshold() const override { return 15; }

  struct Upload final : MultipartUpload {
    Upload(FakeStore& store, std::string key) : store(store), key(std::move(key)) {}
    Status Put(int number, std::string_view bytes) override {
      const std::lock_guard lock(store.mutex);
      if (number == store.failing_part) return Fail(ErrorCode::kIo, "part lost");
      parts[number] = bytes;
      return {};
    }
    Status Complete() override {
      for (const auto& [number, bytes] : parts) store.objects[key] += bytes;
      return {};
    }
    void Abort() override { store.aborts++; }
    FakeStore& store;
    std::string key;
    std::map<int, std::string> parts;
  };

  std::mutex mutex;
  std::map<std::string, std::string> objects;
  std::atomic<int> heads = 0, gets = 0, puts = 0, lists = 0, aborts = 0;
  int failing_part = 0;
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
  EXPECT_EQ(store_->gets, 1);
  EXPECT_EQ(store_->heads + store_->lists, 0);
}

TEST_F(ObjectFileSystemTest, FooterComesWithTheFirstRequest) {
  const std::string data = Bytes(3 << 20);
  store_->objects["d.parquet"] = data;
  const auto file = files_.OpenRead("s3://b/d.parquet").value();
  EXPECT_EQ(file->size(), 3 << 20);
  std::string tail(60'000, '\0');
  ASSERT_TRUE(file->ReadAt(file->size() - 60'000, tail.size(), tail.data()));
  EXPECT_EQ(tail, data.substr(data.size() - 60'000));
  EXPECT_EQ(store_->gets, 1);
  std::string across(500'000, '\0');
  ASSERT_TRUE(file->ReadAt(file->size() - 500'000, across.size(), across.data()));
  EXPECT_EQ(across, data.substr(data.size() - 500'000));
  EXPECT_EQ(store_->gets, 2);
}

TEST_F(ObjectFileSystemTest, KnownSizesCostNothingAndFootersAreKept) {
  const std::string data = Bytes(2 << 20);
  store_->objects["d.parquet"] = data;
  for (int i = 0; i < 2; i++) {
    const auto file = files_.OpenSized("s3://b/d.parquet", 2 << 20).value();
    EXPECT_EQ(store_->gets, i);
    char last[8];
    ASSERT_TRUE(file->ReadAt((2 << 20) - 8, 8, last));
    ASSERT_TRUE(file->ReadAt((2 << 20) - 100, 8, last));
    EXPECT_EQ(store_->gets, 1);
  }
  const auto wrong = files_.OpenSized("s3://b/d.parquet", (2 << 20) + 5).value();
  char last[8];
  EXPECT_EQ(files_.OpenSized("s3://b/x", 100).value()->ReadAt(0, 8, last).error().message,
            "Failed to open input stream for file: s3://b/x");
}

TEST_F(ObjectFileSystemTest, LargeReadsGoOutInPieces) {
  const std::string data = Bytes(20 << 20);
  store_->objects["d.bin"] = data;
  EXPECT_EQ(files_.ReadAll("s3://b/d.bin").value(), data);
  EXPECT_EQ(store_->gets, 4);  // a mebibyte, then nineteen in three
}

TEST_F(ObjectFileSystemTest, UploadsInPartsAboveTheThreshold) {
  ASSERT_TRUE(files_.WriteAll("s3://b/small", Bytes(15), WriteMode::kCreateNew));
  EXPECT_EQ(store_->puts, 1);
  const auto file = files_.Create("s3://b/large", WriteMode::kReplace).value();
  for (size_t i = 0; i < 95; i += 5) ASSERT_TRUE(file->Append(Bytes(95).substr(i, 5)));
  EXPECT_FALSE(store_->objects.contains("large"));
  ASSERT_TRUE(file->Close());
  EXPECT_EQ(store_->objects["large"], Bytes(95));
  EXPECT_EQ(store_->puts, 1);
  EXPECT_EQ(store_->aborts, 0);
}

TEST_F(ObjectFileSystemTest, AFailedPartFailsTheFile) {
  store_->failing_part = 2;
  const Status status = files_.WriteAll("s3://b/large", Bytes(95), WriteMode::kReplace);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "part lost");
  EXPECT_EQ(store_->aborts, 1);
  EXPECT_FALSE(store_->objects.contains("large"));
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
                                       {"s3.sse.type", "kms"},
                                       {"s3.sse.key", "arn:k"},
                                       {"s3.multipart.part-size-bytes", "5242880"}},
                                      NoEnvironment);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->endpoint, "http://localhost:9000");
  EXPECT_TRUE(options->path_style);
  EXPECT_EQ(options->credentials, (AwsCredentials{"A", "S", ""}));
  EXPECT_EQ(options->region, "eu-west-1");
  EXPECT_EQ(options->part_size, 5 << 20);
  EXPECT_THAT(options->write_headers,
              testing::ElementsAre(testing::Pair("x-amz-server-side-encryption", "aws:kms"),
                                   testing::Pair(testing::_, "arn:k")));
}

TEST(S3Options, HadoopsEndpointHasNoSchemeAndMayBeAnonymous) {
  const auto options =
      ParseS3Options({{"fs.s3a.endpoint", "localhost:9000"},
                      {"fs.s3a.connection.ssl.enabled", "false"},
                      {"fs.s3a.aws.credentials.provider",
                       "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"}},
                     NoEnvironment);
  EXPECT_EQ(options->endpoint, "http://localhost:9000");
  EXPECT_TRUE(options->anonymous);
}

TEST(S3Options, TheEnvironmentComesLastAndKeysStayTogether) {
  const EnvironmentLookup environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "AWS_ACCESS_KEY_ID") return "E";
    if (name == "AWS_SECRET_ACCESS_KEY") return "ES";
    if (name == "AWS_SESSION_TOKEN") return "ET";
    if (name == "AWS_ENDPOINT_URL_S3") return "http://e:1";
    return std::nullopt;
  };
  EXPECT_EQ(ParseS3Options({}, environment)->credentials, (AwsCredentials{"E", "ES", "ET"}));
  EXPECT_EQ(ParseS3Options({}, environment)->endpoint, "http://e:1");
  EXPECT_EQ(ParseS3Options({{"s3.access-key-id", "A"}, {"s3.secret-access-key", "S"}}, environment)
                ->credentials,
            (AwsCredentials{"A", "S", ""}));
  EXPECT_EQ(ParseS3Options({{"s3.access-key-id", "A"}}, environment).error().exception,
            "ValidationException");
  EXPECT_EQ(ParseS3Options({{"s3.path-style-access", "maybe"}}, environment).error().message,
            "Invalid value of s3.path-style-access: maybe");
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

TEST(Xml, ReadsAnswers) {
  const auto document = ParseXml(
      "<?xml version=\"1.0\"?>\n<!-- c --><ns:R xmlns=\"u\"><Key>a&amp;b&#x20;c</Key><E/>"
      "<L><Key>2</Key></L><C><![CDATA[<x>]]></C></ns:R>");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->name, "R");
  EXPECT_EQ(document->Text("Key"), "a&b c");
  EXPECT_EQ(document->Text("C"), "<x>");
  EXPECT_EQ(document->Find("L")->Text("Key"), "2");
  EXPECT_EQ(document->FindDeep("nosuch"), nullptr);
  for (const char* bad : {"", "text", "<a>", "<a", "<a><b></a", "<>"})
    EXPECT_FALSE(ParseXml(bad)) << bad;
  std::string deep;
  for (int i = 0; i < 100; i++) deep += "<a>";
  EXPECT_FALSE(ParseXml(deep));
  EXPECT_EQ(ParseXml("<a>" + EscapeXml("<'\"&>") + "</a>")->text, "<'\"&>");
}

// Against a real store: "s3://bucket" in ICEBLINK_TEST_S3, reached as AWS_* variables say.
TEST(S3Store, UploadsAndReadsInParts) {
  const char* bucket = std::getenv("ICEBLINK_TEST_S3");
  if (bucket == nullptr) GTEST_SKIP() << "ICEBLINK_TEST_S3 is not set";
  CatalogFileSystem files(FileSystemProperties{{"s3.multipart.part-size-bytes", "5242880"}});
  const std::string root = std::string(bucket) + "/" + NewUuid() + "/a b=1/%20é+";
  const std::string data = Bytes(23 << 20);
  ASSERT_TRUE(files.WriteAll(root + "/x.parquet", data, WriteMode::kCreateNew));
  EXPECT_EQ(files.WriteAll(root + "/x.parquet", data + "y", WriteMode::kCreateNew).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(files.ReadAll(root + "/x.parquet").value(), data);
  std::vector<std::string> names;
  ASSERT_TRUE(files.List(root, true, [&](const FileInfo& info) -> Status {
    names.push_back(info.path);
    return {};
  }));
  EXPECT_EQ(names, std::vector<std::string>{root + "/x.parquet"});
  EXPECT_EQ(files.DeleteMany({root + "/x.parquet"}, {}), 1u);
  EXPECT_FALSE(files.Exists(root + "/x.parquet").value());
  CatalogFileSystem stranger(
      FileSystemProperties{{"s3.access-key-id", "nobody"}, {"s3.secret-access-key", "secret"}});
  const auto refused = stranger.ReadAll(root + "/x.parquet");
  const std::string shown = refused ? std::string() : refused.error().message;
  EXPECT_EQ(shown.find("secret"), std::string::npos) << shown;
}

}  // namespace
}  // namespace iceblink::io
