// AwsCredentialsProvider: keys from where AWS' tools look for them, in their order: what was
// configured, web identity, the shared configuration files (keys, credential_process), the
// container's endpoint, the instance's metadata service. Keys that expire are fetched again five
// minutes before. Threads: safe from several; one fetches, the others wait.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/http.h"
#include "io/s3_options.h"

namespace iceblink::io {

struct ExpiringCredentials {
  AwsCredentials credentials;
  int64_t expires_ms = INT64_MAX;
};

class AwsCredentialsProvider {
 public:
  // `http` outlives this.
  AwsCredentialsProvider(AwsCredentials configured, std::string profile, HttpClient& http,
                         EnvironmentLookup environment = ProcessEnvironment);

  // kUnauthenticated, SdkClientException, when nothing of the chain has keys.
  Result<AwsCredentials> Get();
  // Forgets keys that a service called expired.
  void Forget();

 private:
  std::mutex mutex_;
  const AwsCredentials configured_;
  const std::string profile_;
  HttpClient& http_;
  const EnvironmentLookup environment_;
  std::optional<ExpiringCredentials> current_;
};

// A value of a profile in the shared files (~/.aws/config, ~/.aws/credentials), e.g. "region".
std::optional<std::string> AwsProfileSetting(const std::string& profile, const std::string& key,
                                             const EnvironmentLookup& environment);

}  // namespace iceblink::io
