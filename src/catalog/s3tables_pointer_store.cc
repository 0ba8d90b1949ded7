#include "catalog/s3tables_pointer_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/strings.h"
#include "catalog/errors.h"
#include "catalog/properties.h"
#include "io/s3_options.h"

namespace iceblink::catalog {
namespace {

std::string TextOf(const Json& json, const char* key) {
  auto value = json::FindString(json, key);
  return value && *value ? **value : std::string();
}

ErrorCode CodeOf(int status) {
  switch (status) {
    case 400:
      return ErrorCode::kInvalidArgument;
    case 401:
      return ErrorCode::kUnauthenticated;
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return ErrorCode::kConflict;
    default:
      return status >= 500 || status == 429 ? ErrorCode::kUnavailable : ErrorCode::kIo;
  }
}

}  // namespace

Result<S3TablesPointerStore::Options> S3TablesPointerStore::ReadOptions(
    const Properties& properties) {
  Options out;
  out.bucket_arn = Get(properties, "warehouse");
  const std::vector<std::string> arn = Split(out.bucket_arn, ':');
  if (arn.size() != 6 || arn[2] != "s3tables")
    return IllegalArgument("warehouse must be the ARN of a table bucket: " + out.bucket_arn);
  out.region = Get(properties, "client.region");
  if (out.region.empty()) out.region = arn[3];
  out.endpoint = StripTrailing(Get(properties, "s3tables.endpoint"), '/');
  if (out.endpoint.empty())
    out.endpoint = fmt::format("https://s3tables.{}.amazonaws.com", out.region);
  out.credentials = {Get(properties, "client.access-key-id"),
                     Get(properties, "client.secret-access-key"),
                     Get(properties, "client.session-token")};
  if (out.credentials.access_key_id.empty()) {
    ASSIGN_OR_RETURN(const io::S3Options s3, io::ParseS3Options(properties));
    out.credentials = s3.credentials;
  }
  if (out.credentials.access_key_id.empty()) {
    const auto variable = [](const char* name) {
      return io::ProcessEnvironment(name).value_or("");
    };
    out.credentials = {variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
                       variable("AWS_SESSION_TOKEN")};
  }
  if (out.credentials.access_key_id.empty()) {
    return IllegalArgument(
        "S3 Tables needs keys: client.access-key-id and client.secret-access-key, or "
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }
  return out;
}

std::string S3TablesPointerStore::BucketPath(const std::string& kind) const {
  return "/" + kind + "/" + io::PercentEncode(options_.bucket_arn);
}

std::string S3TablesPointerStore::TablePath(const TableIdentifier& id) const {
  return BucketPath("tables") + "/" + io::PercentEncode(NamespaceToString(id.ns)) + "/" +
         io::PercentEncode(id.name);
}

Result<Json> S3TablesPointerStore::Call(const std::string& method, const std::string& path,
                                        const std::string& query, const std::string& body) {
  const size_t host = options_.endpoint.find("://") + 3;
  io::SigV4Request to_sign{method, path, query, {{"Host", options_.endpoint.substr(host)}}};
  if (!body.empty()) to_sign.headers.emplace_back("Content-Type", "application/json");
  io::HttpRequest request{method, options_.endpoint + path + (query.empty() ? "" : "?" + query)};
  request.headers = SignSigV4(to_sign, options_.credentials, {options_.region, "s3tables"},
                              io::Sha256Hex(body), SystemClock().NowMillis());
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = body;
  ASSIGN_OR_RETURN(const io::HttpResponse response, http_.Send(request));
  auto json = response.body.empty() ? Result<Json>(Json::object())
                                    : ParseJson(response.body, "the answer of S3 Tables");
  if (response.status < 300) return json;
  const std::string text = json ? TextOf(*json, "message") : std::string();
  return Fail(CodeOf(response.status),
              fmt::format("{} (Service: S3Tables, Status Code: {}) [{} {}]", text, response.status,
                          method, path),
              "S3TablesException");
}

Result<std::optional<S3TablesPointerStore::Row>> S3TablesPointerStore::FindRow(
    const TableIdentifier& id) {
  if (id.ns.size() != 1) return std::optional<Row>();
  const auto json = Call("GET", TablePath(id) + "/metadata-location", "", "");
  if (!json && json.error().code == ErrorCode::kNotFound) return std::optional<Row>();
  if (!json) return Fail(json.error());
  Row row{TextOf(*json, "versionToken"), std::nullopt, TextOf(*json, "warehouseLocation")};
  if (const std::string location = TextOf(*json, "metadataLocation"); !location.empty())
    row.metadata_location = location;
  return std::optional(std::move(row));
}

Result<std::optional<Pointer>> S3TablesPointerStore::Find(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(const auto row, FindRow(id));
  if (!row || !row->metadata_location) return std::optional<Pointer>();
  return std::optional(Pointer{PointerKind::kTable, *row->metadata_location});
}

Result<bool> S3TablesPointerStore::Point(const TableIdentifier& id, const std::string& token,
                                         const std::string& to) {
  const Json body = {{"versionToken", token}, {"metadataLocation", to}};
  const auto json = Call("PUT", TablePath(id) + "/metadata-location", "", DumpJson(body));
  if (json) return true;
  if (json.error().code == ErrorCode::kConflict || json.error().code == ErrorCode::kNotFound)
    return false;
  return Fail(json.error());
}

Result<std::string> S3TablesPointerStore::StorageOf(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(auto row, FindRow(id));
  if (!row) {
    const Json body = {{"name", id.name}, {"format", "ICEBERG"}};
    const auto made =
        Call("PUT", BucketPath("tables") + "/" + io::PercentEncode(NamespaceToString(id.ns)), "",
             DumpJson(body));
    if (!made && made.error().code == ErrorCode::kNotFound) return NoSuchNamespace(id.ns);
    if (!made && made.error().code != ErrorCode::kConflict) return Fail(made.error());
    ASSIGN_OR_RETURN(row, FindRow(id));
  }
  if (!row) return NoSuchTable(id);
  return std::string(StripTrailing(row->warehouse_location, '/'));
}

Result<bool> S3TablesPointerStore::Insert(const TableIdentifier& id, const Pointer& pointer) {
  RETURN_IF_ERROR(StorageOf(id));
  ASSIGN_OR_RETURN(const auto row, FindRow(id));
  if (!row || row->metadata_location) return false;
  return Point(id, row->version_token, pointer.metadata_location);
}

Result<bool> S3TablesPointerStore::Swap(const TableIdentifier& id, PointerKind kind,
                                        const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const auto row, FindRow(id));
  if (kind != PointerKind::kTable || !row || row->metadata_location != from) return false;
  return Point(id, row->version_token, to);
}

Result<std::optional<size_t>> S3TablesPointerStore::SwapAll(const std::vector<PointerSwap>& swaps) {
  if (swaps.size() != 1 || !swaps[0].from)
    return NotSupported("S3 Tables commits one table at a time");
  ASSIGN_OR_RETURN(const bool done,
                   Swap(swaps[0].id, PointerKind::kTable, *swaps[0].from, swaps[0].to));
  return done ? std::optional<size_t>() : 0;
}

Result<bool> S3TablesPointerStore::Remove(const TableIdentifier& id, PointerKind kind) {
  ASSIGN_OR_RETURN(const auto row, FindRow(id));
  if (kind != PointerKind::kTable || !row) return false;
  RETURN_IF_ERROR(
      Call("DELETE", TablePath(id), "versionToken=" + io::PercentEncode(row->version_token), ""));
  return true;
}

Result<bool> S3TablesPointerStore::Rename(const TableIdentifier& from, const TableIdentifier& to,
                                          PointerKind kind) {
  if (kind != PointerKind::kTable) return false;
  const Json body = {{"newNamespaceName", NamespaceToString(to.ns)}, {"newName", to.name}};
  const auto json = Call("PUT", TablePath(from) + "/rename", "", DumpJson(body));
  if (json) return true;
  if (json.error().code == ErrorCode::kNotFound) return false;
  if (json.error().code == ErrorCode::kConflict) return TableExistsAlready(to);
  return Fail(json.error());
}

Result<std::vector<Json>> S3TablesPointerStore::ListAll(const std::string& path, std::string query,
                                                        const char* list_key) {
  std::vector<Json> all;
  std::string token;
  do {
    std::string page = query;
    if (!token.empty())
      page += (page.empty() ? "" : "&") + ("continuationToken=" + io::PercentEncode(token));
    ASSIGN_OR_RETURN(const Json json, Call("GET", path, page, ""));
    if (const Json* list = json::Find(json, list_key))
      all.insert(all.end(), list->begin(), list->end());
    token = TextOf(json, "continuationToken");
  } while (!token.empty());
  return all;
}

Result<std::vector<std::string>> S3TablesPointerStore::Names(const Namespace& ns,
                                                             PointerKind kind) {
  std::vector<std::string> names;
  if (kind != PointerKind::kTable || ns.size() != 1) return names;
  ASSIGN_OR_RETURN(const auto tables, ListAll(BucketPath("tables"),
                                              "namespace=" + io::PercentEncode(ns[0]), "tables"));
  for (const Json& table : tables) names.push_back(TextOf(table, "name"));
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> S3TablesPointerStore::HasNamespace(const Namespace& ns) {
  if (ns.size() != 1) return false;
  const auto json = Call("GET", BucketPath("namespaces") + "/" + io::PercentEncode(ns[0]), "", "");
  if (json) return true;
  if (json.error().code == ErrorCode::kNotFound) return false;
  return Fail(json.error());
}

Result<std::vector<Namespace>> S3TablesPointerStore::AllNamespaces() {
  ASSIGN_OR_RETURN(const auto rows, ListAll(BucketPath("namespaces"), "", "namespaces"));
  std::vector<Namespace> out;
  for (const Json& row : rows) {
    ASSIGN_OR_RETURN(Namespace ns, json::GetStringList(row, "namespace"));
    out.push_back(std::move(ns));
  }
  return out;
}

Status S3TablesPointerStore::PutProperties(const Namespace& ns, const Properties& properties) {
  if (ns.size() != 1) return NotSupported("S3 Tables namespaces have a single level");
  for (const auto& [key, value] : properties) {
    if (key != "owner" && key != "exists")  // the latter is the metastore's own mark
      return NotSupported("S3 Tables keeps no namespace property " + key);
  }
  const Json body = {{"namespace", ns}};
  const auto json = Call("PUT", BucketPath("namespaces"), "", DumpJson(body));
  if (json || json.error().code == ErrorCode::kConflict) return {};
  return Fail(json.error());
}

Status S3TablesPointerStore::RemoveNamespace(const Namespace& ns) {
  const auto json =
      Call("DELETE", BucketPath("namespaces") + "/" + io::PercentEncode(ns[0]), "", "");
  if (json) return {};
  if (json.error().code == ErrorCode::kConflict)
    return NotEmpty(fmt::format("Namespace {} is not empty.", ns[0]));
  return Fail(json.error());
}

}  // namespace iceblink::catalog
