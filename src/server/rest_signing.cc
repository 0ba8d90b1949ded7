#include "server/rest_signing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/strings.h"
#include "catalog/errors.h"
#include "catalog/properties.h"
#include "io/object_file_system.h"
#include "io/sigv4.h"
#include "server/rest_body.h"
#include "server/rest_handlers.h"
#include "server/rest_storage.h"

namespace iceblink::server {
namespace {

tl::unexpected<Error> Forbidden(std::string message) {
  return Fail(ErrorCode::kForbidden, std::move(message), "ForbiddenException");
}

struct Url {
  std::string scheme, authority, path, query;
};

Url Split(std::string_view text) {
  Url url;
  const size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return url;
  url.scheme = AsciiLower(text.substr(0, scheme));
  text.remove_prefix(scheme + 3);
  const size_t path = std::min(text.find_first_of("/?#"), text.size());
  url.authority = AsciiLower(text.substr(0, path));
  text.remove_prefix(path);
  text = text.substr(0, text.find('#'));
  const size_t query = std::min(text.find('?'), text.size());
  url.path = text.substr(0, query);
  if (query < text.size()) url.query = text.substr(query + 1);
  const std::string_view standard = url.scheme == "https" ? ":443" : ":80";
  if (url.authority.ends_with(standard))
    url.authority.resize(url.authority.size() - standard.size());
  return url;
}

// The bucket in a host of Amazon's S3, "" where it is in the path; nothing for other hosts.
std::optional<std::string> AmazonBucket(std::string_view host) {
  for (const std::string_view suffix : {".amazonaws.com", ".amazonaws.com.cn"}) {
    if (!host.ends_with(suffix)) continue;
    const std::string name = "." + std::string(host.substr(0, host.size() - suffix.size()));
    const size_t s3 = name.rfind(".s3");
    if (s3 == std::string::npos) return std::nullopt;
    const std::string_view rest = std::string_view(name).substr(s3 + 3);
    if (!rest.empty() && rest[0] != '.' && rest[0] != '-') return std::nullopt;
    return s3 == 0 ? std::string() : name.substr(1, s3 - 1);
  }
  return std::nullopt;
}

std::optional<std::string> BucketInHost(const Url& url, const std::string& endpoint) {
  if (endpoint.empty()) return url.scheme == "https" ? AmazonBucket(url.authority) : std::nullopt;
  const Url own = Split(endpoint);
  if (url.scheme != own.scheme) return std::nullopt;
  if (url.authority == own.authority) return std::string();
  if (!url.authority.ends_with("." + own.authority)) return std::nullopt;
  return url.authority.substr(0, url.authority.size() - own.authority.size() - 1);
}

std::optional<io::ObjectName> ObjectOf(const Url& url, const std::string& endpoint) {
  std::optional<std::string> bucket = BucketInHost(url, endpoint);
  if (!bucket) return std::nullopt;
  std::string_view path = url.path;
  if (path.starts_with('/')) path.remove_prefix(1);
  if (bucket->empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    bucket = io::PercentDecode(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return io::ObjectName{std::move(*bucket), io::PercentDecode(path)};
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters ParametersOf(const Url& url) {
  Parameters out;
  for (const std::string& part : iceblink::Split(url.query, '&')) {
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    out.emplace_back(
        io::PercentDecode(std::string_view(part).substr(0, equals)),
        io::PercentDecode(std::string_view(part).substr(std::min(equals + 1, part.size()))));
  }
  return out;
}

// The requests that tables take, by method and what they are for, with the parameters each may
// have.
struct Kind {
  std::string_view method;
  bool is_list;
  bool is_write;
  std::array<std::string_view, 8> parameters;
};
constexpr std::array kKinds = {
    Kind{"GET", false, false, {"partNumber", "versionId", "uploadId"}},
    Kind{"HEAD", false, false, {"partNumber", "versionId"}},
    Kind{"PUT", false, true, {"partNumber", "uploadId"}},
    Kind{"POST", false, true, {"uploads", "uploadId"}},
    Kind{"DELETE", false, true, {"uploadId"}},
    Kind{"GET",
         true,
         false,
         {"list-type", "prefix", "delimiter", "max-keys", "continuation-token", "start-after",
          "encoding-type", "fetch-owner"}},
};

// Null when there is none, or when a parameter comes twice: the store might heed the other.
const Kind* KindOf(const std::string& method, bool is_list, const Parameters& parameters) {
  std::set<std::string_view> names;
  for (const auto& [name, value] : parameters) {
    if (!names.insert(name).second) return nullptr;
  }
  for (const Kind& kind : kKinds) {
    if (kind.method != method || kind.is_list != is_list) continue;
    const bool known = std::all_of(parameters.begin(), parameters.end(), [&](const auto& entry) {
      return entry.first == "x-id" || std::find(kind.parameters.begin(), kind.parameters.end(),
                                                entry.first) != kind.parameters.end();
    });
    if (known) return &kind;
  }
  return nullptr;
}

// What clients and proxies might resolve to another key than the one that was judged.
bool IsPlain(std::string_view key) {
  for (const std::string& part : iceblink::Split(key, '/')) {
    if (part == "." || part == "..") return false;
  }
  return key.find('\0') == std::string_view::npos;
}

// Headers that make more of a request than its URL says.
bool ReachesFurther(std::string_view header) {
  return header.starts_with("x-amz-copy-source") || header.starts_with("x-amz-grant-") ||
         header == "x-amz-acl" || header.starts_with("x-amz-object-lock-") ||
         header == "x-amz-website-redirect-location" || header == "x-amz-rename-source";
}

bool IsSigned(std::string_view header) {
  return header.starts_with("x-amz-") && header != "x-amz-date" &&
         header != "x-amz-content-sha256" && header != "x-amz-security-token";
}

}  // namespace

catalog::Properties SigningSettings(const catalog::Properties& catalog,
                                    const std::string& sign_path, const std::string* delegation) {
  if (!catalog::IsTrue(catalog, "remote-signing-enabled") || delegation == nullptr) return {};
  const auto asked = SplitTrimmed(*delegation, ',');
  if (std::find(asked.begin(), asked.end(), "remote-signing") == asked.end()) return {};
  return {{"s3.remote-signing-enabled", "true"},
          {"rest.remote-signing.endpoint", sign_path},  // Java's names, newest first
          {"signer.endpoint", sign_path},
          {"s3.signer.endpoint", sign_path},
          {"s3.signer", "S3V4RestSigner"}};  // PyIceberg's
}

Result<S3Use> JudgeS3Request(const catalog::rest::RemoteSignRequest& request,
                             const std::string& endpoint) {
  const Url url = Split(request.uri);
  auto object = ObjectOf(url, endpoint);
  if (!object) return Forbidden("Cannot sign a request to another host: " + url.authority);
  const Parameters parameters = ParametersOf(url);
  const bool is_list = object->key.empty();
  const Kind* kind = KindOf(request.method, is_list, parameters);
  if (kind == nullptr) {
    return Forbidden(
        fmt::format("Cannot sign {} {}: not a request that tables take", request.method, url.path));
  }
  for (const auto& [name, values] : request.headers) {
    if (ReachesFurther(AsciiLower(name))) return Forbidden("Cannot sign the header " + name);
  }
  for (const auto& [name, value] : parameters) {
    if (is_list && name == "prefix") object->key = value;
  }
  if (!IsPlain(object->key)) return Forbidden("Cannot sign a path with dots: " + url.path);
  return S3Use{std::move(*object), kind->is_write};
}

catalog::rest::RemoteSignResult SignS3Request(const catalog::rest::RemoteSignRequest& request,
                                              const io::AwsCredentials& credentials,
                                              int64_t now_ms) {
  const Url url = Split(request.uri);
  // The store escapes more than some clients do.
  const std::string path = io::PercentEncode(io::PercentDecode(url.path), true);
  io::SigV4Request to_sign{request.method, path, url.query, {{"Host", url.authority}}};
  std::string hash(io::kUnsignedPayload);
  for (const auto& [name, values] : request.headers) {
    const std::string lower = AsciiLower(name);
    if (lower == "x-amz-content-sha256" && !values.empty()) hash = values.front();
    if (!IsSigned(lower)) continue;
    for (const std::string& value : values) to_sign.headers.emplace_back(lower, value);
  }
  catalog::rest::RemoteSignResult result{request.uri, {}};
  for (auto& [name, value] :
       SignSigV4(to_sign, credentials, {request.region, "s3"}, hash, now_ms)) {
    result.headers[name] = {std::move(value)};
  }
  return result;
}

namespace rest_handlers {

Result<HttpResponse> SignRequest(RestCall& call) {
  ASSIGN_OR_RETURN(const auto request, ReadBody(call, catalog::rest::RemoteSignRequestFromJson));
  const catalog::Properties& catalog = call.catalog->properties();
  const io::AwsCredentials keys = StorageKeys(catalog);
  if (!catalog::IsTrue(catalog, "remote-signing-enabled") || keys.access_key_id.empty())
    return catalog::NotSupported("This catalog signs no requests");
  if (request.provider && !EqualsIgnoreCase(*request.provider, "s3"))
    return catalog::NotSupported("Cannot sign requests to " + *request.provider);
  const std::string endpoint(StripTrailing(catalog::Get(catalog, "s3.endpoint"), '/'));
  ASSIGN_OR_RETURN(const S3Use use, JudgeS3Request(request, endpoint));
  if (use.is_write) RETURN_IF_ERROR(call.Require(Privilege::kWrite, call.ns()));
  ASSIGN_OR_RETURN(const auto table, call.catalog->LoadTable(call.id));
  const std::string& location = table.metadata->location;
  ASSIGN_OR_RETURN(const io::ObjectName folder, io::ParseObjectLocation(location));
  const std::string below = std::string(StripTrailing(folder.key, '/')) + "/";
  if (!location.starts_with("s3") || use.object.bucket != folder.bucket || below == "/" ||
      !use.object.key.starts_with(below)) {
    return Forbidden(fmt::format("Cannot sign {} {}/{}: not below the table's location",
                                 request.method, use.object.bucket, use.object.key));
  }
  HttpResponse response = Answer(SignS3Request(request, keys, call.now_ms()));
  response.headers.emplace_back("Cache-Control", "no-cache");
  return response;
}

}  // namespace rest_handlers
}  // namespace iceblink::server
