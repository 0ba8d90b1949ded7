// How S3 is reached, out of the names that Iceberg (s3.*, client.*), Hadoop (fs.s3a.*) and AWS
// (AWS_* variables) use. A value type.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "io/property_lookup.h"
#include "io/sigv4.h"

namespace iceblink::io {

struct S3Options {
  std::string endpoint;       // "http://localhost:9000", no slash at the end; empty: AWS
  std::string region;         // empty: the bucket's own on AWS, "us-east-1" elsewhere
  bool virtual_host = false;  // the bucket in the host name, also with an endpoint
  bool anonymous = false;
  AwsCredentials credentials;  // without a key: the chain of the AWS SDK
  std::string role_arn;        // assumed with the SDK's credentials
  std::string role_session;
  std::string external_id;

  int64_t retries = 5;
  int64_t min_wait_ms = 100;  // before the first retry; doubles
  int64_t max_wait_ms = 20'000;
  std::string acl;           // canned, of written objects
  std::string customer_key;  // 32 bytes: encryption with a key of one's own

  bool operator==(const S3Options&) const = default;
};

// Reads properties in Iceberg's names, else Hadoop's (also with "hadoop." or "spark.hadoop." before
// them), else the environment. kInvalidArgument, IllegalArgumentException, names a value that does
// not parse; kUnsupported a setting that Arrow's S3 cannot heed and that must not be passed over.
Result<S3Options> ParseS3Options(const std::map<std::string, std::string>& properties,
                                 const EnvironmentLookup& environment = ProcessEnvironment);

}  // namespace iceblink::io
