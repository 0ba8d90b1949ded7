// CatalogFileSystem: where one catalog's metadata and data are, reached with that catalog's
// properties (s3.endpoint, s3.access-key-id, client.region ...) and, below the locations for which
// a REST catalog hands out credentials, with those.
//
//   CatalogFileSystem files(properties, DefaultFileSystem());
//   files.SetCredentials("s3://b/warehouse/db/t/", {{"s3.access-key-id", ...}});
//   files.ReadAll("s3://b/warehouse/db/t/metadata/v1.metadata.json");
//
// Credentials that expire are renewed, when a location needs them shortly before or after, by whom
// handed them out.
//
// The longest prefix that fits a location decides. Object stores are opened when first used.
// Threads: safe from several; files that are open keep the credentials they were opened with.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "io/file_system.h"

namespace iceblink::io {

using FileSystemProperties = std::map<std::string, std::string>;

class CatalogFileSystem final : public RoutedFileSystem {
 public:
  // When credentials end, and what calls SetCredentials with fresh ones. Called without a lock, at
  // most once in ten seconds.
  struct Renewal {
    int64_t expires_ms = 0;  // since the epoch
    std::function<void()> renew;
  };

  // `properties` are a catalog's, in Iceberg's names, or a session's, in Hadoop's
  // (fs.s3a.access.key with or without "hadoop." before it). `fallback` serves schemes that are no
  // object store's; it outlives this.
  explicit CatalogFileSystem(FileSystemProperties properties,
                             FileSystem& fallback = DefaultFileSystem(),
                             const Clock& clock = SystemClock());

  // Replaces the catalog's own properties: a server's configuration has come.
  void SetProperties(FileSystemProperties properties);
  // Locations that begin with `prefix` are reached with `properties` laid over the catalog's own.
  // Replaces what was set for the same prefix; costs nothing when it is the same again.
  void SetCredentials(const std::string& prefix, FileSystemProperties properties,
                      std::optional<Renewal> renewal = {});

  Result<FileSystem*> Resolve(std::string_view path) override;

 private:
  struct Mount {
    FileSystemProperties properties;                              // whole
    std::map<std::string, std::shared_ptr<FileSystem>> by_store;  // opened so far
    std::optional<Renewal> renewal;
    int64_t next_renewal_ms = 0;
  };
  // Requires the lock. Null while the credentials are good.
  std::function<void()> DueRenewal(std::string_view path);

  std::mutex mutex_;
  Mount own_;
  std::map<std::string, Mount, std::less<>> by_prefix_;
  std::vector<std::shared_ptr<FileSystem>> replaced_;  // Resolve's pointers stay valid
  FileSystem& fallback_;
  const Clock& clock_;
};

// By longest prefix of the location: how a session reaches tables of several catalogs.
class PrefixRouter final : public RoutedFileSystem {
 public:
  explicit PrefixRouter(FileSystem& fallback) : fallback_(fallback) {}
  // Replaces an earlier one of the same prefix.
  void Mount(const std::string& prefix, std::shared_ptr<FileSystem> file_system);
  Result<FileSystem*> Resolve(std::string_view path) override;

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<FileSystem>, std::less<>> by_prefix_;
  std::set<std::shared_ptr<FileSystem>> replaced_;  // Resolve's pointers stay valid
  FileSystem& fallback_;
};

}  // namespace iceblink::io
