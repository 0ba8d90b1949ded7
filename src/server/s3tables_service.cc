#include "server/s3tables_service.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/datetime.h"
#include "base/strings.h"
#include "io/sigv4.h"
#include "server/s3tables_handlers.h"

namespace iceblink::server {
namespace {

constexpr std::string_view kService = "s3tables";

// Statuses by AWS's names.
struct Named {
  std::string_view exception;
  int status;
};
constexpr std::array kStatuses = {
    Named{"BadRequestException", 400},
    Named{"NotFoundException", 404},
    Named{"ConflictException", 409},
    Named{"ForbiddenException", 403},
    Named{"AccessDeniedException", 403},
    Named{"MethodNotAllowedException", 405},
    Named{"TooManyRequestsException", 429},
    Named{"IncompleteSignatureException", 403},
    Named{"UnrecognizedClientException", 403},
    Named{"InvalidSignatureException", 403},
    Named{"MissingAuthenticationTokenException", 403},
};

HttpResponse ErrorResponse(const HttpRequest&, const Error& error) {
  std::string type = error.exception;
  int status = 0;
  for (const Named& named : kStatuses) {
    if (named.exception == type) status = named.status;
  }
  if (status == 0 && error.code == ErrorCode::kNotFound) {
    status = 404;
    type = "NotFoundException";
  } else if (status == 0 && error.code == ErrorCode::kInvalidArgument) {
    status = 400;
    type = "BadRequestException";
  } else if (status == 0) {
    status = error.code == ErrorCode::kUnavailable ? 503 : 500;
    type = "InternalServerErrorException";
  }
  HttpResponse response =
      HttpResponse::Json(DumpJson({{"__type", type}, {"message", error.message}}), status);
  response.headers.emplace_back("x-amzn-ErrorType", type);
  return response;
}

// The text after "...:bucket/", when the ARN is one of this service.
Result<std::string> ResourceOf(const std::string& arn) {
  const std::vector<std::string> parts = Split(arn, ':');
  constexpr std::string_view kBucket = "bucket/";
  if (parts.size() != 6 || parts[0] != "arn" || parts[2] != kService ||
      !parts[5].starts_with(kBucket)) {
    return s3tables::BadRequest(fmt::format("The specified ARN is not valid: {}", arn));
  }
  return parts[5].substr(kBucket.size());
}

}  // namespace

S3Tables::S3Tables(S3TablesOptions given)
    : options(std::move(given)),
      files_(std::make_unique<io::CatalogFileSystem>(options.storage_properties)) {
  storage_ = {std::string(StripTrailing(options.storage_location, '/')), options.storage_properties,
              files_.get()};
}

std::string S3Tables::BucketArn(const std::string& bucket) const {
  return fmt::format("arn:aws:s3tables:{}:{}:bucket/{}", options.region, options.account_id,
                     bucket);
}

std::string S3Tables::TableArn(const S3Table& table) const {
  return fmt::format("{}/table/{}", BucketArn(table.bucket), table.id);
}

Result<S3TableBucket> S3Tables::BucketOfArn(const std::string& arn) const {
  ASSIGN_OR_RETURN(const std::string name, ResourceOf(arn));
  ASSIGN_OR_RETURN(auto bucket, store().FindBucket(name));
  if (bucket && BucketArn(name) == arn) return std::move(*bucket);
  return s3tables::NotFound("The specified bucket does not exist.");
}

Result<S3Table> S3Tables::TableOfArn(const std::string& arn) const {
  ASSIGN_OR_RETURN(const std::string resource, ResourceOf(arn));
  constexpr std::string_view kTable = "/table/";
  const size_t slash = resource.find(kTable);
  if (slash == std::string::npos)
    return s3tables::BadRequest(fmt::format("The specified table ARN is not valid: {}", arn));
  ASSIGN_OR_RETURN(auto table, store().FindTableById(resource.substr(0, slash),
                                                     resource.substr(slash + kTable.size())));
  if (table && TableArn(*table) == arn) return std::move(*table);
  return s3tables::NotFound("The specified table does not exist.");
}

Result<std::shared_ptr<catalog::Catalog>> S3Tables::CatalogOfArn(const std::string& arn) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOfArn(arn));
  const std::lock_guard lock(mutex_);
  auto& made = catalogs_[bucket.id];
  if (made == nullptr) made = MakeS3TablesCatalog(bucket.name, options.store, storage_);
  return made;
}

Status S3Tables::Authenticate(HttpRequest& request) const {
  if (options.access_keys.empty()) return {};
  io::SigV4Request sent{request.method, std::string(request.raw_path()),
                        std::string(request.raw_query())};
  sent.headers.assign(request.headers.begin(), request.headers.end());
  io::SigV4Verification verification;
  verification.service = kService;
  verification.now_ms = now_ms();
  verification.secret_of = [this](std::string_view id) {
    const auto key = options.access_keys.find(std::string(id));
    return key == options.access_keys.end() ? std::nullopt : std::optional(key->second);
  };
  ASSIGN_OR_RETURN(const io::SigV4Identity identity,
                   io::VerifySigV4(sent, request.body, verification));
  request.principal = identity.access_key_id;
  return {};
}

HttpService MakeS3TablesService(std::shared_ptr<S3Tables> tables) {
  HttpService service;
  service.error_response = ErrorResponse;
  service.before = [tables](HttpRequest& request) { return tables->Authenticate(request); };
  for (const auto* operations : {&s3tables::BucketOperations(), &s3tables::TableOperations(),
                                 &s3tables::SettingOperations()}) {
    for (const s3tables::Operation& operation : *operations) {
      service.routes.push_back({operation.method, operation.path,
                                [tables, handler = operation.handler](HttpRequest& request) {
                                  s3tables::Call call{*tables, request};
                                  return handler(call);
                                }});
    }
  }
  for (HttpRoute& route : s3tables::SettingRoutes(tables)) service.routes.push_back(route);
  return service;
}

std::shared_ptr<RestServer> MakeS3TablesRestServer(std::shared_ptr<S3Tables> tables,
                                                   HttpMetrics& metrics) {
  RestOptions options;
  options.before = [tables](HttpRequest& request) { return tables->Authenticate(request); };
  options.catalog_of_prefix = [tables](const std::string& arn) {
    return tables->CatalogOfArn(arn);
  };
  options.prefix_of_warehouse =
      [tables](const std::optional<std::string>& warehouse) -> Result<std::string> {
    if (!warehouse) return s3tables::BadRequest("warehouse must be the ARN of a table bucket");
    auto bucket = tables->BucketOfArn(*warehouse);
    if (bucket) return tables->BucketArn(bucket->name);
    return Fail(ErrorCode::kNotFound, bucket.error().message, "NoSuchWarehouseException");
  };
  // A table's storage is the service's: a table that goes takes its files along.
  options.supports_drop_without_purge = false;
  for (const char* endpoint :
       {"POST /v1/{prefix}/namespaces/{namespace}/properties",
        "POST /v1/{prefix}/namespaces/{namespace}/register",
        "POST /v1/{prefix}/transactions/commit", "GET /v1/{prefix}/namespaces/{namespace}/views",
        "POST /v1/{prefix}/namespaces/{namespace}/views",
        "GET /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "POST /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "DELETE /v1/{prefix}/namespaces/{namespace}/views/{view}", "POST /v1/{prefix}/views/rename",
        "POST /v1/{prefix}/namespaces/{namespace}/register-view",
        "GET /v1/{prefix}/namespaces/{namespace}/functions",
        "GET /v1/{prefix}/namespaces/{namespace}/functions/{function}",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/unregister",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign"}) {
    options.missing_endpoints.insert(endpoint);
  }
  options.metrics = &metrics;
  options.clock = tables->options.clock;
  return std::make_shared<RestServer>(std::move(options));
}

namespace s3tables {

tl::unexpected<Error> BadRequest(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "BadRequestException");
}
tl::unexpected<Error> NotFound(std::string message) {
  return Fail(ErrorCode::kNotFound, std::move(message), "NotFoundException");
}
tl::unexpected<Error> Conflict(std::string message) {
  return Fail(ErrorCode::kConflict, std::move(message), "ConflictException");
}

Result<Json> BodyOf(const HttpRequest& request) {
  if (request.body.empty()) return Json::object();
  auto json = ParseJson(request.body, "the request's body");
  if (!json || !json->is_object()) return BadRequest("The request's body is not a JSON object.");
  return json;
}

Result<std::string> RequiredText(const Json& body, const char* key) {
  const Json* value = json::Find(body, key);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  return BadRequest(fmt::format("{} is missing or no string.", key));
}

HttpResponse Answer(const Json& json, int status) {
  return HttpResponse::Json(DumpJson(json), status);
}

std::string Iso8601(int64_t millis) { return FormatTimestamp(millis * 1000, "Z"); }

Result<size_t> PageSize(const HttpRequest& request, const char* parameter) {
  constexpr size_t kMost = 1000;
  const std::string* text = request.Query(parameter);
  if (text == nullptr) return kMost;
  const auto size = ParseInt64(*text);
  if (size && *size >= 1 && *size <= static_cast<int64_t>(kMost)) return static_cast<size_t>(*size);
  return BadRequest(fmt::format("{} must be between 1 and {}.", parameter, kMost));
}

Result<S3TableBucket> BucketOf(const Call& call) {
  return call.tables.BucketOfArn(call.request.Parameter("tableBucketARN"));
}

Result<S3TableNamespace> NamespaceOf(const Call& call, const S3TableBucket& bucket) {
  ASSIGN_OR_RETURN(
      auto ns, call.tables.store().FindNamespace(bucket.name, call.request.Parameter("namespace")));
  if (ns) return std::move(*ns);
  return NotFound("The specified namespace does not exist.");
}

Result<S3Table> TableOf(const Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  ASSIGN_OR_RETURN(auto table,
                   call.tables.store().FindTable(bucket.name, call.request.Parameter("namespace"),
                                                 call.request.Parameter("name")));
  if (table) return std::move(*table);
  return NotFound("The specified table does not exist.");
}

}  // namespace s3tables
}  // namespace iceblink::server
