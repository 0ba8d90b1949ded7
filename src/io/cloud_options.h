// How Google Cloud Storage and Azure Blob Storage are reached, out of Iceberg's properties (gcs.*,
// adls.*) and Hadoop's (fs.azure.*). What is not set is for the vendors' own chains of credentials.
// Value types.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "io/property_lookup.h"

namespace iceblink::io {

struct GcsOptions {
  std::string endpoint;  // "http://localhost:4443"; empty: Google
  bool anonymous = false;
  std::string access_token;
  int64_t token_expires_ms = 0;  // 0: in an hour
  std::string key_json;          // of a service account

  bool operator==(const GcsOptions&) const = default;
};

struct AzureOptions {
  // By account name.
  std::map<std::string, std::string> account_keys;
  std::map<std::string, std::string> sas_tokens;  // "": of any account
  bool anonymous = false;
  std::string tenant_id;
  std::string client_id;
  std::string client_secret;
  // Of an emulator; empty: Azure. "127.0.0.1:10000".
  std::string blob_authority;
  std::string dfs_authority;
  std::string scheme = "https";

  bool operator==(const AzureOptions&) const = default;
};

// Error codes as those of ParseS3Options.
Result<GcsOptions> ParseGcsOptions(const std::map<std::string, std::string>& properties,
                                   const EnvironmentLookup& environment = ProcessEnvironment);
Result<AzureOptions> ParseAzureOptions(const std::map<std::string, std::string>& properties,
                                       const EnvironmentLookup& environment = ProcessEnvironment);

}  // namespace iceblink::io
