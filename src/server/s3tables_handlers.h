// The operations of the S3 Tables control plane by file, and what they share. Private to the
// service.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "server/s3tables_service.h"

namespace iceblink::server::s3tables {

// One request at its handler.
struct Call {
  S3Tables& tables;
  HttpRequest& request;
};
using Handler = Result<HttpResponse> (*)(Call& call);

struct Operation {
  const char* method;
  const char* path;
  Handler handler;
};
// In s3tables_buckets.cc, s3tables_tables.cc, s3tables_settings.cc.
const std::vector<Operation>& BucketOperations();
const std::vector<Operation>& TableOperations();
const std::vector<Operation>& SettingOperations();
// Plain settings are a table of data, each with its three operations.
std::vector<HttpRoute> SettingRoutes(const std::shared_ptr<S3Tables>& tables);

// Errors by AWS's names; the service gives them their status.
tl::unexpected<Error> BadRequest(std::string message);
tl::unexpected<Error> NotFound(std::string message);
tl::unexpected<Error> Conflict(std::string message);

// The request's body, an object; an empty body is an empty one.
Result<Json> BodyOf(const HttpRequest& request);
// A member that must be a string.
Result<std::string> RequiredText(const Json& body, const char* key);
HttpResponse Answer(const Json& json, int status = 200);
std::string Iso8601(int64_t millis);

// What the path's {tableBucketARN}, {namespace} and {name} mean.
Result<S3TableBucket> BucketOf(const Call& call);
Result<S3TableNamespace> NamespaceOf(const Call& call, const S3TableBucket& bucket);
Result<S3Table> TableOf(const Call& call);

// The page of a list sorted by `key_of` that continuationToken and `size_parameter` ask for,
// without what does not begin with `prefix`. Sets `token` when there is more.
template <typename T, typename KeyOf>
Result<std::vector<T>> CutPage(const HttpRequest& request, const char* size_parameter,
                               std::vector<T> all, KeyOf key_of, std::optional<std::string>& token);
Result<size_t> PageSize(const HttpRequest& request, const char* parameter);

template <typename T, typename KeyOf>
Result<std::vector<T>> CutPage(const HttpRequest& request, const char* size_parameter,
                               std::vector<T> all, KeyOf key_of,
                               std::optional<std::string>& token) {
  ASSIGN_OR_RETURN(const size_t size, PageSize(request, size_parameter));
  const std::string* after = request.Query("continuationToken");
  const std::string* prefix = request.Query("prefix");
  std::vector<T> page;
  for (T& element : all) {
    const std::string key = key_of(element);
    if (after != nullptr && key <= *after) continue;
    if (prefix != nullptr && !key.substr(key.rfind('.') + 1).starts_with(*prefix)) continue;
    if (page.size() == size) {
      token = key_of(page.back());
      break;
    }
    page.push_back(std::move(element));
  }
  return page;
}

}  // namespace iceblink::server::s3tables
