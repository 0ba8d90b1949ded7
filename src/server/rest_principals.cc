#include "server/rest_principals.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/json.h"
#include "base/strings.h"
#include "io/sigv4.h"

namespace iceblink::server {
namespace {

constexpr std::string_view kScheme = "pbkdf2-sha256";
constexpr int kIterations = 100'000;
constexpr size_t kHashBytes = 32, kSaltBytes = 16;

std::string RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  // Only fails where the system has no entropy at all; then nothing here may go on.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1)
    std::abort();
  return bytes;
}

std::string Derive(std::string_view secret, std::string_view salt, int iterations) {
  std::string hash(kHashBytes, '\0');
  PKCS5_PBKDF2_HMAC(secret.data(), static_cast<int>(secret.size()),
                    reinterpret_cast<const unsigned char*>(salt.data()),
                    static_cast<int>(salt.size()), iterations, EVP_sha256(), kHashBytes,
                    reinterpret_cast<unsigned char*>(hash.data()));
  return hash;
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

tl::unexpected<Error> Unauthorized(std::string message) {
  return Fail(ErrorCode::kUnauthenticated, std::move(message), "NotAuthorizedException");
}

Result<Privilege> PrivilegeOf(const std::string& name) {
  if (name == "read") return Privilege::kRead;
  if (name == "write") return Privilege::kWrite;
  if (name == "manage") return Privilege::kManage;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("unknown privilege {} (read, write, manage)", name));
}

bool Covers(const catalog::Namespace& grant, const catalog::Namespace& ns) {
  return grant.size() <= ns.size() && std::equal(grant.begin(), grant.end(), ns.begin());
}

}  // namespace

std::string HashSecret(std::string_view secret) {
  const std::string salt = RandomBytes(kSaltBytes);
  return fmt::format("{}${}${}${}", kScheme, kIterations, HexEncode(salt),
                     HexEncode(Derive(secret, salt, kIterations)));
}

bool MatchesSecretHash(std::string_view secret, std::string_view hash) {
  const auto parts = Split(hash, '$');
  if (parts.size() != 4 || parts[0] != kScheme) return false;
  const auto iterations = ParseInt32(parts[1]);
  const auto salt = HexDecode(parts[2]), expected = HexDecode(parts[3]);
  if (!iterations || *iterations < 1 || !salt || !expected) return false;
  return EqualInConstantTime(Derive(secret, *salt, *iterations), *expected);
}

Result<std::shared_ptr<const Principals>> Principals::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(ErrorCode::kNotFound, "Cannot read the principals file " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return Parse(text, path);
}

Result<std::shared_ptr<const Principals>> Principals::Parse(std::string_view text,
                                                            std::string_view source) {
  const auto refuse = [&](const std::string& why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("Cannot use {}: {}", source, why));
  };
  const auto json = ParseJson(text, source);
  if (!json) return refuse("it is no JSON");  // the parser's message would quote the text
  std::map<std::string, std::vector<Grant>> roles;
  if (const Json* given = json::Find(*json, "roles"); given != nullptr && given->is_object()) {
    for (const auto& [role, grants] : given->items()) {
      for (const Json& grant : grants) {
        const auto ns = json::GetString(grant, "namespace");
        const auto name = json::GetString(grant, "privilege");
        if (!ns || !name) return refuse("a grant needs namespace and privilege");
        const auto privilege = PrivilegeOf(*name);
        if (!privilege) return refuse(privilege.error().message);
        roles[role].push_back({*ns == "*" ? catalog::Namespace() : Split(*ns, '.'), *privilege});
      }
    }
  }
  const auto principals = std::make_shared<Principals>();
  const auto list = json::GetArray(*json, "principals");
  if (!list) return refuse("the list principals is missing");
  for (const Json& given : **list) {
    const auto name = json::GetString(given, "name");
    const auto id = json::FindString(given, "client-id");
    const auto secret = json::GetString(given, "secret");
    const auto held = json::GetStringList(given, "roles");
    if (!name || !id || !secret || !held) return refuse("a principal needs name, secret and roles");
    if (!secret->starts_with(kScheme))
      return refuse(fmt::format("the secret of {} is not hashed ({}$...)", *name, kScheme));
    Principal principal{*name, *secret, {}};
    for (const std::string& role : *held) {
      const auto grants = roles.find(role);
      if (grants == roles.end())
        return refuse(fmt::format("{} has the unknown role {}", *name, role));
      principal.grants.insert(principal.grants.end(), grants->second.begin(), grants->second.end());
    }
    principals->by_client_id_[id->value_or(*name)] = std::move(principal);
  }
  for (const auto& [id, principal] : principals->by_client_id_)
    principals->by_name_[principal.name] = &principal;
  return principals;
}

Result<std::string> Principals::Authenticate(const std::string& client_id,
                                             std::string_view secret) const {
  static const std::string kNobody = HashSecret("");
  const auto at = by_client_id_.find(client_id);
  const bool known = at != by_client_id_.end();
  const bool matches = MatchesSecretHash(secret, known ? at->second.secret_hash : kNobody);
  if (!known || !matches) return Unauthorized("Client authentication failed");
  return at->second.name;
}

Privilege Principals::In(const std::string& principal, const catalog::Namespace& ns) const {
  Privilege most = Privilege::kNone;
  const auto at = by_name_.find(principal);
  if (at == by_name_.end()) return most;
  for (const Grant& grant : at->second->grants) {
    if (Covers(grant.ns, ns)) most = std::max(most, grant.privilege);
  }
  return most;
}

bool Principals::CanSee(const std::string& principal, const catalog::Namespace& ns) const {
  const auto at = by_name_.find(principal);
  if (at == by_name_.end()) return false;
  return std::any_of(at->second->grants.begin(), at->second->grants.end(), [&](const Grant& grant) {
    return Covers(grant.ns, ns) || Covers(ns, grant.ns);
  });
}

TokenIssuer::TokenIssuer(std::string key) : key_(std::move(key)) {
  if (key_.empty()) key_ = RandomBytes(kHashBytes);
}

std::string TokenIssuer::Sign(std::string_view payload) const {
  return Base64UrlEncode(io::HmacSha256(key_, payload));
}

std::string TokenIssuer::Issue(const std::string& principal, int64_t now_ms) const {
  const Json claims = {{"sub", principal}, {"exp", now_ms / 1000 + kLifetimeSeconds}};
  const std::string payload = Base64UrlEncode(DumpJson(claims));
  return payload + "." + Sign(payload);
}

Result<std::string> TokenIssuer::Verify(std::string_view token, int64_t now_ms) const {
  const size_t dot = token.find('.');
  if (dot == std::string_view::npos) return Unauthorized("Invalid token");
  const std::string_view payload = token.substr(0, dot);
  if (!EqualInConstantTime(token.substr(dot + 1), Sign(payload)))
    return Unauthorized("Invalid token");
  const auto claims = ParseJson(Base64Decode(payload).value_or(""), "token");
  if (!claims) return Unauthorized("Invalid token");
  const auto principal = json::GetString(*claims, "sub");
  const auto expiry = json::GetLong(*claims, "exp");
  if (!principal || !expiry) return Unauthorized("Invalid token");
  if (*expiry <= now_ms / 1000) return Unauthorized("Token expired");
  return *principal;
}

}  // namespace iceblink::server
