#include "io/arrow/arrow_file_systems.h"

#include <arrow/filesystem/azurefs.h>
#include <arrow/filesystem/gcsfs.h>
#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/key_value_metadata.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <random>

#include "io/arrow/arrow_errors.h"

namespace iceblink::io {
namespace {

namespace fs = ::arrow::fs;

// Requests of ours that wait at once (kRequestsInFlight), and uploads on their way in the
// background. The AWS SDK opens as many connections as Arrow has threads.
constexpr int kThreads = 64;
constexpr double kConnectSeconds = 10;
constexpr double kStallSeconds = 30;

// "localhost:9000" of "http://localhost:9000".
std::string Authority(const std::string& url) { return url.substr(url.find("://") + 3); }
std::string UrlScheme(const std::string& url) { return url.substr(0, url.find("://")); }

// Waits that grow and are random, as the AWS SDK's are, in the bounds of the options.
class RetryStrategy final : public fs::S3RetryStrategy {
 public:
  explicit RetryStrategy(const S3Options& options)
      : retries_(options.retries),
        min_wait_ms_(options.min_wait_ms),
        max_wait_ms_(options.max_wait_ms) {}

  bool ShouldRetry(const AWSErrorDetail& error, int64_t attempted) override {
    return error.should_retry && attempted < retries_;
  }
  int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail&, int64_t attempted) override {
    thread_local std::minstd_rand random(std::random_device{}());
    const int64_t most = std::min(max_wait_ms_, min_wait_ms_ << std::min<int64_t>(attempted, 20));
    return most / 2 + static_cast<int64_t>(random()) % (most / 2 + 1);
  }

 private:
  const int64_t retries_;
  const int64_t min_wait_ms_;
  const int64_t max_wait_ms_;
};

Status StartS3() {
  static const ::arrow::Status started = [] {
    fs::S3GlobalOptions global = fs::S3GlobalOptions::Defaults();
    if (std::getenv("ARROW_S3_LOG_LEVEL") == nullptr) global.log_level = fs::S3LogLevel::Off;
    return fs::InitializeS3(global);
  }();
  if (!started.ok()) return Fail(ErrorOf(started, "S3Exception"));
  return {};
}

// Called with the first file system made: what shutting down uses was made before this guard then,
// and so outlives it. What still runs waits; what comes later fails.
void ShutDownS3AtExit() {
  static const struct Guard {
    ~Guard() { (void)fs::EnsureS3Finalized(); }
  } guard;
}

void Configure(const S3Options& options, fs::S3Options& out) {
  const AwsCredentials& keys = options.credentials;
  if (options.anonymous) {
    out.ConfigureAnonymousCredentials();
  } else if (!options.role_arn.empty()) {
    out.ConfigureAssumeRoleCredentials(options.role_arn, options.role_session, options.external_id);
  } else if (!keys.access_key_id.empty()) {
    out.ConfigureAccessKey(keys.access_key_id, keys.secret_access_key, keys.session_token);
  } else {
    out.ConfigureDefaultCredentials();
  }
  if (!options.endpoint.empty()) {
    out.endpoint_override = Authority(options.endpoint);
    out.scheme = UrlScheme(options.endpoint);
    out.region = "us-east-1";
  }
  if (!options.region.empty()) out.region = options.region;
  out.force_virtual_addressing = options.virtual_host;
  out.connect_timeout = kConnectSeconds;
  out.request_timeout = kStallSeconds;
  out.allow_delayed_open = true;  // small objects go up in one request
  out.retry_strategy = std::make_shared<RetryStrategy>(options);
  out.sse_customer_key = options.customer_key;
  if (!options.acl.empty())
    out.default_metadata = ::arrow::key_value_metadata({"ACL"}, {options.acl});
}

std::string AccountOf(const std::string& bucket) {
  const size_t at = bucket.find('@');
  if (at == std::string::npos) return {};
  return bucket.substr(at + 1, bucket.find('.', at) - at - 1);
}

// "core.windows.net" of "container@account.dfs.core.windows.net".
std::string DomainOf(const std::string& bucket) {
  const size_t dot = bucket.find('.', std::min(bucket.find('@'), bucket.size()));
  const size_t next = dot == std::string::npos ? dot : bucket.find('.', dot + 1);
  return next == std::string::npos ? std::string() : bucket.substr(next + 1);
}

::arrow::Status Configure(const AzureOptions& options, fs::AzureOptions& out) {
  const auto key = options.account_keys.find(out.account_name);
  auto token = options.sas_tokens.find(out.account_name);
  if (token == options.sas_tokens.end()) token = options.sas_tokens.find("");
  if (options.anonymous) return out.ConfigureAnonymousCredential();
  if (key != options.account_keys.end()) return out.ConfigureAccountKeyCredential(key->second);
  if (token != options.sas_tokens.end()) return out.ConfigureSASCredential(token->second);
  if (!options.client_secret.empty()) {
    return out.ConfigureClientSecretCredential(options.tenant_id, options.client_id,
                                               options.client_secret);
  }
  if (!options.client_id.empty()) return out.ConfigureManagedIdentityCredential(options.client_id);
  return out.ConfigureDefaultCredential();
}

// Keys may be renewed between the questions for their parts.
AwsCredentials CredentialsOf(const fs::S3Options& options) {
  while (true) {
    AwsCredentials keys{options.GetAccessKey(), options.GetSecretKey(), options.GetSessionToken()};
    if (options.GetAccessKey() == keys.access_key_id) return keys;
  }
}

std::string AmazonEndpoint(const std::string& region) {
  return "https://s3." + region +
         (region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
}

}  // namespace

Result<ArrowFileSystemPtr> MakeFileSystem(const S3Options& options, const std::string& bucket) {
  RETURN_IF_ERROR(StartS3());
  (void)::arrow::io::SetIOThreadPoolCapacity(kThreads);
  fs::S3Options out;
  Configure(options, out);
  if (out.region.empty()) {
    // Buckets are anywhere; a request to the wrong region fails.
    if (auto region = fs::ResolveS3BucketRegion(bucket); region.ok()) out.region = *region;
  }
  ARROW_ASSIGN(ArrowFileSystemPtr made, fs::S3FileSystem::Make(out), "S3Exception");
  ShutDownS3AtExit();
  return made;
}

Result<ArrowFileSystemPtr> MakeFileSystem(const GcsOptions& options, const std::string&) {
  (void)::arrow::io::SetIOThreadPoolCapacity(kThreads);
  fs::GcsOptions out = fs::GcsOptions::Defaults();
  if (options.anonymous) {
    out = fs::GcsOptions::Anonymous();
  } else if (!options.access_token.empty()) {
    using Clock = std::chrono::system_clock;
    const auto expiry =
        options.token_expires_ms == 0
            ? Clock::now() + std::chrono::hours(1)
            : Clock::time_point(std::chrono::milliseconds(options.token_expires_ms));
    out = fs::GcsOptions::FromAccessToken(options.access_token, expiry);
  } else if (!options.key_json.empty()) {
    out = fs::GcsOptions::FromServiceAccountCredentials(options.key_json);
  }
  if (!options.endpoint.empty()) {
    out.endpoint_override = Authority(options.endpoint);
    out.scheme = UrlScheme(options.endpoint);
  }
  out.retry_limit_seconds = kStallSeconds;
  ARROW_ASSIGN(ArrowFileSystemPtr made, fs::GcsFileSystem::Make(out), "StorageException");
  return made;
}

Result<ArrowFileSystemPtr> MakeFileSystem(const AzureOptions& options, const std::string& bucket) {
  (void)::arrow::io::SetIOThreadPoolCapacity(kThreads);
  fs::AzureOptions out;
  out.account_name = AccountOf(bucket);
  if (out.account_name.empty() && options.account_keys.size() == 1)
    out.account_name = options.account_keys.begin()->first;
  if (const std::string domain = DomainOf(bucket); !domain.empty()) {
    out.blob_storage_authority = ".blob." + domain;
    out.dfs_storage_authority = ".dfs." + domain;
  }
  if (!options.blob_authority.empty()) out.blob_storage_authority = options.blob_authority;
  if (!options.dfs_authority.empty()) out.dfs_storage_authority = options.dfs_authority;
  out.blob_storage_scheme = out.dfs_storage_scheme = options.scheme;
  const ::arrow::Status configured = Configure(options, out);
  if (!configured.ok()) return Fail(ErrorOf(configured, "BlobStorageException"));
  ARROW_ASSIGN(ArrowFileSystemPtr made, fs::AzureFileSystem::Make(out), "BlobStorageException");
  return made;
}

Result<S3Access> AccessOf(const ::arrow::fs::FileSystem& files, const std::string& bucket) {
  const auto* s3 = dynamic_cast<const fs::S3FileSystem*>(&files);
  if (s3 == nullptr) return Fail(ErrorCode::kUnsupported, "Not S3");
  const fs::S3Options options = s3->options();
  const bool amazon = options.endpoint_override.empty();
  // A certificate for *.s3... does not cover buckets with dots.
  const bool in_host =
      options.force_virtual_addressing || (amazon && bucket.find('.') == std::string::npos);
  return S3Access{
      amazon ? AmazonEndpoint(s3->region()) : options.scheme + "://" + options.endpoint_override,
      in_host, s3->region(), CredentialsOf(options)};
}

std::string SharedBy(const S3Options& options, const std::string& bucket) {
  return options.endpoint.empty() && options.region.empty() ? bucket : std::string();
}
std::string SharedBy(const GcsOptions&, const std::string&) { return {}; }
std::string SharedBy(const AzureOptions&, const std::string& bucket) {
  return bucket.substr(std::min(bucket.find('@'), bucket.size()));
}

}  // namespace iceblink::io
