#include "io/s3_options.h"

#include <array>

#include "base/base64.h"
#include "base/strings.h"

namespace iceblink::io {
namespace {

constexpr SettingNames kEndpoint = {{"s3.endpoint", "fs.s3a.endpoint"},
                                    {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}};
constexpr SettingNames kRegion = {{"client.region", "s3.region", "fs.s3a.endpoint.region"},
                                  {"AWS_REGION", "AWS_DEFAULT_REGION"}};
constexpr SettingNames kPathStyle = {{"s3.path-style-access", "fs.s3a.path.style.access"}, {}};
constexpr SettingNames kVirtualHost = {{"s3.force-virtual-addressing"}, {}};
constexpr SettingNames kAccessKey = {
    {"s3.access-key-id", "client.access-key-id", "fs.s3a.access.key"}, {}};
constexpr SettingNames kSecretKey = {
    {"s3.secret-access-key", "client.secret-access-key", "fs.s3a.secret.key"}, {}};
constexpr SettingNames kSessionToken = {
    {"s3.session-token", "client.session-token", "fs.s3a.session.token"}, {}};
constexpr SettingNames kProvider = {
    {"client.credentials-provider", "fs.s3a.aws.credentials.provider"}, {}};
constexpr SettingNames kAnonymous = {{"s3.anonymous"}, {}};
constexpr SettingNames kRole = {
    {"client.assume-role.arn", "s3.role-arn", "fs.s3a.assumed.role.arn"}, {}};
constexpr SettingNames kRoleSession = {
    {"client.assume-role.session-name", "s3.role-session-name", "fs.s3a.assumed.role.session.name"},
    {}};
constexpr SettingNames kExternalId = {{"client.assume-role.external-id"}, {}};
constexpr SettingNames kSsl = {{"fs.s3a.connection.ssl.enabled"}, {}};
constexpr SettingNames kRetries = {{"s3.retry.num-retries", "fs.s3a.attempts.maximum"}, {}};
constexpr SettingNames kMinWait = {{"s3.retry.min-wait-ms"}, {}};
constexpr SettingNames kMaxWait = {{"s3.retry.max-wait-ms"}, {}};
constexpr SettingNames kEncryption = {{"s3.sse.type"}, {}};
constexpr SettingNames kEncryptionKey = {{"s3.sse.key"}, {}};
constexpr SettingNames kAcl = {{"s3.acl"}, {}};
constexpr SettingNames kRemoteSigning = {{"s3.remote-signing-enabled"}, {}};

// Settings that change what is written or who asks, which Arrow's S3 has no way to express.
struct Refused {
  SettingNames names;
  const char* harmless;  // the value that asks for nothing
  const char* instead;
};
constexpr std::array kRefused = {
    Refused{{{"s3.profile-name", "client.profile-name"}, {}}, "", "set AWS_PROFILE"},
    Refused{{{"s3.write.storage-class"}, {}}, "STANDARD", "use a lifecycle rule of the bucket"},
};

Status RefuseWhatCannotBeHeeded(const PropertyLookup& lookup) {
  for (const Refused& refused : kRefused) {
    const auto value = lookup.Property(refused.names);
    if (value && !EqualsIgnoreCase(*value, refused.harmless)) {
      return Fail(ErrorCode::kUnsupported,
                  std::string("Unsupported: ") + refused.names.properties[0] + ". Instead, " +
                      refused.instead,
                  "UnsupportedOperationException");
    }
  }
  return {};
}

// A catalog's signer is not asked; with keys of the table's or one's own it need not be.
Status RefuseSigner(const PropertyLookup& lookup, const S3Options& options) {
  bool enabled = false;
  RETURN_IF_ERROR(lookup.Read(kRemoteSigning, enabled));
  if (!enabled || options.anonymous || !options.credentials.access_key_id.empty()) return {};
  return Fail(ErrorCode::kUnsupported,
              "Unsupported: s3.remote-signing-enabled. Instead, let the catalog vend credentials, "
              "which it is asked for with every table, or set s3.access-key-id and "
              "s3.secret-access-key",
              "UnsupportedOperationException");
}

// With a scheme and without a slash at the end; Hadoop's endpoints have no scheme.
Result<std::string> Endpoint(const PropertyLookup& lookup) {
  std::string endpoint(StripTrailing(lookup.Get(kEndpoint), '/'));
  if (endpoint.empty() || endpoint.find("://") != std::string::npos) return endpoint;
  bool ssl = true;
  RETURN_IF_ERROR(lookup.Read(kSsl, ssl));
  return (ssl ? "https://" : "http://") + endpoint;
}

// Stores with an endpoint of their own are reached by path unless that is ruled out.
Status ReadAddressing(const PropertyLookup& lookup, S3Options& out) {
  bool path_style = true;
  RETURN_IF_ERROR(lookup.Read(kPathStyle, path_style));
  out.virtual_host = !path_style;
  return lookup.Read(kVirtualHost, out.virtual_host);
}

Status ReadCredentials(const PropertyLookup& lookup, S3Options& out) {
  RETURN_IF_ERROR(lookup.Read(kAnonymous, out.anonymous));
  if (lookup.Get(kProvider).find("Anonymous") != std::string::npos) out.anonymous = true;
  out.role_arn = lookup.Get(kRole);
  out.role_session = lookup.Get(kRoleSession);
  out.external_id = lookup.Get(kExternalId);
  out.credentials = {lookup.Get(kAccessKey), lookup.Get(kSecretKey), lookup.Get(kSessionToken)};
  if (out.credentials.access_key_id.empty() != out.credentials.secret_access_key.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "S3 client access key ID and secret access key must be set at the same time",
                "ValidationException");
  }
  return {};
}

Status ReadEncryption(const PropertyLookup& lookup, S3Options& out) {
  const std::string type = AsciiLower(lookup.Get(kEncryption));
  if (type.empty() || type == "none") return {};
  if (type != "custom") {
    return Fail(
        ErrorCode::kUnsupported,
        "Unsupported: s3.sse.type " + type + ". Instead, set the default encryption of the bucket",
        "UnsupportedOperationException");
  }
  const auto key = Base64Decode(lookup.Get(kEncryptionKey));
  if (!key || key->size() != 32) return PropertyLookup::Invalid(kEncryptionKey, "no 256-bit key");
  out.customer_key = *key;
  return {};
}

}  // namespace

Result<S3Options> ParseS3Options(const std::map<std::string, std::string>& properties,
                                 const EnvironmentLookup& environment) {
  const PropertyLookup lookup(properties, environment);
  S3Options out;
  RETURN_IF_ERROR(RefuseWhatCannotBeHeeded(lookup));
  ASSIGN_OR_RETURN(out.endpoint, Endpoint(lookup));
  out.region = lookup.Get(kRegion);
  out.acl = lookup.Get(kAcl);
  RETURN_IF_ERROR(ReadAddressing(lookup, out));
  RETURN_IF_ERROR(ReadCredentials(lookup, out));
  RETURN_IF_ERROR(RefuseSigner(lookup, out));
  RETURN_IF_ERROR(ReadEncryption(lookup, out));
  RETURN_IF_ERROR(lookup.Read(kRetries, 0, 100, out.retries));
  RETURN_IF_ERROR(lookup.Read(kMinWait, 0, 600'000, out.min_wait_ms));
  RETURN_IF_ERROR(lookup.Read(kMaxWait, 0, 600'000, out.max_wait_ms));
  return out;
}

}  // namespace iceblink::io
