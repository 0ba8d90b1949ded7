#include "io/aws_credentials.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/clock.h"
#include "base/datetime.h"
#include "base/json.h"
#include "base/strings.h"
#include "io/xml.h"

namespace iceblink::io {
namespace {

constexpr int64_t kRefreshBeforeMs = 5 * 60 * 1000;
constexpr int64_t kMetadataTimeoutMs = 1000;

// What a source says: keys, nothing (ask the next), or why it failed.
using Answer = Result<std::optional<ExpiringCredentials>>;

struct Context {
  HttpClient& http;
  const EnvironmentLookup& environment;
  std::string profile;

  std::string Variable(const char* name) const { return environment(name).value_or(""); }
};

Result<std::string> ReadText(const std::string& path) {
  const std::ifstream file(path);
  if (!file) return Fail(ErrorCode::kNotFound, "Cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int64_t ExpiryOf(const std::string& text) {
  const auto time = ParseTimestamp(text);
  const auto micros = time ? time->ToMicros() : std::nullopt;
  return micros ? *micros / 1000 : INT64_MAX;
}

Answer FromJson(std::string_view text, const char* what) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, what));
  const auto field = [&](std::string_view key) {
    auto value = json::FindString(json, key);
    return value && *value ? **value : std::string();
  };
  std::string token = field("Token");
  if (token.empty()) token = field("SessionToken");
  const AwsCredentials keys{field("AccessKeyId"), field("SecretAccessKey"), token};
  if (keys.access_key_id.empty())
    return Fail(ErrorCode::kUnauthenticated, fmt::format("No keys in the answer of {}", what));
  return ExpiringCredentials{keys, ExpiryOf(field("Expiration"))};
}

Answer FromWebIdentity(const Context& context) {
  const std::string file = context.Variable("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::string role = context.Variable("AWS_ROLE_ARN");
  if (file.empty() || role.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string token, ReadText(file));
  std::string session = context.Variable("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "iceblink";
  std::string endpoint = context.Variable("AWS_ENDPOINT_URL_STS");
  const std::string region = context.Variable("AWS_REGION");
  if (endpoint.empty()) {
    endpoint = region.empty() ? "https://sts.amazonaws.com"
                              : fmt::format("https://sts.{}.amazonaws.com", region);
  }
  HttpRequest request{
      "POST", endpoint + "/", {{"Content-Type", "application/x-www-form-urlencoded"}}};
  request.body = fmt::format(
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn={}&RoleSessionName={}"
      "&WebIdentityToken={}",
      PercentEncode(role), PercentEncode(session), PercentEncode(Trim(token)));
  ASSIGN_OR_RETURN(const HttpResponse response, context.http.Send(request));
  if (response.status != 200) {
    return Fail(
        ErrorCode::kUnauthenticated,
        fmt::format("AssumeRoleWithWebIdentity of {} failed: HTTP {}", role, response.status));
  }
  ASSIGN_OR_RETURN(const XmlElement document, ParseXml(response.body));
  const XmlElement* keys = document.FindDeep("Credentials");
  if (keys == nullptr) return Fail(ErrorCode::kUnauthenticated, "No keys in the answer of STS");
  return ExpiringCredentials{
      {keys->Text("AccessKeyId"), keys->Text("SecretAccessKey"), keys->Text("SessionToken")},
      ExpiryOf(keys->Text("Expiration"))};
}

// Runs the command of a profile, as AWS' tools do.
Answer FromProcess(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (pipe == nullptr) return Fail(ErrorCode::kUnauthenticated, "Cannot run credential_process");
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    text.append(buffer.data(), got);
  return FromJson(text, "credential_process");
}

Answer FromProfile(const Context& context) {
  const auto setting = [&](const char* key) {
    return AwsProfileSetting(context.profile, key, context.environment).value_or("");
  };
  const AwsCredentials keys{setting("aws_access_key_id"), setting("aws_secret_access_key"),
                            setting("aws_session_token")};
  if (!keys.access_key_id.empty()) return ExpiringCredentials{keys};
  const std::string command = setting("credential_process");
  if (!command.empty()) return FromProcess(command);
  return std::nullopt;
}

Answer FromContainer(const Context& context) {
  const std::string relative = context.Variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  std::string url = context.Variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!relative.empty()) url = "http://169.254.170.2" + relative;
  if (url.empty()) return std::nullopt;
  HttpRequest request{"GET", url};
  request.timeout_ms = 10 * kMetadataTimeoutMs;
  std::string token = context.Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const std::string file = context.Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (!file.empty()) {
    ASSIGN_OR_RETURN(token, ReadText(file));
  }
  if (!token.empty()) request.headers.emplace_back("Authorization", std::string(Trim(token)));
  ASSIGN_OR_RETURN(const HttpResponse response, context.http.Send(request));
  return FromJson(response.body, "the container's credential endpoint");
}

Answer FromInstance(const Context& context) {
  if (EqualsIgnoreCase(context.Variable("AWS_EC2_METADATA_DISABLED"), "true")) return std::nullopt;
  std::string base = context.Variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (base.empty()) base = "http://169.254.169.254";
  HttpRequest ask{
      "PUT", base + "/latest/api/token", {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}}};
  ask.timeout_ms = kMetadataTimeoutMs;
  const auto token = context.http.Send(ask);
  if (!token || token->status != 200) return std::nullopt;  // no instance of EC2
  const auto get = [&](const std::string& path) {
    HttpRequest request{"GET", base + path, {{"X-aws-ec2-metadata-token", token->body}}};
    request.timeout_ms = kMetadataTimeoutMs;
    return context.http.Send(request);
  };
  const std::string folder = "/latest/meta-data/iam/security-credentials/";
  ASSIGN_OR_RETURN(const HttpResponse role, get(folder));
  if (role.status != 200) return std::nullopt;
  ASSIGN_OR_RETURN(const HttpResponse keys, get(folder + std::string(Trim(role.body))));
  return FromJson(keys.body, "the instance's metadata service");
}

constexpr std::array kChain = {FromWebIdentity, FromProfile, FromContainer, FromInstance};

// The value of `key` in section `section` of an ini file.
std::optional<std::string> IniValue(const std::string& path, const std::string& section,
                                    const std::string& key) {
  std::ifstream file(path);
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    const std::string_view text = Trim(line);
    if (text.starts_with('[')) inside = text == "[" + section + "]";
    const size_t equals = text.find('=');
    if (!inside || equals == std::string_view::npos || text.starts_with('#')) continue;
    if (Trim(text.substr(0, equals)) == key) return std::string(Trim(text.substr(equals + 1)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> AwsProfileSetting(const std::string& profile, const std::string& key,
                                             const EnvironmentLookup& environment) {
  const std::string name = profile.empty() ? "default" : profile;
  const std::string home = environment("HOME").value_or("") + "/.aws/";
  const auto keys = environment("AWS_SHARED_CREDENTIALS_FILE").value_or(home + "credentials");
  const auto config = environment("AWS_CONFIG_FILE").value_or(home + "config");
  if (auto value = IniValue(keys, name, key)) return value;
  return IniValue(config, name == "default" ? name : "profile " + name, key);
}

AwsCredentialsProvider::AwsCredentialsProvider(AwsCredentials configured, std::string profile,
                                               HttpClient& http, EnvironmentLookup environment)
    : configured_(std::move(configured)),
      profile_(std::move(profile)),
      http_(http),
      environment_(std::move(environment)) {}

Result<AwsCredentials> AwsCredentialsProvider::Get() {
  if (!configured_.access_key_id.empty()) return configured_;
  const std::lock_guard lock(mutex_);
  const int64_t now = SystemClock().NowMillis();
  if (current_ && now < current_->expires_ms - kRefreshBeforeMs) return current_->credentials;
  const Context context{http_, environment_, profile_};
  std::string failures;
  for (const auto& source : kChain) {
    const Answer answer = source(context);
    if (answer && *answer) {
      current_ = **answer;
      return current_->credentials;
    }
    if (!answer) failures += "; " + answer.error().message;
  }
  if (current_ && now < current_->expires_ms) return current_->credentials;
  return Fail(ErrorCode::kUnauthenticated,
              "Unable to load credentials from any of the providers in the chain: configuration, "
              "environment, web identity, profile, container, instance" +
                  failures,
              "SdkClientException");
}

void AwsCredentialsProvider::Forget() {
  const std::lock_guard lock(mutex_);
  current_.reset();
}

}  // namespace iceblink::io
