// Who may do what on the REST catalog: principals with hashed secrets, roles per namespace, and the
// tokens that the token endpoint hands out.
//
//   {"principals": [{"name": "etl", "client-id": "etl", "secret": "pbkdf2-sha256$100000$SALT$HASH",
//                    "roles": ["loader"]}],
//    "roles": {"loader": [{"namespace": "sales", "privilege": "write"},
//                         {"namespace": "*", "privilege": "read"}]}}
//
// A grant covers a namespace (levels joined by dots) and all below it; "*" covers everything.
// Values are immutable once read: safe from several threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace iceblink::server {

// Each includes the ones before it.
enum class Privilege : uint8_t {
  kNone,
  kRead,    // load, list, plan
  kWrite,   // commit to what exists
  kManage,  // create, drop, rename, properties
};

class Principals {
 public:
  // Reads the JSON file. Errors name what is wrong in it, never a secret.
  static Result<std::shared_ptr<const Principals>> Read(const std::string& path);
  static Result<std::shared_ptr<const Principals>> Parse(std::string_view json,
                                                         std::string_view source);

  // The principal's name. kUnauthenticated for an unknown id and a wrong secret alike, after the
  // same work.
  Result<std::string> Authenticate(const std::string& client_id, std::string_view secret) const;
  bool Has(const std::string& principal) const { return by_name_.contains(principal); }
  Privilege In(const std::string& principal, const catalog::Namespace& ns) const;
  // Whether a list shows the namespace: it, one above or one below is granted.
  bool CanSee(const std::string& principal, const catalog::Namespace& ns) const;

 private:
  struct Grant {
    catalog::Namespace ns;
    Privilege privilege = Privilege::kNone;
  };
  struct Principal {
    std::string name;
    std::string secret_hash;
    std::vector<Grant> grants;
  };
  std::map<std::string, Principal> by_client_id_;
  std::map<std::string, const Principal*> by_name_;
};

// "pbkdf2-sha256$ITERATIONS$SALT$HASH" with a random salt, both in hexadecimal.
std::string HashSecret(std::string_view secret);
// In constant time for hashes of one form. False for a malformed hash.
bool MatchesSecretHash(std::string_view secret, std::string_view hash);

// Signed bearer tokens: "PAYLOAD.SIGNATURE" in base64url, the payload naming principal and expiry,
// the signature HMAC-SHA256 under the issuer's key. Nothing is stored, so instances that share a
// key take each other's tokens.
class TokenIssuer {
 public:
  static constexpr int64_t kLifetimeSeconds = 3600;

  // An empty key means a random one: tokens end with the process.
  explicit TokenIssuer(std::string key = {});
  std::string Issue(const std::string& principal, int64_t now_ms) const;
  // The principal. kUnauthenticated: not ours, or expired ("Token expired").
  Result<std::string> Verify(std::string_view token, int64_t now_ms) const;

 private:
  std::string Sign(std::string_view payload) const;
  std::string key_;
};

}  // namespace iceblink::server
