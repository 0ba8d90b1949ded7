// How S3 is reached, out of the names that Iceberg (s3.*, client.*), Hadoop (fs.s3a.*) and AWS
// (AWS_* variables) use. A value type.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/sigv4.h"

namespace iceblink::io {

struct S3Options {
  std::string endpoint;  // "http://localhost:9000", without a slash at the end; empty: AWS
  std::string region;    // empty: not configured
  bool path_style = false;
  bool anonymous = false;
  AwsCredentials credentials;  // without a key: the chain of aws_credentials.h
  std::string profile;         // of the AWS configuration files

  int64_t part_size = int64_t{32} << 20;
  double threshold_factor = 1.5;  // objects above part_size times this go up in parts
  int retries = 5;
  int64_t min_wait_ms = 100;  // before the first retry; doubles
  int64_t max_wait_ms = 20'000;
  int delete_batch = 250;
  HeaderList write_headers;  // encryption, storage class, access control

  // Requests are signed by a REST catalog instead.
  bool remote_signing = false;
  std::string signer_uri;  // where the signing endpoint is
  std::string signer_token;

  bool operator==(const S3Options&) const = default;
};

using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;
// Variables of the process; empty ones count as unset.
std::optional<std::string> ProcessEnvironment(const std::string& name);

// Reads properties in Iceberg's names, else Hadoop's (also with "hadoop." or "spark.hadoop." before
// them), else the environment. kInvalidArgument, IllegalArgumentException, names a value that does
// not parse.
Result<S3Options> ParseS3Options(const std::map<std::string, std::string>& properties,
                                 const EnvironmentLookup& environment = ProcessEnvironment);

}  // namespace iceblink::io
