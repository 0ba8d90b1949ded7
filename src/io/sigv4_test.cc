// Signatures against AWS's published examples and against botocore's.
#include "io/sigv4.h"

#include <gtest/gtest.h>

#include "base/datetime.h"
#include "base/strings.h"

namespace iceblink::io {
namespace {

int64_t At(CivilDate day, int64_t hour, int64_t minute, int64_t second) {
  return ((DaysFromCivil(day) * 24 + hour) * 60 + minute) * 60'000 + second * 1000;
}
const int64_t kSuiteTime = At({2015, 8, 30}, 12, 36, 0);
const int64_t kNow = At({2026, 11, 30}, 7, 16, 54);

std::string Header(const HeaderList& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

SigV4Verification Knowing(std::string key, std::string secret, std::string service, int64_t now) {
  return {[=](std::string_view id) {
            return id == key ? std::optional<std::string>(secret) : std::nullopt;
          },
          service, now};
}

TEST(SigV4Test, HashesAndMacs) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexEncode(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// The published suite signs with AKIDEXAMPLE for "service" in us-east-1.
TEST(SigV4Test, AcceptsTheSignaturesOfAwsTestSuite) {
  struct Case {
    std::string method, query, signature;
  };
  for (const Case& c : {
           Case{"GET", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
           Case{"POST", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
           Case{"GET", "Param2=value2&Param1=value1",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
       }) {
    SigV4Request request{c.method,
                         "/",
                         c.query,
                         {{"Host", "example.amazonaws.com"},
                          {"X-Amz-Date", "20150830T123600Z"},
                          {"Authorization",
                           "AWS4-HMAC-SHA256 "
                           "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                           "SignedHeaders=host;x-amz-date, Signature=" +
                               c.signature}}};
    const auto identity = VerifySigV4(
        request, "",
        Knowing("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "service", kSuiteTime));
    ASSERT_TRUE(identity) << c.method << c.query << identity.error().message;
    EXPECT_EQ(identity->region, "us-east-1");
  }
}

// Of the page "Authenticating Requests" of S3.
TEST(SigV4Test, SignsAsTheS3Documentation) {
  const AwsCredentials credentials{"AKIAIOSFODNN7EXAMPLE",
                                   "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  const SigV4Request get{
      "GET", "/test.txt", "", {{"Host", "examplebucket.s3.amazonaws.com"}, {"Range", "bytes=0-9"}}};
  const int64_t now = At({2013, 5, 24}, 0, 0, 0);
  EXPECT_EQ(
      Header(SignSigV4(get, credentials, {"us-east-1", "s3"}, Sha256Hex(""), now), "Authorization"),
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
      "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
      "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  const SigV4Request link{"GET", "/test.txt", "", {{"Host", "examplebucket.s3.amazonaws.com"}}};
  const std::string query = PresignSigV4(link, credentials, {"us-east-1", "s3"}, 86400, now);
  EXPECT_TRUE(query.ends_with(
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
      << query;
  SigV4Request signed_link = link;
  signed_link.query = query;
  const auto known = [&](int64_t at) {
    return Knowing(credentials.access_key_id, credentials.secret_access_key, "s3", at);
  };
  EXPECT_TRUE(VerifySigV4(signed_link, "", known(now + 80'000'000)));
  EXPECT_FALSE(VerifySigV4(signed_link, "", known(now + 87'000'000)));
}

// Made with botocore: paths of other services are encoded twice, those of S3 once.
TEST(SigV4Test, AgreesWithBotocore) {
  struct Case {
    std::string service, method, path, query;
    HeaderList headers;
    std::string body, names, signature;
  };
  for (const Case& c : {
           Case{"s3tables",
                "GET",
                "/iceberg/v1/arn%3Aaws%3As3tables%3Aus-east-1%3A123456789012%3Abucket%2Forders/"
                "namespaces",
                "parent=a%1Fb&pageToken=",
                {{"Content-Type", "application/json"}},
                "",
                "content-type;host;x-amz-date;x-amz-security-token",
                "330370560b55d75e886dda00171c19ecbdf0c0e2be27cf38b7d8e575bedfd3a9"},
           Case{"execute-api",
                "POST",
                "/v1/x/../y//z",
                "b=2&a=1&a=0",
                {},
                "{\"x\":1}",
                "host;x-amz-date;x-amz-security-token",
                "43299643a5400276c4330d40d2afb0f61ebded42eb47771c0493483569c7dd44"},
       }) {
    SigV4Request request{c.method, c.path, c.query, c.headers};
    request.headers.insert(
        request.headers.end(),
        {{"host", "localhost:8181"},
         {"x-amz-date", "20261130T071654Z"},
         {"x-amz-security-token", "TOKEN"},
         {"authorization", "AWS4-HMAC-SHA256 Credential=AKID/20261130/eu-west-1/" + c.service +
                               "/aws4_request, SignedHeaders=" + c.names +
                               ", Signature=" + c.signature}});
    const auto identity = VerifySigV4(request, c.body, Knowing("AKID", "SECRET", c.service, kNow));
    ASSERT_TRUE(identity) << c.service << identity.error().message;
    EXPECT_EQ(identity->session_token, "TOKEN");
  }
  const SigV4Request put{
      "PUT", "/warehouse/a%20b/c%3D1/%C3%A9.parquet", "", {{"Host", "localhost:9000"}}};
  EXPECT_TRUE(Header(SignSigV4(put, {"AKID", "SECRET", "TOKEN"}, {"eu-west-1", "s3"},
                               Sha256Hex("hello"), kNow),
                     "Authorization")
                  .ends_with("82abe029021e45ec1e7cb1ffd2ca1c660bb393b4c7ff243c0b3fbdd5316fd854"));
}

TEST(SigV4Test, RefusesWhatIsNotSigned) {
  SigV4Request request{"PUT", "/buckets", "", {{"Host", "h:1"}}};
  const auto verdict = [&](std::string_view body, const SigV4Verification& v) {
    const auto identity = VerifySigV4(request, body, v);
    return identity ? std::string("ok") : identity.error().exception;
  };
  const auto known = Knowing("AKID", "SECRET", "s3tables", kNow);
  EXPECT_EQ(verdict("", known), "MissingAuthenticationTokenException");
  const HeaderList added =
      SignSigV4(request, {"AKID", "SECRET", ""}, {"r", "s3tables"}, Sha256Hex("{}"), kNow);
  request.headers.insert(request.headers.end(), added.begin(), added.end());
  EXPECT_EQ(verdict("{}", known), "ok");
  EXPECT_EQ(verdict("{ }", known), "InvalidSignatureException");
  EXPECT_EQ(verdict("{}", Knowing("AKID", "other", "s3tables", kNow)), "InvalidSignatureException");
  EXPECT_EQ(verdict("{}", Knowing("B", "SECRET", "s3tables", kNow)), "UnrecognizedClientException");
  EXPECT_EQ(verdict("{}", Knowing("AKID", "SECRET", "s3", kNow)), "InvalidSignatureException");
  EXPECT_EQ(verdict("{}", Knowing("AKID", "SECRET", "s3tables", kNow + 3'600'000)),
            "InvalidSignatureException");
  request.path = "/buckets/x";
  EXPECT_EQ(verdict("{}", known), "InvalidSignatureException");
}

TEST(SigV4Test, PercentCoding) {
  EXPECT_EQ(PercentEncode("a b/c=1~é"), "a%20b%2Fc%3D1~%C3%A9");
  EXPECT_EQ(PercentEncode("a b/c", true), "a%20b/c");
  EXPECT_EQ(PercentDecode("a%20b%2fc%3D1%zz%"), "a b/c=1%zz%");
}

}  // namespace
}  // namespace iceblink::io
