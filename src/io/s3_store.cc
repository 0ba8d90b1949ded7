#include "io/s3_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "base/base64.h"
#include "base/clock.h"
#include "base/datetime.h"
#include "base/log.h"
#include "base/strings.h"
#include "io/xml.h"

namespace iceblink::io {
namespace {

HttpClient::Options ClientOptions() {
  HttpClient::Options options;
  options.decompress = false;
  options.max_idle_connections = 64;
  options.timeout_ms = 300'000;
  options.user_agent = "iceblink";
  return options;
}

// How the store names a failure, and what that means to a caller.
struct Meaning {
  int status;
  std::string_view code;  // empty: any
  ErrorCode error;
  const char* exception;
};
constexpr std::array kMeanings = {
    Meaning{404, "NoSuchBucket", ErrorCode::kNotFound, "NoSuchBucketException"},
    Meaning{404, "", ErrorCode::kNotFound, "NotFoundException"},
    Meaning{412, "", ErrorCode::kAlreadyExists, "AlreadyExistsException"},
    Meaning{401, "", ErrorCode::kForbidden, "S3Exception"},
    Meaning{403, "", ErrorCode::kForbidden, "S3Exception"},
    Meaning{429, "", ErrorCode::kUnavailable, "S3Exception"},
    Meaning{501, "", ErrorCode::kUnsupported, "S3Exception"},
};

// The store's own account of a failure.
struct Answer {
  std::string code;
  std::string message;
};

Answer ReadAnswer(const HttpResponse& response) {
  const auto document =
      response.body.empty() ? Result<XmlElement>(XmlElement{}) : ParseXml(response.body);
  if (!document) return {};
  return {document->Text("Code"), document->Text("Message")};
}

Error ErrorOf(const S3Request& request, const HttpResponse& response, const Answer& answer) {
  std::string text = answer.message.empty() ? answer.code : answer.message;
  if (text.empty()) text = fmt::format("HTTP status {}", response.status);
  std::string message = fmt::format(
      "{} (Service: S3, Status Code: {}, Request ID: {}) [{} s3://{}/{}]", text, response.status,
      response.Header("x-amz-request-id"), request.method, request.name.bucket, request.name.key);
  for (const Meaning& meaning : kMeanings) {
    if (meaning.status == response.status && (meaning.code.empty() || meaning.code == answer.code))
      return Error::Make(meaning.error, std::move(message), meaning.exception);
  }
  const ErrorCode code = response.status >= 500 ? ErrorCode::kUnavailable : ErrorCode::kIo;
  return Error::Make(code, std::move(message), "S3Exception");
}

bool WorthRetrying(const HttpResponse& response, const Answer& answer) {
  if (response.status == 501) return false;
  return response.status >= 500 || response.status == 429 || response.status == 408 ||
         answer.code == "RequestTimeout" || answer.code == "ConditionalRequestConflict" ||
         answer.code == "OperationAborted";
}

int64_t WaitBefore(int retry, const S3Options& options) {
  thread_local std::minstd_rand random(std::random_device{}());
  const int64_t most = std::min(options.max_wait_ms, options.min_wait_ms << std::min(retry, 20));
  return most / 2 + (most > 1 ? static_cast<int64_t>(random()) % (most / 2 + 1) : 0);
}

HeaderList Conditional(HeaderList headers, WriteMode mode) {
  if (mode == WriteMode::kCreateNew) headers.emplace_back("If-None-Match", "*");
  return headers;
}

// The object's size out of "bytes 0-9/1234".
int64_t TotalOf(const HttpResponse& response) {
  const std::string_view range = response.Header("content-range");
  const size_t slash = range.rfind('/');
  if (slash == std::string_view::npos) return static_cast<int64_t>(response.body.size());
  return ParseInt64(range.substr(slash + 1)).value_or(static_cast<int64_t>(response.body.size()));
}

// Milliseconds of "2026-11-30T07:16:54.000Z".
int64_t ModifiedOf(const std::string& text) {
  const auto time = ParseTimestamp(text);
  const auto micros = time ? time->ToMicros() : std::nullopt;
  return micros ? *micros / 1000 : 0;
}

class S3Upload final : public MultipartUpload {
 public:
  S3Upload(S3Store& store, ObjectName name, std::string id, WriteMode mode)
      : store_(store), name_(std::move(name)), id_(std::move(id)), mode_(mode) {}

  Status Put(int number, std::string_view bytes) override {
    S3Request request{"PUT", name_, fmt::format("partNumber={}&uploadId={}", number, Id())};
    request.body = bytes;
    ASSIGN_OR_RETURN(const HttpResponse response, store_.Send(request));
    const std::lock_guard lock(mutex_);
    tags_[number] = response.Header("etag");
    return {};
  }

  Status Complete() override {
    std::string body = "<CompleteMultipartUpload>";
    for (const auto& [number, tag] : tags_) {
      body += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number,
                          EscapeXml(tag));
    }
    body += "</CompleteMultipartUpload>";
    S3Request request{"POST", name_, "uploadId=" + Id(),
                      Conditional({{"Content-Type", "application/xml"}}, mode_), body};
    ASSIGN_OR_RETURN(const HttpResponse response, store_.Send(request));
    const auto document = ParseXml(response.body);  // an error may come with status 200
    if (document && document->name == "Error") {
      return Fail(ErrorCode::kIo,
                  fmt::format("{} [complete s3://{}/{}]", document->Text("Message"), name_.bucket,
                              name_.key),
                  "S3Exception");
    }
    return {};
  }

  void Abort() override {
    const auto status = store_.Send({"DELETE", name_, "uploadId=" + Id()});
    if (!status) LogWarn("Failed to abort upload: " + status.error().message);
  }

 private:
  std::string Id() const { return PercentEncode(id_); }

  S3Store& store_;
  const ObjectName name_;
  const std::string id_;
  const WriteMode mode_;
  std::mutex mutex_;
  std::map<int, std::string> tags_;
};

}  // namespace

S3Store::S3Store(S3Options options)
    : options_(std::move(options)), http_(ClientOptions()), builder_(options_, http_) {}

// Whether the same request can succeed once what the answer says has been heeded.
bool S3Store::Learn(const S3Request& request, const HttpResponse& response, std::string_view code) {
  const std::string region(response.Header("x-amz-bucket-region"));
  const bool elsewhere = !region.empty() && (response.status == 301 || response.status == 307 ||
                                             code == "AuthorizationHeaderMalformed");
  if (elsewhere) builder_.LearnRegion(request.name.bucket, region);
  if (code == "RequestTimeTooSkewed") builder_.LearnClock(response.Header("date"));
  if (code == "ExpiredToken") builder_.ForgetCredentials();
  return elsewhere || code == "RequestTimeTooSkewed" || code == "ExpiredToken";
}

Result<HttpResponse> S3Store::Send(const S3Request& request, bool* resent) {
  bool corrected = false;
  for (int attempt = 0;; attempt++) {
    ASSIGN_OR_RETURN(const HttpRequest built, builder_.Build(request));
    auto response = http_.Send(built);
    if (response && response->status < 300) return response;
    const Answer answer = response ? ReadAnswer(*response) : Answer{};
    if (response && !corrected && Learn(request, *response, answer.code)) {
      corrected = true;
      continue;
    }
    const bool retry = response ? WorthRetrying(*response, answer)
                                : response.error().code == ErrorCode::kUnavailable ||
                                      response.error().code == ErrorCode::kIo;
    if (!retry || attempt >= options_.retries)
      return response ? Fail(ErrorOf(request, *response, answer)) : Fail(response.error());
    if (resent != nullptr) *resent = true;
    SystemClock().SleepMillis(WaitBefore(attempt, options_));
  }
}

Result<ObjectInfo> S3Store::Head(const ObjectName& name) {
  ASSIGN_OR_RETURN(const HttpResponse response, Send({"HEAD", name}));
  ObjectInfo info{name.key};
  info.size = ParseInt64(response.Header("content-length")).value_or(0);
  info.modified_ms = ParseHttpDate(response.Header("last-modified"));
  return info;
}

Result<ObjectRange> S3Store::Get(const ObjectName& name, int64_t offset, int64_t count) {
  S3Request request{"GET", name};
  request.headers.emplace_back("Range",
                               offset < 0 ? fmt::format("bytes=-{}", -offset)
                                          : fmt::format("bytes={}-{}", offset, offset + count - 1));
  auto response = Send(request);
  if (!response) {
    // A range of an empty object cannot be satisfied.
    if (response.error().message.find("Status Code: 416") == std::string::npos)
      return Fail(response.error());
    ASSIGN_OR_RETURN(const ObjectInfo info, Head(name));
    return ObjectRange{{}, info.size};
  }
  ObjectRange out{{}, TotalOf(*response)};
  out.bytes = std::move(response->body);
  return out;
}

Status S3Store::Put(const ObjectName& name, std::string_view bytes, WriteMode mode) {
  S3Request request{"PUT", name, {}, Conditional(options_.write_headers, mode), bytes};
  bool resent = false;
  const auto response = Send(request, &resent);
  if (response) return {};
  if (mode != WriteMode::kCreateNew) return Fail(response.error());
  if (response.error().code == ErrorCode::kAlreadyExists && resent) {
    // It may be our own: an attempt that arrived and whose answer did not.
    const auto there = Get(name, 0, static_cast<int64_t>(bytes.size()) + 1);
    if (there && there->bytes == bytes) return {};
  }
  if (response.error().code != ErrorCode::kUnsupported) return Fail(response.error());
  // A store without conditional writes: the best there is.
  if (Head(name)) {
    return Fail(ErrorCode::kAlreadyExists, fmt::format("Object exists: {}", name.key),
                "AlreadyExistsException");
  }
  return Put(name, bytes, WriteMode::kReplace);
}

Result<std::unique_ptr<MultipartUpload>> S3Store::StartUpload(const ObjectName& name,
                                                              WriteMode mode) {
  ASSIGN_OR_RETURN(const HttpResponse response,
                   Send({"POST", name, "uploads=", options_.write_headers}));
  ASSIGN_OR_RETURN(const XmlElement document, ParseXml(response.body));
  const std::string id = document.Text("UploadId");
  if (id.empty()) return Fail(ErrorCode::kIo, "S3 started no upload", "S3Exception");
  return std::make_unique<S3Upload>(*this, name, id, mode);
}

Status S3Store::Delete(const ObjectName& name) {
  const auto response = Send({"DELETE", name});
  if (response || response.error().exception == "NotFoundException") return {};
  return Fail(response.error());
}

void S3Store::DeleteMany(const std::string& bucket, const std::vector<std::string>& keys,
                         const std::function<void(const std::string&, const Error&)>& failed) {
  const auto batch = static_cast<size_t>(options_.delete_batch);
  for (size_t start = 0; start < keys.size(); start += batch) {
    const size_t end = std::min(keys.size(), start + batch);
    std::string body = "<Delete><Quiet>true</Quiet>";
    for (size_t i = start; i < end; i++)
      body += fmt::format("<Object><Key>{}</Key></Object>", EscapeXml(keys[i]));
    body += "</Delete>";
    const auto digest = HexDecode(Sha256Hex(body));
    S3Request request{
        "POST",
        {bucket, ""},
        "delete=",
        {{"Content-Type", "application/xml"}, {"x-amz-checksum-sha256", Base64Encode(*digest)}},
        body};
    const auto response = Send(request);
    if (!response) {
      for (size_t i = start; i < end; i++) failed(keys[i], response.error());
      continue;
    }
    const auto document = ParseXml(response->body);
    if (!document) continue;  // quiet: nothing failed
    for (const XmlElement& entry : document->children) {
      if (entry.name != "Error" || entry.Text("Code") == "NoSuchKey") continue;
      failed(entry.Text("Key"),
             Error::Make(ErrorCode::kForbidden, entry.Text("Message"), "S3Exception"));
    }
  }
}

Status S3Store::List(const std::string& bucket, const std::string& prefix, bool recursive,
                     int limit, const std::function<Status(const ObjectInfo&)>& visit) {
  std::string query = "encoding-type=url&list-type=2&prefix=" + PercentEncode(prefix);
  if (!recursive) query += "&delimiter=%2F";
  if (limit > 0) query += fmt::format("&max-keys={}", limit);
  std::string token;
  while (true) {
    const std::string page =
        token.empty() ? query : query + "&continuation-token=" + PercentEncode(token);
    ASSIGN_OR_RETURN(const HttpResponse response, Send({"GET", {bucket, ""}, page}));
    ASSIGN_OR_RETURN(const XmlElement document, ParseXml(response.body));
    const bool escaped = document.Text("EncodingType") == "url";
    const auto key_of = [&](const std::string& text) {
      return escaped ? FormUrlDecode(text) : text;
    };
    for (const XmlElement& entry : document.children) {
      if (entry.name == "Contents") {
        RETURN_IF_ERROR(
            visit({key_of(entry.Text("Key")), ParseInt64(entry.Text("Size")).value_or(0),
                   ModifiedOf(entry.Text("LastModified"))}));
      } else if (entry.name == "CommonPrefixes") {
        RETURN_IF_ERROR(visit({key_of(entry.Text("Prefix")), 0, 0, true}));
      }
    }
    token = document.Text("NextContinuationToken");
    if (limit > 0 || token.empty() || document.Text("IsTruncated") != "true") return {};
  }
}

}  // namespace iceblink::io
