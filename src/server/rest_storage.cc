#include "server/rest_storage.h"

#include <algorithm>

#include "base/strings.h"
#include "catalog/properties.h"

namespace iceblink::server {
namespace {

constexpr std::string_view kSettings[] = {
    "s3.endpoint", "s3.path-style-access", "s3.region", "client.region", "s3.sse.type",
};
constexpr std::string_view kSecrets[] = {
    "s3.access-key-id",
    "s3.secret-access-key",
    "s3.session-token",
};

template <size_t N>
catalog::Properties Pick(const catalog::Properties& from, const std::string_view (&keys)[N]) {
  catalog::Properties out;
  for (const std::string_view key : keys) {
    if (const auto at = from.find(std::string(key)); at != from.end()) out.insert(*at);
  }
  return out;
}

// "s3://bucket" of "s3://bucket/a/b".
std::string Root(const std::string& location) {
  const size_t scheme = location.find("://");
  if (scheme == std::string::npos) return location;
  return location.substr(0, location.find('/', scheme + 3));
}

}  // namespace

catalog::Properties StorageSettings(const catalog::Properties& catalog) {
  return Pick(catalog, kSettings);
}

io::AwsCredentials StorageKeys(const catalog::Properties& catalog) {
  return {catalog::Get(catalog, "s3.access-key-id"), catalog::Get(catalog, "s3.secret-access-key"),
          catalog::Get(catalog, "s3.session-token")};
}

std::vector<catalog::rest::StorageCredential> VendedCredentials(const catalog::Properties& catalog,
                                                                const std::string& location,
                                                                const std::string* delegation) {
  const auto enabled = catalog.find("vended-credentials-enabled");
  if (enabled == catalog.end() || !EqualsIgnoreCase(enabled->second, "true")) return {};
  if (delegation == nullptr) return {};
  const auto asked = SplitTrimmed(*delegation, ',');
  if (std::find(asked.begin(), asked.end(), "vended-credentials") == asked.end()) return {};
  catalog::Properties config = Pick(catalog, kSecrets);
  if (config.empty()) return {};
  config.merge(StorageSettings(catalog));
  return {{Root(location), std::move(config)}};
}

}  // namespace iceblink::server
