// Requests to S3, built and signed: addressing (path or virtual host), escaping, signatures made
// here or by a REST catalog. Threads: safe from several.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/aws_credentials.h"
#include "io/http.h"
#include "io/object_store.h"
#include "io/s3_options.h"

namespace iceblink::io {

struct S3Request {
  std::string method;
  ObjectName name;    // an empty key: the bucket
  std::string query;  // escaped
  HeaderList headers;
  std::string_view body;
};

class S3RequestBuilder {
 public:
  // `http` outlives this.
  S3RequestBuilder(S3Options options, HttpClient& http);

  // The request as it goes over the wire. Errors of credentials and of the signing catalog.
  Result<HttpRequest> Build(const S3Request& request);

  // What an answer taught: a bucket's region, the server's clock, that the keys have expired.
  void LearnRegion(const std::string& bucket, const std::string& region);
  void LearnClock(std::string_view date_header);
  void ForgetCredentials() { credentials_.Forget(); }

 private:
  std::string RegionOf(const std::string& bucket);
  // "https://host" and the path, both as sent.
  std::pair<std::string, std::string> Address(const ObjectName& name, const std::string& region);
  Result<HeaderList> SignRemotely(const HttpRequest& request, const std::string& region);

  const S3Options options_;
  HttpClient& http_;
  AwsCredentialsProvider credentials_;
  std::mutex mutex_;
  std::map<std::string, std::string> regions_;  // of buckets elsewhere
  int64_t clock_skew_ms_ = 0;
};

// Milliseconds of "Mon, 30 Nov 2026 07:16:54 GMT"; 0 when it is none.
int64_t ParseHttpDate(std::string_view text);
// "us-east-1" of the options, the environment's profile, or S3's own default.
std::string DefaultS3Region(const S3Options& options);

}  // namespace iceblink::io
