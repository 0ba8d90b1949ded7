// Arrow's file systems, made of our options. Not safe from several threads at once.
#pragma once

#include <arrow/filesystem/filesystem.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "io/object_store.h"
#include "io/object_store_module.h"

namespace iceblink::io {

using ArrowFileSystemPtr = std::shared_ptr<::arrow::fs::FileSystem>;

// One that serves `bucket`. The first call of S3's starts the AWS SDK, which is shut down at exit.
Result<ArrowFileSystemPtr> MakeFileSystem(const S3Options& options, const std::string& bucket);
Result<ArrowFileSystemPtr> MakeFileSystem(const GcsOptions& options, const std::string& bucket);
Result<ArrowFileSystemPtr> MakeFileSystem(const AzureOptions& options, const std::string& bucket);

// How such a file system reaches a bucket of S3; kUnsupported when it is another store's. Asks the
// chain of credentials, which renews what has run out.
Result<S3Access> AccessOf(const ::arrow::fs::FileSystem& files, const std::string& bucket);

// What the buckets that share a file system have in common.
std::string SharedBy(const S3Options& options, const std::string& bucket);
std::string SharedBy(const GcsOptions& options, const std::string& bucket);
std::string SharedBy(const AzureOptions& options, const std::string& bucket);

}  // namespace iceblink::io
