#include "io/s3_request.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json.h"
#include "base/strings.h"

namespace iceblink::io {
namespace {

// The authority of "https://host:port/x".
std::string_view Authority(std::string_view url) {
  const size_t start = url.find("://") + 3;
  return url.substr(start, url.find('/', start) - start);
}

// Hosts below which no bucket can be a name of its own.
bool NeedsPathStyle(std::string_view authority, std::string_view bucket, bool tls) {
  const std::string_view host = authority.substr(0, authority.rfind(':'));
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos ||
                          host.starts_with('[') || host == "localhost";
  return is_address || (tls && bucket.find('.') != std::string_view::npos);
}

}  // namespace

int64_t ParseHttpDate(std::string_view text) {
  std::tm parts{};
  if (::strptime(std::string(text).c_str(), "%a, %d %b %Y %H:%M:%S", &parts) == nullptr) return 0;
  return int64_t{::timegm(&parts)} * 1000;
}

std::string DefaultS3Region(const S3Options& options) {
  if (!options.region.empty()) return options.region;
  return AwsProfileSetting(options.profile, "region", ProcessEnvironment).value_or("us-east-1");
}

S3RequestBuilder::S3RequestBuilder(S3Options options, HttpClient& http)
    : options_(std::move(options)),
      http_(http),
      credentials_(options_.credentials, options_.profile, http) {}

std::string S3RequestBuilder::RegionOf(const std::string& bucket) {
  const std::lock_guard lock(mutex_);
  const auto it = regions_.find(bucket);
  return it == regions_.end() ? DefaultS3Region(options_) : it->second;
}

void S3RequestBuilder::LearnRegion(const std::string& bucket, const std::string& region) {
  const std::lock_guard lock(mutex_);
  regions_[bucket] = region;
}

void S3RequestBuilder::LearnClock(std::string_view date_header) {
  const int64_t theirs = ParseHttpDate(date_header);
  if (theirs == 0) return;
  const std::lock_guard lock(mutex_);
  clock_skew_ms_ = theirs - SystemClock().NowMillis();
}

std::pair<std::string, std::string> S3RequestBuilder::Address(const ObjectName& name,
                                                              const std::string& region) {
  std::string endpoint = options_.endpoint;
  if (endpoint.empty()) {
    endpoint = fmt::format("https://s3.{}.amazonaws.com{}", region,
                           region.starts_with("cn-") ? ".cn" : "");
  }
  const std::string_view authority = Authority(endpoint);
  const std::string key = PercentEncode(name.key, true);
  if (options_.path_style || NeedsPathStyle(authority, name.bucket, endpoint.starts_with("https")))
    return {endpoint, fmt::format("/{}/{}", name.bucket, key)};
  const size_t host = endpoint.find("://") + 3;
  return {endpoint.substr(0, host) + name.bucket + "." + endpoint.substr(host), "/" + key};
}

Result<HttpRequest> S3RequestBuilder::Build(const S3Request& request) {
  const std::string region = RegionOf(request.name.bucket);
  const auto [origin, path] = Address(request.name, region);
  HttpRequest out{request.method, origin + path};
  if (!request.query.empty()) out.url += "?" + request.query;
  out.headers = request.headers;
  out.body = request.body;
  // libcurl would call a body a form, and some stores would read it as one.
  if (request.method == "PUT") out.headers.emplace_back("Content-Type", "application/octet-stream");
  if (options_.anonymous) return out;
  if (options_.remote_signing) {
    ASSIGN_OR_RETURN(out.headers, SignRemotely(out, region));
    return out;
  }
  ASSIGN_OR_RETURN(const AwsCredentials credentials, credentials_.Get());
  SigV4Request to_sign{request.method, path, request.query, request.headers};
  to_sign.headers.emplace_back("Host", std::string(Authority(origin)));
  int64_t now = SystemClock().NowMillis();
  {
    const std::lock_guard lock(mutex_);
    now += clock_skew_ms_;
  }
  for (auto& header : SignSigV4(to_sign, credentials, {region, "s3"}, Sha256Hex(request.body), now))
    out.headers.push_back(std::move(header));
  return out;
}

// The catalog is told the request and answers with the headers to send.
Result<HeaderList> S3RequestBuilder::SignRemotely(const HttpRequest& request,
                                                  const std::string& region) {
  Json ask = {{"region", region}, {"uri", request.url}, {"method", request.method}};
  Json headers = Json::object();
  for (const auto& [name, value] : request.headers) headers[name] = Json::array({value});
  headers["x-amz-content-sha256"] = Json::array({Sha256Hex(request.body)});
  ask["headers"] = headers;
  // Deletions of many keys name them in the body, which the catalog wants to see.
  if (request.method == "POST" && request.url.find("?delete") != std::string::npos)
    ask["body"] = request.body;
  HttpRequest call{"POST", options_.signer_uri, {{"Content-Type", "application/json"}}};
  if (!options_.signer_token.empty())
    call.headers.emplace_back("Authorization", "Bearer " + options_.signer_token);
  call.body = DumpJson(ask);
  ASSIGN_OR_RETURN(const HttpResponse response, http_.Send(call));
  if (response.status != 200) {
    return Fail(ErrorCode::kForbidden,
                fmt::format("Failed to sign {} {}: HTTP {}", request.method,
                            UrlForMessages(request.url), response.status),
                "ForbiddenException");
  }
  ASSIGN_OR_RETURN(const Json answer, ParseJson(response.body, "S3 sign response"));
  ASSIGN_OR_RETURN(const Json* signed_headers, json::GetObject(answer, "headers"));
  HeaderList out;
  for (const auto& [name, values] : signed_headers->items()) {
    if (EqualsIgnoreCase(name, "host")) continue;
    for (const Json& value : values) {
      if (value.is_string()) out.emplace_back(name, value.get<std::string>());
    }
  }
  return out;
}

}  // namespace iceblink::io
