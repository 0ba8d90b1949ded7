#include "io/create_once.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // S3 wants the MD5 of a customer's key
#include <fmt/format.h>
#include <openssl/md5.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "base/base64.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/uuid.h"

namespace iceblink::io {
namespace {

tl::unexpected<Error> Refuse(const ObjectName& name, std::string_view why) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("Cannot create {}/{} exactly once: {}, so two writers could overwrite "
                          "each other's commits. Use a catalog that swaps a pointer (jdbc, rest), "
                          "or set {}=true when all writers are in one process",
                          name.bucket, name.key, why, kWritersInOneProcess),
              "UnsupportedOperationException");
}

std::string Md5(std::string_view bytes) {
  std::string digest(MD5_DIGEST_LENGTH, '\0');
  MD5(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
      reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

// What Arrow sends with objects, too.
HeaderList ObjectHeaders(const S3Options& options) {
  HeaderList out = {{"Content-Type", "application/octet-stream"}};
  if (!options.acl.empty()) out.emplace_back("X-Amz-Acl", options.acl);
  if (options.customer_key.empty()) return out;
  const std::string prefix = "X-Amz-Server-Side-Encryption-Customer-";
  out.emplace_back(prefix + "Algorithm", "AES256");
  out.emplace_back(prefix + "Key", Base64Encode(options.customer_key));
  out.emplace_back(prefix + "Key-MD5", Base64Encode(Md5(options.customer_key)));
  return out;
}

// "host:port" without the port that goes without saying, as libcurl and the AWS SDK send it.
std::string HostOf(std::string_view endpoint) {
  const bool tls = endpoint.starts_with("https://");
  endpoint.remove_prefix(endpoint.find("://") + 3);
  const std::string_view standard = tls ? ":443" : ":80";
  if (endpoint.ends_with(standard)) endpoint.remove_suffix(standard.size());
  return std::string(endpoint);
}

// The text of an element of an error's XML that has no elements within; the whole may hold session
// tokens and is never shown.
std::string_view ElementText(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  const size_t begin = xml.find(open);
  if (begin == std::string_view::npos) return {};
  xml.remove_prefix(begin + open.size());
  return xml.substr(0, xml.find(close));
}

ErrorCode CodeOf(int status) {
  switch (status) {
    case 401:
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kNotFound;
    case 429:
    case 503:
      return ErrorCode::kUnavailable;
    default:
      return ErrorCode::kIo;
  }
}

Error ErrorOf(const ObjectName& name, const HttpResponse& response) {
  const std::string_view code = ElementText(response.body, "Code");
  return Error::Make(CodeOf(response.status),
                     fmt::format("PUT {}/{}: {} (Service: S3, Status Code: {}{}{})", name.bucket,
                                 name.key, ElementText(response.body, "Message"), response.status,
                                 code.empty() ? "" : ", ", code),
                     code == "NoSuchBucket" ? "NoSuchBucketException" : "S3Exception");
}

// What is known after one request.
enum class Outcome : uint8_t {
  kCreated,
  kUnclear,  // ours may be there, now or later
  kNothing,  // ours is not there; worth another request
  kFailed,   // ours is not there and will not be
};

Outcome OutcomeOf(const Result<HttpResponse>& answer) {
  if (!answer)
    return answer.error().code == ErrorCode::kUnavailable ? Outcome::kNothing
           : answer.error().code == ErrorCode::kIo        ? Outcome::kUnclear
                                                          : Outcome::kFailed;
  const int status = answer->status;
  if (status < 300) return Outcome::kCreated;
  if (status == 409 || status == 429) return Outcome::kNothing;
  // 412 may answer libcurl's second sending of what the server had seen on a connection that broke.
  if (status == 412 || (status >= 500 && status != 501)) return Outcome::kUnclear;
  return Outcome::kFailed;
}

class S3Creator {
 public:
  S3Creator(S3Options options, std::shared_ptr<ObjectStore> store)
      : options_(std::move(options)), store_(std::move(store)) {}

  Status Create(const ObjectName& name, std::string_view bytes) {
    // Amazon's is known to heed the condition.
    if (!options_.endpoint.empty()) RETURN_IF_ERROR(Prove(name));
    return Put(name, bytes);
  }

 private:
  Result<HttpResponse> Send(std::string_view method, const ObjectName& name,
                            std::string_view bytes) {
    ASSIGN_OR_RETURN(const S3Access access, store_->Access(name.bucket));
    HeaderList headers;
    if (method == "PUT") {
      headers = ObjectHeaders(options_);
      headers.emplace_back("If-None-Match", "*");
    }
    return http_.Send(
        S3Request(access, method, name, std::move(headers), bytes, SystemClock().NowMillis()));
  }

  // Whether the object is there with these bytes. kAlreadyExists when it is with others.
  Result<bool> IsThere(const ObjectName& name, std::string_view bytes) {
    const auto start = store_->ReadStart(name, bytes.size() + 1);
    if (!start && start.error().exception == "NotFoundException") return false;
    if (!start) return Fail(start.error());
    if (start->object_size == static_cast<int64_t>(bytes.size()) && start->bytes == bytes)
      return true;
    return Fail(ErrorCode::kAlreadyExists, "Object exists", "AlreadyExistsException");
  }

  Status Put(const ObjectName& name, std::string_view bytes) {
    bool unclear = false;  // of any request so far
    for (int64_t attempt = 0;; attempt++) {
      const Result<HttpResponse> answer = Send("PUT", name, bytes);
      const Outcome outcome = OutcomeOf(answer);
      if (outcome == Outcome::kCreated) return {};
      if (outcome == Outcome::kUnclear) {
        const Result<bool> there = IsThere(name, bytes);
        if (there && *there) return {};
        if (!there && there.error().code == ErrorCode::kAlreadyExists) return Fail(there.error());
        // Taken a moment ago and gone now was not ours.
        unclear = unclear || !there || !answer || answer->status != 412;
      }
      if (outcome == Outcome::kFailed || attempt == options_.retries)
        return GiveUp(name, answer, unclear);
      Wait(attempt);
    }
  }

  // The error of the last request; of what may still land, kCommitUnknown.
  static Status GiveUp(const ObjectName& name, const Result<HttpResponse>& answer, bool unclear) {
    if (!unclear && answer && answer->status == 501)
      return Refuse(name, "the store has no conditional writes");
    Error error = answer ? ErrorOf(name, *answer) : answer.error();
    if (unclear) error.code = ErrorCode::kCommitUnknown;
    return Fail(std::move(error));
  }

  // Waits that grow and are random, in the bounds of the options.
  void Wait(int64_t attempt) const {
    thread_local std::minstd_rand random(std::random_device{}());
    const int64_t most =
        std::min(options_.max_wait_ms, options_.min_wait_ms << std::min<int64_t>(attempt, 20));
    const int64_t ms = most / 2 + static_cast<int64_t>(random()) % (most / 2 + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  }

  // Once for each bucket.
  Status Prove(const ObjectName& name) {
    const std::lock_guard lock(mutex_);
    if (proven_.contains(name.bucket)) return {};
    const std::string folder = name.key.substr(0, name.key.rfind('/') + 1);
    const ObjectName probe{name.bucket, folder + NewUuid() + ".probe"};
    RETURN_IF_ERROR(Put(probe, "one"));
    const Status second = Put(probe, "two");
    (void)Send("DELETE", probe, {});
    if (second) return Refuse(name, "the store passes over If-None-Match");
    if (second.error().code != ErrorCode::kAlreadyExists) return second;
    proven_.insert(name.bucket);
    return {};
  }

  const S3Options options_;
  const std::shared_ptr<ObjectStore> store_;
  HttpClient http_;
  std::mutex mutex_;
  std::set<std::string> proven_;
};

CreateOnce Make(const S3Options& options, std::shared_ptr<ObjectStore> store) {
  return
      [creator = std::make_shared<S3Creator>(options, std::move(store))](
          const ObjectName& name, std::string_view bytes) { return creator->Create(name, bytes); };
}

CreateOnce RefuseAll(std::string_view store) {
  return [store](const ObjectName& name, std::string_view) -> Status {
    return Refuse(name, fmt::format("Iceblink has no conditional writes to {}", store));
  };
}
CreateOnce Make(const GcsOptions&, std::shared_ptr<ObjectStore>) {
  return RefuseAll("Google Cloud Storage");
}
CreateOnce Make(const AzureOptions&, std::shared_ptr<ObjectStore>) {
  return RefuseAll("Azure Blob Storage");
}

}  // namespace

CreateOnce MakeCreateOnce(const StoreOptions& options, std::shared_ptr<ObjectStore> store) {
  return std::visit([&](const auto& one) { return Make(one, std::move(store)); }, options);
}

HttpRequest S3Request(const S3Access& access, std::string_view method, const ObjectName& name,
                      HeaderList more, std::string_view body, int64_t now_ms) {
  std::string endpoint = access.endpoint;
  std::string path = "/" + PercentEncode(name.key, true);
  if (access.bucket_in_host)
    endpoint.insert(endpoint.find("://") + 3, name.bucket + ".");
  else
    path = "/" + name.bucket + path;
  SigV4Request request{std::string(method), path, "", std::move(more)};
  request.headers.emplace_back("Host", HostOf(endpoint));
  HttpRequest out{request.method, endpoint + path, request.headers, std::string(body)};
  if (access.credentials.access_key_id.empty()) return out;
  for (auto& header :
       SignSigV4(request, access.credentials, {access.region, "s3"}, Sha256Hex(body), now_ms))
    out.headers.push_back(std::move(header));
  return out;
}

}  // namespace iceblink::io
