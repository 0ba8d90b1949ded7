#include "io/catalog_file_system.h"

#include <array>

#include "base/strings.h"
#include "io/object_file_system.h"
#include "io/object_store_module.h"

namespace iceblink::io {
namespace {

constexpr int64_t kRenewalLeadMs = 300'000;  // before the end of credentials
constexpr int64_t kRenewalPauseMs = 10'000;  // between attempts

using Opened = Result<std::shared_ptr<FileSystem>>;

Opened OpenStore(const StoreOptions& options, const FileSystemProperties& properties) {
  const EnvironmentLookup environment = ProcessEnvironment;
  bool one_process = false;
  RETURN_IF_ERROR(
      PropertyLookup(properties, environment).Read({{kWritersInOneProcess}, {}}, one_process));
  ASSIGN_OR_RETURN(std::shared_ptr<ObjectStore> store, OpenObjectStore(options));
  CreateOnce create_once = one_process ? CreateOnce() : MakeCreateOnce(options, store);
  return std::make_shared<ObjectFileSystem>(std::move(store), std::move(create_once));
}
Opened OpenS3(const FileSystemProperties& properties) {
  ASSIGN_OR_RETURN(S3Options options, ParseS3Options(properties));
  return OpenStore(std::move(options), properties);
}
Opened OpenGcs(const FileSystemProperties& properties) {
  ASSIGN_OR_RETURN(GcsOptions options, ParseGcsOptions(properties));
  return OpenStore(std::move(options), properties);
}
Opened OpenAzure(const FileSystemProperties& properties) {
  ASSIGN_OR_RETURN(AzureOptions options, ParseAzureOptions(properties));
  return OpenStore(std::move(options), properties);
}

// The schemes of each object store, and how it is opened.
struct StoreKind {
  std::string_view name;
  std::array<std::string_view, 4> schemes;
  Opened (*open)(const FileSystemProperties&);
};
constexpr std::array kStores = {
    StoreKind{"s3", {"s3", "s3a", "s3n"}, OpenS3},
    StoreKind{"gcs", {"gs", "gcs"}, OpenGcs},
    StoreKind{"azure", {"abfs", "abfss", "wasb", "wasbs"}, OpenAzure},
};

const StoreKind* StoreOf(std::string_view scheme) {
  for (const StoreKind& kind : kStores) {
    for (const std::string_view name : kind.schemes) {
      if (!name.empty() && name == scheme) return &kind;
    }
  }
  return nullptr;
}

// The entry whose prefix is the longest that `path` begins with; end() when none does.
template <typename Map>
auto LongestPrefix(Map& by_prefix, std::string_view path) {
  auto best = by_prefix.end();
  for (auto it = by_prefix.begin(); it != by_prefix.end(); ++it) {
    if (path.starts_with(it->first) &&
        (best == by_prefix.end() || it->first.size() > best->first.size()))
      best = it;
  }
  return best;
}

}  // namespace

CatalogFileSystem::CatalogFileSystem(FileSystemProperties properties, FileSystem& fallback,
                                     const Clock& clock)
    : fallback_(fallback), clock_(clock) {
  own_.properties = std::move(properties);
}

void CatalogFileSystem::SetProperties(FileSystemProperties properties) {
  const std::lock_guard lock(mutex_);
  if (own_.properties == properties) return;
  for (auto& [store, files] : own_.by_store) replaced_.push_back(std::move(files));
  own_ = Mount{std::move(properties), {}, {}, 0};
}

void CatalogFileSystem::SetCredentials(const std::string& prefix, FileSystemProperties properties,
                                       std::optional<Renewal> renewal) {
  const std::lock_guard lock(mutex_);
  properties.insert(own_.properties.begin(), own_.properties.end());  // given ones stay
  Mount& mount = by_prefix_[prefix];
  mount.renewal = std::move(renewal);
  if (mount.properties == properties) return;
  for (auto& [store, files] : mount.by_store) replaced_.push_back(std::move(files));
  mount.properties = std::move(properties);
  mount.by_store.clear();
}

std::function<void()> CatalogFileSystem::DueRenewal(std::string_view path) {
  const auto it = LongestPrefix(by_prefix_, path);
  if (it == by_prefix_.end() || !it->second.renewal) return {};
  Mount& mount = it->second;
  const int64_t now = clock_.NowMillis();
  if (now < mount.renewal->expires_ms - kRenewalLeadMs || now < mount.next_renewal_ms) return {};
  mount.next_renewal_ms = now + kRenewalPauseMs;
  return mount.renewal->renew;
}

Result<FileSystem*> CatalogFileSystem::Resolve(std::string_view path) {
  const StoreKind* kind = StoreOf(AsciiLower(Scheme(path)));
  if (kind == nullptr) return &fallback_;
  std::unique_lock lock(mutex_);
  if (const auto renew = DueRenewal(path)) {
    lock.unlock();
    renew();
    lock.lock();
  }
  const auto it = LongestPrefix(by_prefix_, path);
  Mount& mount = it == by_prefix_.end() ? own_ : it->second;
  std::shared_ptr<FileSystem>& files = mount.by_store[std::string(kind->name)];
  if (files == nullptr) {
    ASSIGN_OR_RETURN(files, kind->open(mount.properties));
  }
  return files.get();
}

void PrefixRouter::Mount(const std::string& prefix, std::shared_ptr<FileSystem> file_system) {
  const std::lock_guard lock(mutex_);
  auto& slot = by_prefix_[prefix];
  if (slot == file_system) return;
  if (slot != nullptr) replaced_.insert(std::move(slot));
  slot = std::move(file_system);
}

Result<FileSystem*> PrefixRouter::Resolve(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const auto it = LongestPrefix(by_prefix_, path);
  return it == by_prefix_.end() ? &fallback_ : it->second.get();
}

}  // namespace iceblink::io
