#include "io/cloud_options.h"

#include <cstdint>
#include <fstream>
#include <sstream>

#include "base/strings.h"

namespace iceblink::io {
namespace {

constexpr SettingNames kGcsEndpoint = {{"gcs.service.host"}, {"STORAGE_EMULATOR_HOST"}};
constexpr SettingNames kGcsAnonymous = {{"gcs.no-auth"}, {}};
constexpr SettingNames kGcsToken = {{"gcs.oauth2.token"}, {}};
constexpr SettingNames kGcsTokenExpiry = {{"gcs.oauth2.token-expires-at"}, {}};
constexpr SettingNames kGcsKeyFile = {
    {"fs.gs.auth.service.account.json.keyfile", "google.cloud.auth.service.account.json.keyfile"},
    {}};

constexpr SettingNames kAccountName = {{"adls.auth.shared-key.account.name", "adls.account-name"},
                                       {"AZURE_STORAGE_ACCOUNT_NAME"}};
constexpr SettingNames kAccountKey = {{"adls.auth.shared-key.account.key", "adls.account-key"},
                                      {"AZURE_STORAGE_ACCOUNT_KEY"}};
constexpr SettingNames kSasToken = {{"adls.sas-token"}, {"AZURE_STORAGE_SAS_TOKEN"}};
constexpr SettingNames kAzureAnonymous = {{"adls.anonymous"}, {}};
constexpr SettingNames kTenant = {{"adls.tenant-id"}, {}};
constexpr SettingNames kClient = {{"adls.client-id"}, {}};
constexpr SettingNames kClientSecret = {{"adls.client-secret"}, {}};
constexpr SettingNames kBlobAuthority = {{"adls.blob-storage-authority"}, {}};
constexpr SettingNames kDfsAuthority = {{"adls.dfs-storage-authority"}, {}};
constexpr SettingNames kAzureScheme = {{"adls.blob-storage-scheme"}, {}};

// "account" of "account.dfs.core.windows.net".
std::string AccountOf(const std::string& host) { return host.substr(0, host.find('.')); }

}  // namespace

Result<GcsOptions> ParseGcsOptions(const std::map<std::string, std::string>& properties,
                                   const EnvironmentLookup& environment) {
  const PropertyLookup lookup(properties, environment);
  GcsOptions out;
  out.endpoint = StripTrailing(lookup.Get(kGcsEndpoint), '/');
  if (!out.endpoint.empty() && out.endpoint.find("://") == std::string::npos)
    out.endpoint.insert(0, "http://");
  out.access_token = lookup.Get(kGcsToken);
  RETURN_IF_ERROR(lookup.Read(kGcsAnonymous, out.anonymous));
  RETURN_IF_ERROR(lookup.Read(kGcsTokenExpiry, 0, INT64_MAX, out.token_expires_ms));
  const std::string key_file = lookup.Get(kGcsKeyFile);
  if (!key_file.empty()) {
    const std::ifstream file(key_file);
    if (!file) return PropertyLookup::Invalid(kGcsKeyFile, key_file);
    std::ostringstream text;
    text << file.rdbuf();
    out.key_json = text.str();
  }
  return out;
}

Result<AzureOptions> ParseAzureOptions(const std::map<std::string, std::string>& properties,
                                       const EnvironmentLookup& environment) {
  const PropertyLookup lookup(properties, environment);
  AzureOptions out;
  const std::string account = lookup.Get(kAccountName), key = lookup.Get(kAccountKey);
  if (!account.empty() && !key.empty()) out.account_keys[account] = key;
  for (const auto& [host, value] : lookup.WithPrefix("fs.azure.account.key."))
    out.account_keys.emplace(AccountOf(host), value);
  for (const auto& [host, token] : lookup.WithPrefix("adls.sas-token."))
    out.sas_tokens.emplace(AccountOf(host), token);
  const std::string token = lookup.Get(kSasToken);
  if (!token.empty()) out.sas_tokens.emplace("", token);
  RETURN_IF_ERROR(lookup.Read(kAzureAnonymous, out.anonymous));
  out.tenant_id = lookup.Get(kTenant);
  out.client_id = lookup.Get(kClient);
  out.client_secret = lookup.Get(kClientSecret);
  out.blob_authority = lookup.Get(kBlobAuthority);
  out.dfs_authority = lookup.Get(kDfsAuthority);
  const std::string scheme = lookup.Get(kAzureScheme);
  if (!scheme.empty()) out.scheme = scheme;
  return out;
}

}  // namespace iceblink::io
