#include "engine/session_state.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace iceblink::engine {

SessionState::SessionState(SessionOptions options)
    : configuration(options.settings),
      catalogs(configuration),
      options_(std::move(options)),
      own_files_(configuration.WithPrefix("spark.hadoop.")),
      files_(own_files_) {
  app_id_ = "local-" + std::to_string(clock().NowMillis());
  options_.app_name = configuration.Get("spark.app.name", options_.app_name);
  UseCatalog(catalogs.DefaultCatalog());
  // The catalog that needs no configuration starts in a namespace that may be used at once.
  if (current_catalog == kLocalCatalog && current_namespace.empty())
    current_namespace = {"default"};
  UpdateTimeZone();
}

void SessionState::UseCatalog(const std::string& name) {
  current_catalog = name;
  current_namespace.clear();
  if (name == kSessionCatalog) current_namespace = {"default"};
  const std::string start =
      configuration.Get("spark.sql.catalog." + name + ".default-namespace", "");
  if (!start.empty()) current_namespace = Split(start, '.');
}

void SessionState::UpdateTimeZone() {
  // SET has checked the name; one from a properties file that no zone has stays UTC.
  const TimeZone* zone = TimeZone::Find(configuration.Get("spark.sql.session.timeZone", "UTC"));
  if (zone != nullptr) time_zone_ = zone;
}

int SessionState::default_parallelism() const {
  for (const char* key : {"spark.sql.leafNodeDefaultParallelism", "spark.default.parallelism"}) {
    if (auto set = ParseInt32(configuration.Get(key, ""))) return std::max(1, *set);
  }
  return 1;
}

void SessionState::Reach(const std::shared_ptr<catalog::Catalog>& catalog,
                         const spec::TableMetadata& table) {
  const std::shared_ptr<io::FileSystem> files(catalog, &catalog->file_system());
  const auto mount = [&](const std::string& location) {
    if (!location.empty()) files_.Mount(io::JoinPath(location, ""), files);
  };
  // Files that were added where they lay are in the bucket at least, as a rule.
  if (const size_t scheme = table.location.find("://"); scheme != std::string::npos)
    mount(table.location.substr(0, table.location.find('/', scheme + 3)));
  mount(table.location);
  for (const char* property : {"write.data.path", "write.metadata.path"})
    mount(table.Property(property));
}

exec::Executor& SessionState::executor() {
  std::lock_guard lock(mutex_);
  if (executor_ == nullptr) {
    executor_ = std::make_unique<exec::Executor>(
        exec::ExecutorOptions{options_.threads, options_.memory_limit, {}, &files_});
  }
  return *executor_;
}

void SessionState::Interrupt() {
  interrupted_ = true;
  std::lock_guard lock(mutex_);
  if (executor_ != nullptr) executor_->Interrupt();
}

}  // namespace iceblink::engine
