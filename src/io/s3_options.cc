#include "io/s3_options.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/strings.h"

namespace iceblink::io {
namespace {

// One setting: its names by precedence, null where there are fewer.
struct Names {
  std::array<const char*, 3> properties;
  std::array<const char*, 2> variables;
};
constexpr Names kEndpoint = {{"s3.endpoint", "fs.s3a.endpoint"},
                             {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}};
constexpr Names kRegion = {{"client.region", "s3.region", "fs.s3a.endpoint.region"},
                           {"AWS_REGION", "AWS_DEFAULT_REGION"}};
constexpr Names kPathStyle = {{"s3.path-style-access", "fs.s3a.path.style.access"}, {}};
constexpr Names kAccessKey = {{"s3.access-key-id", "client.access-key-id", "fs.s3a.access.key"},
                              {"AWS_ACCESS_KEY_ID"}};
constexpr Names kSecretKey = {
    {"s3.secret-access-key", "client.secret-access-key", "fs.s3a.secret.key"},
    {"AWS_SECRET_ACCESS_KEY"}};
constexpr Names kSessionToken = {
    {"s3.session-token", "client.session-token", "fs.s3a.session.token"}, {"AWS_SESSION_TOKEN"}};
constexpr Names kProvider = {{"client.credentials-provider", "fs.s3a.aws.credentials.provider"},
                             {}};
constexpr Names kAnonymous = {{"s3.anonymous"}, {}};
constexpr Names kProfile = {{"s3.profile-name", "client.profile-name"}, {"AWS_PROFILE"}};
constexpr Names kSsl = {{"fs.s3a.connection.ssl.enabled"}, {}};
constexpr Names kPartSize = {
    {"s3.multipart.part-size-bytes", "s3.multipart.size", "fs.s3a.multipart.size"}, {}};
constexpr Names kThreshold = {{"s3.multipart.threshold"}, {}};
constexpr Names kRetries = {{"s3.retry.num-retries", "fs.s3a.attempts.maximum"}, {}};
constexpr Names kMinWait = {{"s3.retry.min-wait-ms"}, {}};
constexpr Names kMaxWait = {{"s3.retry.max-wait-ms"}, {}};
constexpr Names kDeleteBatch = {{"s3.delete.batch-size"}, {}};
constexpr Names kRemoteSigning = {{"s3.remote-signing-enabled"}, {}};
constexpr Names kSignerUri = {{"s3.signer.uri", "uri"}, {}};
constexpr Names kSignerEndpoint = {{"s3.signer.endpoint"}, {}};
constexpr Names kSignerToken = {{"token"}, {}};
constexpr Names kEncryption = {{"s3.sse.type"}, {}};
constexpr Names kEncryptionKey = {{"s3.sse.key"}, {}};
constexpr Names kStorageClass = {{"s3.write.storage-class"}, {}};
constexpr Names kAcl = {{"s3.acl"}, {}};

class Lookup {
 public:
  Lookup(const std::map<std::string, std::string>& properties, const EnvironmentLookup& environment)
      : environment_(environment) {
    for (const auto& [key, value] : properties) {
      std::string_view name = key;
      if (name.starts_with("spark.")) name.remove_prefix(6);
      if (name.starts_with("hadoop.")) name.remove_prefix(7);
      if (!value.empty()) properties_.emplace(name, value);
    }
  }

  std::optional<std::string> Property(const Names& names) const {
    for (const char* name : names.properties) {
      const auto it = name == nullptr ? properties_.end() : properties_.find(name);
      if (it != properties_.end()) return it->second;
    }
    return std::nullopt;
  }
  std::string Get(const Names& names) const {
    if (auto property = Property(names)) return *property;
    for (const char* name : names.variables) {
      const auto value = name == nullptr ? std::nullopt : environment_(name);
      if (value) return *value;
    }
    return {};
  }

  Status Read(const Names& names, bool& out) const {
    const auto text = Property(names);
    const auto value = text ? ParseBool(*text) : std::nullopt;
    if (text && !value) return Invalid(names, *text);
    if (value) out = *value;
    return {};
  }
  template <typename Int>
  Status ReadNumber(const Names& names, int64_t least, int64_t most, Int& out) const {
    const auto text = Property(names);
    const auto value = text ? ParseInt64(*text) : std::nullopt;
    if (text && (!value || *value < least || *value > most)) return Invalid(names, *text);
    if (value) out = static_cast<Int>(*value);
    return {};
  }

  static tl::unexpected<Error> Invalid(const Names& names, std::string_view text) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Invalid value of {}: {}", names.properties[0], text),
                "IllegalArgumentException");
  }

 private:
  std::map<std::string, std::string, std::less<>> properties_;
  const EnvironmentLookup& environment_;
};

// With a scheme and without a slash at the end; Hadoop's endpoints have no scheme.
Result<std::string> Endpoint(const Lookup& lookup) {
  std::string endpoint(StripTrailing(lookup.Get(kEndpoint), '/'));
  if (endpoint.empty() || endpoint.find("://") != std::string::npos) return endpoint;
  bool ssl = true;
  RETURN_IF_ERROR(lookup.Read(kSsl, ssl));
  return (ssl ? "https://" : "http://") + endpoint;
}

Status ReadWriteHeaders(const Lookup& lookup, S3Options& out) {
  const std::string type = AsciiLower(lookup.Get(kEncryption));
  const std::string key = lookup.Get(kEncryptionKey);
  if (type == "s3") {
    out.write_headers.emplace_back("x-amz-server-side-encryption", "AES256");
  } else if (type == "kms" || type == "dsse-kms") {
    out.write_headers.emplace_back("x-amz-server-side-encryption",
                                   type == "kms" ? "aws:kms" : "aws:kms:dsse");
    if (!key.empty())
      out.write_headers.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", key);
  } else if (!type.empty() && type != "none") {
    return Fail(ErrorCode::kUnsupported, "Unsupported value of s3.sse.type: " + type);
  }
  const std::string storage_class = lookup.Get(kStorageClass), acl = lookup.Get(kAcl);
  if (!storage_class.empty()) out.write_headers.emplace_back("x-amz-storage-class", storage_class);
  if (!acl.empty()) out.write_headers.emplace_back("x-amz-acl", acl);
  return {};
}

Status ReadCredentials(const Lookup& lookup, S3Options& out) {
  RETURN_IF_ERROR(lookup.Read(kAnonymous, out.anonymous));
  if (lookup.Get(kProvider).find("Anonymous") != std::string::npos) out.anonymous = true;
  out.profile = lookup.Get(kProfile);
  // A key of the properties never goes with a secret or token of the environment.
  if (const auto key = lookup.Property(kAccessKey)) {
    out.credentials = {*key, lookup.Property(kSecretKey).value_or(""),
                       lookup.Property(kSessionToken).value_or("")};
    if (out.credentials.secret_access_key.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "S3 client access key ID and secret access key must be set at the same time",
                  "ValidationException");
    }
  } else if (!lookup.Property(Names{{"s3.profile-name", "client.profile-name"}, {}})) {
    out.credentials = {lookup.Get(kAccessKey), lookup.Get(kSecretKey), lookup.Get(kSessionToken)};
  }
  return {};
}

Status ReadSigner(const Lookup& lookup, S3Options& out) {
  RETURN_IF_ERROR(lookup.Read(kRemoteSigning, out.remote_signing));
  if (!out.remote_signing) return {};
  std::string endpoint = lookup.Get(kSignerEndpoint);
  if (endpoint.empty()) endpoint = "v1/aws/s3/sign";
  const bool absolute = endpoint.find("://") != std::string::npos;
  out.signer_uri = absolute ? endpoint
                            : fmt::format("{}/{}", StripTrailing(lookup.Get(kSignerUri), '/'),
                                          endpoint.substr(endpoint.starts_with('/') ? 1 : 0));
  out.signer_token = lookup.Get(kSignerToken);
  return {};
}

}  // namespace

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

Result<S3Options> ParseS3Options(const std::map<std::string, std::string>& properties,
                                 const EnvironmentLookup& environment) {
  const Lookup lookup(properties, environment);
  S3Options out;
  ASSIGN_OR_RETURN(out.endpoint, Endpoint(lookup));
  out.region = lookup.Get(kRegion);
  RETURN_IF_ERROR(lookup.Read(kPathStyle, out.path_style));
  RETURN_IF_ERROR(ReadCredentials(lookup, out));
  RETURN_IF_ERROR(ReadWriteHeaders(lookup, out));
  RETURN_IF_ERROR(ReadSigner(lookup, out));
  constexpr int64_t kMega = 1 << 20;
  RETURN_IF_ERROR(lookup.ReadNumber(kPartSize, 5 * kMega, 5120 * kMega, out.part_size));
  RETURN_IF_ERROR(lookup.ReadNumber(kRetries, 0, 100, out.retries));
  RETURN_IF_ERROR(lookup.ReadNumber(kMinWait, 0, 600'000, out.min_wait_ms));
  RETURN_IF_ERROR(lookup.ReadNumber(kMaxWait, 0, 600'000, out.max_wait_ms));
  RETURN_IF_ERROR(lookup.ReadNumber(kDeleteBatch, 1, 1000, out.delete_batch));
  if (const auto text = lookup.Property(kThreshold)) {
    const auto factor = ParseDouble(*text);
    if (!factor || *factor < 1) return Lookup::Invalid(kThreshold, *text);
    out.threshold_factor = *factor;
  }
  return out;
}

}  // namespace iceblink::io
