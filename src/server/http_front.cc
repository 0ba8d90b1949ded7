#include "server/http_front.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/clock.h"
#include "base/datetime.h"
#include "base/strings.h"
#include "server/s3tables_front.h"

namespace iceblink::server {
namespace {

constexpr const char* kCatalogPrefix = "spark.sql.catalog.";

tl::unexpected<Error> BadSetting(const std::string& key, const std::string& value) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Invalid value of {}: {}", key, value),
              "IllegalArgumentException");
}

template <typename T>
Status ReadNumber(const engine::Configuration& configuration, const std::string& key, T& out) {
  const auto text = configuration.Get(key);
  if (!text) return {};
  const auto value = ParseInt64(*text);
  if (!value || *value < 1 || *value > INT32_MAX) return BadSetting(key, *text);
  out = static_cast<T>(*value);
  return {};
}

// Writes whole lines to a file, or to stderr.
class LineLog {
 public:
  static Result<std::function<void(const std::string&)>> Open(const std::string& where) {
    if (where == "off") return std::function<void(const std::string&)>();
    std::shared_ptr<FILE> file(stderr, [](FILE*) {});
    if (where != "stderr") {
      FILE* opened = std::fopen(where.c_str(), "ae");
      if (opened == nullptr)
        return Fail(ErrorCode::kIo, fmt::format("Cannot write the access log {}", where));
      file.reset(opened, std::fclose);
    }
    return std::function([file](const std::string& line) {
      const std::string text = line + "\n";
      std::fwrite(text.data(), 1, text.size(), file.get());
      std::fflush(file.get());
    });
  }
};

Result<HttpOptions> OptionsOf(const engine::Configuration& configuration) {
  HttpOptions options;
  RETURN_IF_ERROR(
      ReadNumber(configuration, "iceblink.http.max-body-bytes", options.max_body_bytes));
  RETURN_IF_ERROR(
      ReadNumber(configuration, "iceblink.http.request-timeout-ms", options.request_timeout_ms));
  RETURN_IF_ERROR(
      ReadNumber(configuration, "iceblink.http.max-connections", options.max_connections));
  options.tls_certificate_file = configuration.Get("iceblink.http.tls.certificate", "");
  options.tls_key_file = configuration.Get("iceblink.http.tls.key", "");
  if (options.tls_certificate_file.empty() != options.tls_key_file.empty())
    return BadSetting("iceblink.http.tls.*", "certificate and key go together");
  ASSIGN_OR_RETURN(auto log,
                   LineLog::Open(configuration.Get("iceblink.http.access-log", "stderr")));
  if (log) {
    options.access_log = [log](const std::string& line) {
      log(fmt::format("{} {}", FormatTimestamp(SystemClock().NowMillis() * 1000, "Z"), line));
    };
  }
  return options;
}

Result<RestOptions> RestOptionsOf(const engine::Configuration& configuration,
                                  const std::shared_ptr<ServedCatalogs>& catalogs) {
  RestOptions options;
  options.catalog_of_prefix = [catalogs](const std::string& prefix) {
    return catalogs->Get(prefix.empty() ? catalogs->DefaultName() : prefix);
  };
  options.prefix_of_warehouse = [catalogs](const std::optional<std::string>& warehouse) {
    return Result<std::string>(warehouse ? catalogs->NameOfWarehouse(*warehouse) : "");
  };
  if (const auto path = configuration.Get("iceblink.rest.principals-file")) {
    ASSIGN_OR_RETURN(options.principals, Principals::Read(*path));
    options.tokens =
        std::make_shared<TokenIssuer>(configuration.Get("iceblink.rest.token-key", ""));
  }
  return options;
}

HttpResponse Text(std::string text, int status = 200) {
  HttpResponse response = HttpResponse::Json(std::move(text), status);
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

}  // namespace

std::string ServedCatalogs::DefaultName() const {
  if (const auto name = configuration_.Get("iceblink.rest.catalog")) return *name;
  const std::string name = registry_.DefaultCatalog();
  if (configuration_.IsSet("spark.sql.defaultCatalog") || name != engine::kSessionCatalog)
    return name;
  // Catalogs are configured and none is the default: the first of them, not the session catalog,
  // which would be one in memory.
  for (const std::string& configured : registry_.Names()) {
    if (configuration_.IsSet(kCatalogPrefix + configured)) return configured;
  }
  return name;
}

Result<std::shared_ptr<catalog::Catalog>> ServedCatalogs::Get(const std::string& name) {
  std::lock_guard lock(mutex_);
  if (registry_.Exists(name)) return registry_.Get(name);
  return Fail(ErrorCode::kNotFound, fmt::format("Catalog does not exist: {}", name),
              "NoSuchCatalogException");
}

std::string ServedCatalogs::NameOfWarehouse(const std::string& warehouse) const {
  const std::string own = DefaultName();
  const auto wanted = StripTrailing(warehouse, '/');
  for (const std::string& name : registry_.Names()) {
    const std::string key = kCatalogPrefix + name + ".warehouse";
    const bool is_meant =
        name == warehouse ||
        (configuration_.IsSet(key) && StripTrailing(configuration_.Get(key, ""), '/') == wanted);
    if (is_meant) return name == own ? std::string() : name;
  }
  return {};
}

Result<std::unique_ptr<HttpFront>> HttpFront::Create(const engine::Settings& settings) {
  const engine::Configuration configuration(settings);
  std::unique_ptr<HttpFront> front(new HttpFront());
  ASSIGN_OR_RETURN(HttpOptions options, OptionsOf(configuration));
  front->is_tls_ = !options.tls_certificate_file.empty();
  front->server_ = std::make_unique<HttpServer>(std::move(options));
  front->catalogs_ = std::make_shared<ServedCatalogs>(settings);
  ASSIGN_OR_RETURN(RestOptions rest, RestOptionsOf(configuration, front->catalogs_));
  rest.metrics = &front->server_->metrics();
  front->rest_ = std::make_shared<RestServer>(std::move(rest));
  front->server_->Mount("", MakeRestService(front->rest_));
  front->MountPages();
  return front;
}

void HttpFront::MountPages() {
  HttpService pages;
  const HttpHandler live = [](HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse::Json(R"({"status":"up"})");
  };
  const HttpHandler ready = [this](HttpRequest&) -> Result<HttpResponse> {
    const bool up = ready_ && catalogs_->Get(catalogs_->DefaultName()).has_value();
    return HttpResponse::Json(up ? R"({"status":"up"})" : R"({"status":"down"})", up ? 200 : 503);
  };
  const HttpHandler metrics = [this](HttpRequest&) -> Result<HttpResponse> {
    return Text(server_->metrics().Render());
  };
  pages.routes = {
      {"GET", "/health", ready},
      {"GET", "/health/live", live},
      {"GET", "/health/ready", ready},
      {"GET", "/metrics", metrics},
  };
  server_->Mount("", std::move(pages));
}

Result<int> HttpFront::Start(const std::string& address) {
  ASSIGN_OR_RETURN(const auto own, catalogs_->Get(catalogs_->DefaultName()));
  ASSIGN_OR_RETURN(const auto tables, MakeS3Tables(catalogs_->configuration(), own->properties()));
  if (tables != nullptr) MountS3Tables(*server_, tables);
  ASSIGN_OR_RETURN(const int port, server_->Start(address));
  ready_ = true;
  return port;
}

void HttpFront::Stop() {
  ready_ = false;
  server_->Stop();
}

}  // namespace iceblink::server
