// Messages as the OpenAPI document and Java write them, and names in paths.
#include "catalog/rest_messages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "catalog/rest_auth.h"
#include "catalog/rest_endpoints.h"
#include "catalog/rest_errors.h"
#include "spec/table_metadata.h"

namespace iceblink::catalog::rest {
namespace {

Json Parse(const std::string& text) { return ParseJson(text).value(); }

// What is read from `text` and printed again is the same JSON.
template <typename Read>
void ExpectSame(const std::string& text, Read read) {
  const auto message = read(Parse(text));
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(DumpJson(ToJson(*message)), DumpJson(Parse(text)));
}

TEST(RestMessages, KeepWhatTheyRead) {
  ExpectSame(
      R"({"defaults":{"a":"b"},"overrides":{},"endpoints":["GET /v1/{prefix}/namespaces"],
          "idempotency-key-lifetime":"PT30M"})",
      ConfigResponseFromJson);
  ExpectSame(R"({"error":{"message":"m","type":"T","code":404,"stack":["a","b"]}})",
             ErrorMessageFromJson);
  ExpectSame(R"({"namespaces":[["a"],["a","b"]],"next-page-token":null})",
             ListNamespacesResponseFromJson);
  ExpectSame(R"({"identifiers":[{"namespace":["a"],"name":"t"}],"next-page-token":"x"})",
             ListTablesResponseFromJson);
  ExpectSame(R"({"removals":["a"],"updates":{"b":"c"}})", UpdatePropertiesRequestFromJson);
  ExpectSame(R"({"storage-credentials":[{"prefix":"s3://b","config":{"s3.region":"r"}}]})",
             LoadCredentialsResponseFromJson);
  ExpectSame(
      R"({"identifier":{"namespace":["a"],"name":"t"},
          "requirements":[{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}],
          "updates":[{"action":"set-properties","updates":{"k":"v"}}]})",
      CommitTableRequestFromJson);
  ExpectSame(
      R"({"identifier":{"namespace":["a"],"name":"v"},
          "requirements":[{"type":"assert-view-uuid","uuid":"u"}],
          "updates":[{"action":"set-current-view-version","view-version-id":-1}]})",
      CommitViewRequestFromJson);
  ExpectSame(
      R"({"name":"t","schema":{"type":"struct","schema-id":0,
          "fields":[{"id":1,"name":"a","required":false,"type":"int"}]},
          "properties":{},"stage-create":true})",
      CreateTableRequestFromJson);
  ExpectSame(
      R"({"region":"r","method":"PUT","uri":"https://b/k","headers":{"host":["b"]},"body":"x"})",
      RemoteSignRequestFromJson);
}

TEST(RestMessages, NameWhatIsMissing) {
  EXPECT_EQ(
      RenameRequestFromJson(Parse(R"({"source":{"namespace":[],"name":"a"}})")).error().message,
      "Cannot parse missing map: destination");
  EXPECT_EQ(CommitTransactionRequestFromJson(
                Parse(R"({"table-changes":[{"requirements":[],"updates":[]}]})"))
                .error()
                .message,
            "Cannot parse missing field: identifier");
  EXPECT_FALSE(CommitTableRequestFromJson(Parse(R"({"updates":[{"action":"no-such"}]})")));
  EXPECT_FALSE(ConfigResponseFromJson(Parse(R"({"defaults":{"a":1}})")));
  EXPECT_FALSE(ConfigResponseFromJson(Parse("[]")).value().endpoints);
}

TEST(RestMessages, PutMetadataTextIntoResults) {
  LoadTableResult result{"s3://b/m.json", nullptr, {{"k", "v"}}, {}};
  EXPECT_EQ(LoadTableResultText(result, R"({"x":1})"),
            R"({"metadata-location":"s3://b/m.json","metadata":{"x":1},"config":{"k":"v"}})");
}

TEST(RestNames, TravelInPaths) {
  EXPECT_EQ(EncodeSegment("a b/c.%é~"), "a%20b%2Fc.%25%C3%A9~");
  EXPECT_EQ(DecodeSegment("a%20b+c%2B"), "a b c+");
  EXPECT_EQ(EncodeNamespace({"a", "b/c", "d.e"}), "a%1Fb%2Fc%1Fd.e");
  EXPECT_EQ(DecodeNamespace("a%1Fb%2Fc%1fd.e"), (Namespace{"a", "b/c", "d.e"}));
  EXPECT_EQ(EncodeNamespace({"a.x", "b"}, "%2E"), "a.x%2Eb");
  EXPECT_EQ(DecodeNamespace("a.x%2Eb", "%2E"), (Namespace{"a.x", "b"}));
  EXPECT_EQ(DecodeNamespace("a%1Fb", "%2E"), (Namespace{"a", "b"}));
  EXPECT_EQ(NamespaceToParameter({"a", "b"}),
            "a\x1f"
            "b");
  EXPECT_EQ(NamespaceFromParameter("a\x1f"
                                   "b"),
            (Namespace{"a", "b"}));
  EXPECT_EQ(NamespaceFromParameter("a.b", "%2E"), (Namespace{"a", "b"}));
  EXPECT_TRUE(DecodeNamespace("").empty());
}

TEST(RestEndpoints, AreThoseOfTheFirstReleaseUnlessListed) {
  EXPECT_TRUE(Endpoints().Has(Endpoint::kUpdateTable));
  EXPECT_FALSE(Endpoints().Has(Endpoint::kTableExists));
  EXPECT_FALSE(Endpoints().Has(Endpoint::kLoadView));
  EXPECT_TRUE(Endpoints({}, true).Has(Endpoint::kLoadView));
  const Endpoints few(std::vector<std::string>{"HEAD /v1/{prefix}/namespaces/{namespace}"}, true);
  EXPECT_TRUE(few.Has(Endpoint::kNamespaceExists));
  EXPECT_FALSE(few.Has(Endpoint::kListNamespaces));
}

TEST(RestErrors, FollowJava) {
  const auto error = [](int status, const char* type, Subject subject) {
    io::HttpResponse response;
    response.status = status;
    response.body = DumpJson(ToJson(ErrorMessage{status, type, "why", {}}));
    const Error e = ErrorOfResponse(response, subject);
    return std::string(ErrorCodeName(e.code)) + " " + e.exception + ": " +
           e.message.substr(0, e.message.find('\n'));
  };
  EXPECT_EQ(error(404, "NoSuchTableException", Subject::kTable),
            "NotFound NoSuchTableException: why");
  EXPECT_EQ(error(404, "NoSuchNamespaceException", Subject::kTable),
            "NotFound NoSuchNamespaceException: why");
  EXPECT_EQ(error(409, "CommitFailedException", Subject::kTableCommit),
            "Conflict CommitFailedException: Commit failed: why");
  EXPECT_EQ(error(409, "AlreadyExistsException", Subject::kTable),
            "AlreadyExists AlreadyExistsException: why");
  EXPECT_EQ(error(409, "NamespaceNotEmptyException", Subject::kDropNamespace),
            "NotEmpty NamespaceNotEmptyException: why");
  EXPECT_EQ(error(504, "X", Subject::kTableCommit),
            "CommitUnknown CommitStateUnknownException: Service failed: 504: why");
  EXPECT_EQ(error(504, "X", Subject::kTable), "Unavailable RESTException: Unable to process: why");
  EXPECT_EQ(error(400, "IllegalArgumentException", Subject::kTable),
            "InvalidArgument IllegalArgumentException: why");
  EXPECT_EQ(error(401, "X", Subject::kView),
            "Unauthenticated NotAuthorizedException: Not authorized: why");
}

TEST(RestAuth, KnowsSecretsAndTokens) {
  for (const char* key : {"credential", "token", "spark.sql.catalog.x.rest.secret-access-key",
                          "header.Authorization", "s3.session-token", "jdbc.password"})
    EXPECT_TRUE(IsSecretProperty(key)) << key;
  for (const char* key : {"uri", "warehouse", "scope", "token-refresh-enabled", "prefix"})
    EXPECT_FALSE(IsSecretProperty(key)) << key;
  // {"exp":1700000000}
  EXPECT_EQ(JwtExpiryMillis("e30.eyJleHAiOjE3MDAwMDAwMDB9.sig"), 1'700'000'000'000);
  EXPECT_EQ(JwtExpiryMillis("opaque"), std::nullopt);
}

}  // namespace
}  // namespace iceblink::catalog::rest
