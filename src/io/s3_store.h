// S3Store: Amazon S3 and the many stores that speak its protocol, over our own HTTP client and
// signatures. Requests that may be sent twice are, with growing random waits, when the network or
// the store fails (429, 5xx); an object that is created only if it is new and whose answer was lost
// is compared with what the store then holds. Threads: safe from several.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/http.h"
#include "io/object_store.h"
#include "io/s3_request.h"

namespace iceblink::io {

class S3Store final : public ObjectStore {
 public:
  explicit S3Store(S3Options options);

  Result<ObjectInfo> Head(const ObjectName& name) override;
  Result<ObjectRange> Get(const ObjectName& name, int64_t offset, int64_t count) override;
  Status Put(const ObjectName& name, std::string_view bytes, WriteMode mode) override;
  Result<std::unique_ptr<MultipartUpload>> StartUpload(const ObjectName& name,
                                                       WriteMode mode) override;
  Status Delete(const ObjectName& name) override;
  void DeleteMany(const std::string& bucket, const std::vector<std::string>& keys,
                  const std::function<void(const std::string&, const Error&)>& failed) override;
  Status List(const std::string& bucket, const std::string& prefix, bool recursive, int limit,
              const std::function<Status(const ObjectInfo&)>& visit) override;

  int64_t part_size() const override { return options_.part_size; }
  int64_t multipart_threshold() const override {
    return static_cast<int64_t>(static_cast<double>(options_.part_size) *
                                options_.threshold_factor);
  }

  // The answer of a request, retried; statuses from 300 are errors. `resent`, where given, becomes
  // true when an earlier attempt may have arrived. Public for the upload.
  Result<HttpResponse> Send(const S3Request& request, bool* resent = nullptr);
  const HeaderList& write_headers() const { return options_.write_headers; }

 private:
  bool Learn(const S3Request& request, const HttpResponse& response, std::string_view code);

  const S3Options options_;
  HttpClient http_;
  S3RequestBuilder builder_;
};

}  // namespace iceblink::io
