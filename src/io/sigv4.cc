#include "io/sigv4.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // the low-level SHA-256 needs no library start-up
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/datetime.h"
#include "base/strings.h"

namespace iceblink::io {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr size_t kBlockSize = 64;  // of SHA-256

std::string Sha256(std::initializer_list<std::string_view> parts) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (const std::string_view part : parts) SHA256_Update(&context, part.data(), part.size());
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return digest;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

// "20261130T071654Z"
std::string AmzDate(int64_t now_ms) {
  const int64_t seconds = FloorDiv(now_ms, 1000);
  const CivilDate day = CivilFromDays(FloorDiv(seconds, 86400));
  const int64_t rest = FloorMod(seconds, 86400);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", day.year, day.month, day.day, rest / 3600,
                     rest / 60 % 60, rest % 60);
}

// Milliseconds of an AmzDate; nothing when it is none.
std::optional<int64_t> ParseAmzDate(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  const auto number = [&](size_t from, size_t count) {
    return ParseInt32(text.substr(from, count)).value_or(-1);
  };
  const int32_t month = number(4, 2), day = number(6, 2);
  if (month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  const int64_t seconds = DaysFromCivil({number(0, 4), month, day}) * 86400 + number(9, 2) * 3600 +
                          number(11, 2) * 60 + number(13, 2);
  return seconds * 1000;
}

// Resolves "." and ".." and empty segments.
std::string NormalizePath(std::string_view path) {
  std::vector<std::string_view> kept;
  for (size_t start = 0; start < path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view segment = path.substr(start, end - start);
    start = end + 1;
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") kept.push_back(segment);
  }
  std::string out = "/" + Join(kept, "/");
  if (path.ends_with('/') && out.size() > 1) out += '/';
  return out;
}

std::string CanonicalPath(std::string_view path, std::string_view service) {
  if (path.empty()) return "/";
  return service == "s3" ? std::string(path) : PercentEncode(NormalizePath(path), true);
}

// Parameters sorted by name, then value; each as sent but in one spelling of its escapes. A '+'
// stays what the client signed. `omitted` is a parameter to leave out.
std::string CanonicalQuery(std::string_view query, std::string_view omitted = {}) {
  std::vector<std::pair<std::string, std::string>> parameters;
  const auto one_spelling = [](std::string_view text) {
    std::vector<std::string> parts = Split(text, '+');
    for (std::string& part : parts) part = PercentEncode(PercentDecode(part));
    return Join(parts, "+");
  };
  for (const std::string& part : Split(query, '&')) {
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    std::string name = one_spelling(std::string_view(part).substr(0, equals));
    if (!omitted.empty() && name == omitted) continue;
    const size_t value_at = std::min(equals + 1, part.size());
    parameters.emplace_back(std::move(name), one_spelling(std::string_view(part).substr(value_at)));
  }
  std::sort(parameters.begin(), parameters.end());
  std::string out;
  for (const auto& [name, value] : parameters) {
    if (!out.empty()) out += '&';
    out += name + '=' + value;
  }
  return out;
}

// Trims, and makes one space of many.
std::string CanonicalValue(std::string_view value) {
  std::string out;
  for (const char c : Trim(value)) {
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  }
  return out;
}

using CanonicalHeaders = std::map<std::string, std::string>;

// Lower-case names; values of repeated headers joined with commas.
CanonicalHeaders Canonical(const HeaderList& headers) {
  CanonicalHeaders out;
  for (const auto& [name, value] : headers) {
    const auto [slot, fresh] = out.try_emplace(AsciiLower(name), CanonicalValue(value));
    if (!fresh) slot->second += "," + CanonicalValue(value);
  }
  return out;
}

bool ChangedByProxies(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"authorization", "connection",
                                                      "expect",        "transfer-encoding",
                                                      "user-agent",    "x-amzn-trace-id"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string Names(const CanonicalHeaders& headers) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : headers) names.push_back(name);
  return Join(names, ";");
}

// Everything a signature covers.
struct Signed {
  std::string_view method;
  std::string path;   // canonical
  std::string query;  // canonical
  CanonicalHeaders headers;
  std::string_view payload_hash;
  std::string_view amz_date;
  SigV4Scope scope;
};

std::string ScopeText(const Signed& what) {
  return fmt::format("{}/{}/{}/aws4_request", what.amz_date.substr(0, 8), what.scope.region,
                     what.scope.service);
}

std::string Signature(const Signed& what, std::string_view secret) {
  std::string request = fmt::format("{}\n{}\n{}\n", what.method, what.path, what.query);
  for (const auto& [name, value] : what.headers) request += name + ':' + value + '\n';
  request += fmt::format("\n{}\n{}", Names(what.headers), what.payload_hash);
  const std::string to_sign =
      fmt::format("{}\n{}\n{}\n{}", kAlgorithm, what.amz_date, ScopeText(what), Sha256Hex(request));
  std::string key = HmacSha256(fmt::format("AWS4{}", secret), what.amz_date.substr(0, 8));
  key = HmacSha256(key, what.scope.region);
  key = HmacSha256(key, what.scope.service);
  key = HmacSha256(key, "aws4_request");
  return HexEncode(HmacSha256(key, to_sign));
}

// The parts of an Authorization header or of a presigned query.
struct Claim {
  std::string access_key_id;
  std::string date;  // of the scope
  SigV4Scope scope;
  std::vector<std::string> signed_headers;
  std::string signature;
  std::string amz_date;
  std::string session_token;
  int64_t expires_ms = -1;  // presigned only
};

tl::unexpected<Error> Incomplete(std::string message) {
  return Fail(ErrorCode::kForbidden, std::move(message), "IncompleteSignatureException");
}
tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kForbidden, std::move(message), "InvalidSignatureException");
}

Status SetCredential(std::string_view credential, Claim& claim) {
  const std::vector<std::string> parts = Split(credential, '/');
  if (parts.size() < 5 || parts.back() != "aws4_request") {
    return Incomplete(
        "Credential must have exactly 5 slash-delimited elements, e.g. "
        "keyid/date/region/service/term");
  }
  const size_t n = parts.size();  // an access key may hold slashes itself
  claim.access_key_id = Join(std::vector(parts.begin(), parts.end() - 4), "/");
  claim.date = parts[n - 4];
  claim.scope = {parts[n - 3], parts[n - 2]};
  return {};
}

std::string HeaderOf(const CanonicalHeaders& headers, const std::string& name) {
  const auto it = headers.find(name);
  return it == headers.end() ? std::string() : it->second;
}

Result<Claim> ClaimOfHeader(std::string_view authorization, const CanonicalHeaders& headers) {
  Claim claim;
  for (const std::string& part : SplitTrimmed(authorization.substr(kAlgorithm.size()), ',')) {
    const size_t equals = std::min(part.find('='), part.size());
    const std::string value = part.substr(std::min(equals + 1, part.size()));
    const std::string_view name = std::string_view(part).substr(0, equals);
    if (name == "Credential") RETURN_IF_ERROR(SetCredential(value, claim));
    if (name == "SignedHeaders") claim.signed_headers = Split(value, ';');
    if (name == "Signature") claim.signature = value;
  }
  if (claim.access_key_id.empty() || claim.signed_headers.empty() || claim.signature.empty()) {
    return Incomplete(
        "Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' "
        "parameters.");
  }
  claim.amz_date = HeaderOf(headers, "x-amz-date");
  claim.session_token = HeaderOf(headers, "x-amz-security-token");
  if (claim.amz_date.empty())
    return Incomplete("Authorization header requires existence of 'X-Amz-Date'.");
  return claim;
}

Result<Claim> ClaimOfQuery(std::string_view query) {
  Claim claim;
  for (const std::string& part : Split(query, '&')) {
    const size_t equals = std::min(part.find('='), part.size());
    const std::string name = part.substr(0, equals);
    const std::string value =
        PercentDecode(std::string_view(part).substr(std::min(equals + 1, part.size())));
    if (name == "X-Amz-Credential") RETURN_IF_ERROR(SetCredential(value, claim));
    if (name == "X-Amz-SignedHeaders") claim.signed_headers = Split(value, ';');
    if (name == "X-Amz-Signature") claim.signature = value;
    if (name == "X-Amz-Date") claim.amz_date = value;
    if (name == "X-Amz-Security-Token") claim.session_token = value;
    if (name == "X-Amz-Expires") claim.expires_ms = ParseInt64(value).value_or(-1) * 1000;
  }
  if (claim.access_key_id.empty() || claim.signed_headers.empty() || claim.signature.empty() ||
      claim.amz_date.empty() || claim.expires_ms < 0) {
    return Incomplete(
        "A presigned request needs X-Amz-Credential, X-Amz-SignedHeaders, X-Amz-Date, "
        "X-Amz-Expires and X-Amz-Signature.");
  }
  return claim;
}

Status CheckTime(const Claim& claim, const SigV4Verification& verification) {
  const auto signed_at = ParseAmzDate(claim.amz_date);
  if (!signed_at || !claim.amz_date.starts_with(claim.date))
    return Incomplete("Date in Credential scope does not match YYYYMMDD from X-Amz-Date.");
  const int64_t age = verification.now_ms - *signed_at;
  const int64_t good_for = claim.expires_ms >= 0 ? claim.expires_ms : verification.max_skew_ms;
  if (age > good_for) return Invalid(fmt::format("Signature expired: {}", claim.amz_date));
  if (-age > verification.max_skew_ms)
    return Invalid(fmt::format("Signature not yet current: {}", claim.amz_date));
  return {};
}

// The headers that the claim says it signed; Host must be one of them.
Result<CanonicalHeaders> SignedHeaders(const Claim& claim, const CanonicalHeaders& headers) {
  CanonicalHeaders out;
  for (const std::string& name : claim.signed_headers) {
    const auto it = headers.find(name);
    if (it == headers.end()) return Invalid(fmt::format("Signed header {} is missing", name));
    out.insert(*it);
  }
  if (!out.contains("host")) return Incomplete("'Host' must be a signed header.");
  return out;
}

Result<std::string> PayloadHash(const CanonicalHeaders& headers, std::string_view body) {
  const std::string given = HeaderOf(headers, "x-amz-content-sha256");
  if (given == kUnsignedPayload) return given;
  std::string actual = Sha256Hex(body);
  if (!given.empty() && given != actual)
    return Invalid("The provided 'x-amz-content-sha256' header does not match what was computed.");
  return actual;
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) { return HexEncode(Sha256({bytes})); }

std::string HmacSha256(std::string_view key, std::string_view bytes) {
  std::string block = key.size() > kBlockSize ? Sha256({key}) : std::string(key);
  block.resize(kBlockSize, '\0');
  std::string inner = block, outer = block;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
  return Sha256({outer, Sha256({inner, bytes})});
}

std::string PercentEncode(std::string_view text, bool keep_slashes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsUnreserved(c) || (keep_slashes && c == '/')) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    out += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
    if (low >= 0) i += 2;
  }
  return out;
}

HeaderList SignSigV4(const SigV4Request& request, const AwsCredentials& credentials,
                     const SigV4Scope& scope, std::string_view payload_hash, int64_t now_ms) {
  const std::string amz_date = AmzDate(now_ms);
  HeaderList added = {{"X-Amz-Date", amz_date},
                      {"X-Amz-Content-SHA256", std::string(payload_hash)}};
  if (!credentials.session_token.empty())
    added.emplace_back("X-Amz-Security-Token", credentials.session_token);
  HeaderList all;
  for (const auto& header : request.headers) {
    if (!ChangedByProxies(AsciiLower(header.first))) all.push_back(header);
  }
  all.insert(all.end(), added.begin(), added.end());
  const Signed what{request.method,
                    CanonicalPath(request.path, scope.service),
                    CanonicalQuery(request.query),
                    Canonical(all),
                    payload_hash,
                    amz_date,
                    scope};
  added.emplace_back("Authorization",
                     fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                                 credentials.access_key_id, ScopeText(what), Names(what.headers),
                                 Signature(what, credentials.secret_access_key)));
  return added;
}

std::string PresignSigV4(const SigV4Request& request, const AwsCredentials& credentials,
                         const SigV4Scope& scope, int64_t expires_seconds, int64_t now_ms) {
  const std::string amz_date = AmzDate(now_ms);
  Signed what{request.method,
              CanonicalPath(request.path, scope.service),
              {},
              Canonical(request.headers),
              scope.service == "s3" ? kUnsignedPayload : kEmptyHash,
              amz_date,
              scope};
  std::string query = request.query;
  if (!query.empty()) query += '&';
  query += fmt::format("X-Amz-Algorithm={}&X-Amz-Credential={}&X-Amz-Date={}&X-Amz-Expires={}",
                       kAlgorithm, PercentEncode(credentials.access_key_id + "/" + ScopeText(what)),
                       amz_date, expires_seconds);
  if (!credentials.session_token.empty())
    query += "&X-Amz-Security-Token=" + PercentEncode(credentials.session_token);
  query += "&X-Amz-SignedHeaders=" + PercentEncode(Names(what.headers));
  what.query = CanonicalQuery(query);
  return query + "&X-Amz-Signature=" + Signature(what, credentials.secret_access_key);
}

Result<SigV4Identity> VerifySigV4(const SigV4Request& request, std::string_view body,
                                  const SigV4Verification& verification) {
  const CanonicalHeaders headers = Canonical(request.headers);
  const std::string authorization = HeaderOf(headers, "authorization");
  const bool presigned = request.query.find("X-Amz-Signature=") != std::string::npos;
  if (!presigned && !authorization.starts_with(kAlgorithm)) {
    return Fail(ErrorCode::kUnauthenticated, "Missing Authentication Token",
                "MissingAuthenticationTokenException");
  }
  ASSIGN_OR_RETURN(const Claim claim,
                   presigned ? ClaimOfQuery(request.query) : ClaimOfHeader(authorization, headers));
  RETURN_IF_ERROR(CheckTime(claim, verification));
  if (claim.scope.service != verification.service) {
    return Invalid(
        fmt::format("Credential should be scoped to correct service: '{}'.", verification.service));
  }
  const auto secret = verification.secret_of(claim.access_key_id);
  if (!secret) {
    return Fail(ErrorCode::kForbidden, "The security token included in the request is invalid.",
                "UnrecognizedClientException");
  }
  ASSIGN_OR_RETURN(CanonicalHeaders signed_headers, SignedHeaders(claim, headers));
  const bool s3_link = presigned && claim.scope.service == "s3";
  ASSIGN_OR_RETURN(const std::string payload_hash,
                   s3_link ? std::string(kUnsignedPayload) : PayloadHash(headers, body));
  const Signed what{request.method,
                    CanonicalPath(request.path, claim.scope.service),
                    CanonicalQuery(request.query, presigned ? "X-Amz-Signature" : ""),
                    std::move(signed_headers),
                    payload_hash,
                    claim.amz_date,
                    claim.scope};
  const std::string expected = Signature(what, *secret);
  if (expected.size() != claim.signature.size() ||
      CRYPTO_memcmp(expected.data(), claim.signature.data(), expected.size()) != 0) {
    return Invalid(
        "The request signature we calculated does not match the signature you provided. Check your "
        "AWS Secret Access Key and signing method. Consult the service documentation for details.");
  }
  return SigV4Identity{claim.access_key_id, claim.scope.region, claim.session_token};
}

}  // namespace iceblink::io
