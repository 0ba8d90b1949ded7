// Remote signing: clients without keys of the object store have each of their requests to S3 signed
// here, with the catalog's own keys. A request is signed when it is one that reading or writing the
// table's files takes and when its object lies below the table's location; what is below
// write.data.path elsewhere is not. Signed are the host and the x-amz-* headers, so that no
// signature is good for another object, another store or a copy of something else.
#pragma once

#include "catalog/rest_messages.h"
#include "io/object_store.h"

namespace iceblink::server {

// What a client that asked ("remote-signing" in X-Iceberg-Access-Delegation) is told when the
// catalog's property `remote-signing-enabled` is true. Empty otherwise.
catalog::Properties SigningSettings(const catalog::Properties& catalog,
                                    const std::string& sign_path, const std::string* delegation);

// What a request to S3 does, as far as the signer has to know.
struct S3Use {
  io::ObjectName object;  // of a list: the bucket and the prefix asked for
  bool is_write = false;
};

// kForbidden when the URL is not one of the store's, or when the request is none of those that
// tables take. `endpoint` is the catalog's s3.endpoint, empty for Amazon's.
Result<S3Use> JudgeS3Request(const catalog::rest::RemoteSignRequest& request,
                             const std::string& endpoint);

// The headers to add to the request.
catalog::rest::RemoteSignResult SignS3Request(const catalog::rest::RemoteSignRequest& request,
                                              const io::AwsCredentials& credentials,
                                              int64_t now_ms);

}  // namespace iceblink::server
