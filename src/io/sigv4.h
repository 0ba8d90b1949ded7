// AWS Signature Version 4: signing of requests to S3, S3 Tables and REST catalogs, and the check of
// such signatures in our own server.
//
//   canonical request = method \n path \n query \n (name:value\n)* \n names \n payload hash
//   string to sign    = "AWS4-HMAC-SHA256" \n time \n date/region/service/aws4_request \n
//                       sha256(canonical request)
//   signature         = hmac(hmac(hmac(hmac(hmac("AWS4" secret, date), region), service),
//                       "aws4_request"), string to sign)
//
// The canonical path is the sent path with dots resolved and percent-encoded once more ("%3A"
// counts as "%253A"); for the service "s3" it is the sent path itself. Pure functions, safe from
// several threads. SHA-256 is OpenSSL's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace iceblink::io {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
// 32 bytes.
std::string HmacSha256(std::string_view key, std::string_view bytes);

// Escapes all but letters, digits and "-_.~" (and slashes, when asked to keep them), as AWS does.
std::string PercentEncode(std::string_view text, bool keep_slashes = false);
// A '%' that starts no escape stays.
std::string PercentDecode(std::string_view text);

struct AwsCredentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty for long-lived keys
  bool operator==(const AwsCredentials&) const = default;
};

// What a signature is good for.
struct SigV4Scope {
  std::string region;   // "us-east-1"
  std::string service;  // "s3", "s3tables", "execute-api" ...
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// A request as it goes over the wire. Header names may be of any case; "Host" must be among them.
struct SigV4Request {
  std::string method;
  std::string path;   // percent-encoded as sent; "" counts as "/"
  std::string query;  // as sent, without '?'
  HeaderList headers;
};

// Payload hash of a body that is not hashed; S3 accepts it.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// Returns the headers to add to the request: X-Amz-Date, X-Amz-Content-SHA256,
// X-Amz-Security-Token (when there is one), Authorization. Every given header is signed but those
// that proxies change (Connection, User-Agent, Expect, Transfer-Encoding, X-Amzn-Trace-Id).
// `payload_hash` is Sha256Hex(body) or kUnsignedPayload; `now_ms` is since the epoch.
HeaderList SignSigV4(const SigV4Request& request, const AwsCredentials& credentials,
                     const SigV4Scope& scope, std::string_view payload_hash, int64_t now_ms);

// Returns the query of a presigned request: the given query, X-Amz-Algorithm ... X-Amz-Signature.
// It is good for `expires_seconds` from `now_ms`.
std::string PresignSigV4(const SigV4Request& request, const AwsCredentials& credentials,
                         const SigV4Scope& scope, int64_t expires_seconds, int64_t now_ms);

struct SigV4Identity {
  std::string access_key_id;
  std::string region;
  std::string session_token;
};

struct SigV4Verification {
  // The secret of an access key; nothing when the key is unknown.
  std::function<std::optional<std::string>(std::string_view access_key_id)> secret_of;
  std::string service;  // which the scope must name
  int64_t now_ms = 0;
  int64_t max_skew_ms = 15 * 60 * 1000;
};

// Checks the signature in the request's Authorization header, or in its query (presigned), and that
// the signed payload hash is that of `body`. Errors, with AWS's class: kUnauthenticated
// MissingAuthenticationTokenException; kForbidden IncompleteSignatureException,
// UnrecognizedClientException (unknown key), InvalidSignatureException (wrong secret, changed
// request, clock skew). No message holds a secret.
Result<SigV4Identity> VerifySigV4(const SigV4Request& request, std::string_view body,
                                  const SigV4Verification& verification);

}  // namespace iceblink::io
