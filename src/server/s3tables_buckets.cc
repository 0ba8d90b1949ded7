// Table buckets and namespaces.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/uuid.h"
#include "server/s3tables_handlers.h"

namespace iceblink::server::s3tables {
namespace {

// Lower-case letters, digits and hyphens, as AWS asks.
bool IsBucketName(const std::string& name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  constexpr std::array<std::string_view, 3> kPrefixes = {"xn--", "sthree-", "amzn-s3-demo"};
  constexpr std::array<std::string_view, 3> kSuffixes = {"-s3alias", "--ol-s3", "--x-s3"};
  if (name.size() < 3 || name.size() > 63) return false;
  if (name.find_first_not_of(kAllowed) != std::string::npos) return false;
  if (name.front() == '-' || name.back() == '-') return false;
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix)) return false;
  }
  for (const std::string_view suffix : kSuffixes) {
    if (name.ends_with(suffix)) return false;
  }
  return true;
}

Json Describe(const S3Tables& tables, const S3TableBucket& bucket) {
  return {{"arn", tables.BucketArn(bucket.name)},
          {"name", bucket.name},
          {"ownerAccountId", tables.options.account_id},
          {"createdAt", Iso8601(bucket.created_ms)},
          {"tableBucketId", bucket.id},
          {"type", "customer"}};
}

Json Describe(const S3Tables& tables, const S3TableNamespace& ns, const S3TableBucket& bucket) {
  return {{"namespace", Json::array({ns.name})},
          {"createdAt", Iso8601(ns.created_ms)},
          {"createdBy", tables.options.account_id},
          {"ownerAccountId", tables.options.account_id},
          {"namespaceId", ns.id},
          {"tableBucketId", bucket.id}};
}

Result<HttpResponse> CreateTableBucket(Call& call) {
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  ASSIGN_OR_RETURN(const std::string name, RequiredText(body, "name"));
  if (!IsBucketName(name)) return BadRequest("The specified bucket name is not valid.");
  S3TableBucket bucket{name, NewUuid(), call.tables.now_ms()};
  Json settings = Json::object();
  for (const char* key : {"encryptionConfiguration", "storageClassConfiguration", "tags"}) {
    if (const Json* value = json::Find(body, key)) settings[key] = *value;
  }
  bucket.settings = DumpJson(settings);
  ASSIGN_OR_RETURN(const bool added, call.tables.store().Add(bucket));
  if (!added)
    return Conflict("The bucket that you tried to create already exists, and you own it.");
  return Answer({{"arn", call.tables.BucketArn(name)}});
}

Result<HttpResponse> ListTableBuckets(Call& call) {
  ASSIGN_OR_RETURN(auto all, call.tables.store().Buckets());
  std::optional<std::string> token;
  ASSIGN_OR_RETURN(const auto page, CutPage(
                                        call.request, "maxBuckets", std::move(all),
                                        [](const S3TableBucket& b) { return b.name; }, token));
  Json list = Json::array();
  for (const S3TableBucket& bucket : page) list.push_back(Describe(call.tables, bucket));
  Json out = {{"tableBuckets", std::move(list)}};
  if (token) out["continuationToken"] = *token;
  return Answer(out);
}

Result<HttpResponse> GetTableBucket(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  return Answer(Describe(call.tables, bucket));
}

Result<HttpResponse> DeleteTableBucket(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  ASSIGN_OR_RETURN(const bool removed, call.tables.store().RemoveBucket(bucket.name));
  if (!removed) return Conflict("The bucket that you tried to delete is not empty.");
  return HttpResponse::Empty();
}

Result<HttpResponse> CreateNamespace(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  const auto levels = json::GetStringList(body, "namespace");
  if (!levels || levels->size() != 1) return BadRequest("The specified namespace is not valid.");
  RETURN_IF_ERROR(CheckS3TablesName("namespace", levels->front()));
  ASSIGN_OR_RETURN(const bool added,
                   call.tables.store().Add(S3TableNamespace{bucket.name, levels->front(), NewUuid(),
                                                            call.tables.now_ms()}));
  if (!added) return Conflict("A namespace with an identical name already exists in the bucket.");
  return Answer({{"tableBucketARN", call.tables.BucketArn(bucket.name)}, {"namespace", *levels}});
}

Result<HttpResponse> ListNamespaces(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  ASSIGN_OR_RETURN(auto all, call.tables.store().Namespaces(bucket.name));
  std::optional<std::string> token;
  ASSIGN_OR_RETURN(const auto page, CutPage(
                                        call.request, "maxNamespaces", std::move(all),
                                        [](const S3TableNamespace& n) { return n.name; }, token));
  Json list = Json::array();
  for (const S3TableNamespace& ns : page) list.push_back(Describe(call.tables, ns, bucket));
  Json out = {{"namespaces", std::move(list)}};
  if (token) out["continuationToken"] = *token;
  return Answer(out);
}

Result<HttpResponse> GetNamespace(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  ASSIGN_OR_RETURN(const S3TableNamespace ns, NamespaceOf(call, bucket));
  return Answer(Describe(call.tables, ns, bucket));
}

Result<HttpResponse> DeleteNamespace(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  ASSIGN_OR_RETURN(const S3TableNamespace ns, NamespaceOf(call, bucket));
  ASSIGN_OR_RETURN(const bool removed, call.tables.store().RemoveNamespace(bucket.name, ns.name));
  if (!removed) return Conflict("The specified namespace is not empty.");
  return HttpResponse::Empty();
}

}  // namespace

const std::vector<Operation>& BucketOperations() {
  static const std::vector<Operation> operations = {
      {"GET", "/buckets", ListTableBuckets},
      {"PUT", "/buckets", CreateTableBucket},
      {"GET", "/buckets/{tableBucketARN}", GetTableBucket},
      {"DELETE", "/buckets/{tableBucketARN}", DeleteTableBucket},
      {"GET", "/namespaces/{tableBucketARN}", ListNamespaces},
      {"PUT", "/namespaces/{tableBucketARN}", CreateNamespace},
      {"GET", "/namespaces/{tableBucketARN}/{namespace}", GetNamespace},
      {"DELETE", "/namespaces/{tableBucketARN}/{namespace}", DeleteNamespace},
  };
  return operations;
}

}  // namespace iceblink::server::s3tables
