// What a session remembers between statements. Internal to this room and to the front doors that
// plan and commit themselves.
//
// One thread at a time, except Interrupt.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/time_zone.h"
#include "engine/catalog_registry.h"
#include "engine/configuration.h"
#include "engine/session.h"
#include "exec/executor.h"
#include "io/catalog_file_system.h"
#include "plan/resolver.h"
#include "table/manifest_cache.h"

namespace iceblink::engine {

class SessionState {
 public:
  explicit SessionState(SessionOptions options);

  Configuration configuration;
  CatalogRegistry catalogs;
  std::string current_catalog;
  sql::Name current_namespace;
  std::map<std::string, plan::TemporaryView> temporary_views;  // by lower-case name
  std::map<std::string, plan::ExprPtr> variables;              // by lower-case name
  table::ManifestCache manifest_cache;
  std::function<void(double)> on_progress;

  // Makes a catalog current, in the namespace that it starts in (`default-namespace`, by default the
  // root; Spark's own catalog: default).
  void UseCatalog(const std::string& name);

  const Clock& clock() const { return *options_.clock; }
  const std::string& app_id() const { return app_id_; }
  const std::string& app_name() const { return options_.app_name; }
  const TimeZone& time_zone() const { return *time_zone_; }
  // To be called after spark.sql.session.timeZone has changed.
  void UpdateTimeZone();
  int default_parallelism() const;

  // Makes the files of a catalog's table reachable for the executor, as the catalog reaches them.
  void Reach(const std::shared_ptr<catalog::Catalog>& catalog, const spec::TableMetadata& table);
  // The executor, made at its first use.
  exec::Executor& executor();
  void Interrupt();
  // Forgets an earlier Interrupt: a new statement begins.
  void BeginStatement() { interrupted_ = false; }
  bool interrupted() const { return interrupted_; }

  table::ReadContext ReadContextOf(catalog::Catalog& catalog) {
    return {&catalog.file_system(), &manifest_cache};
  }

 private:
  SessionOptions options_;
  std::string app_id_;
  const TimeZone* time_zone_ = &TimeZone::Utc();
  io::CatalogFileSystem own_files_;  // of locations that belong to no catalog
  io::PrefixRouter files_;           // what the executor sees
  std::mutex mutex_;                 // guards executor_ against Interrupt
  std::unique_ptr<exec::Executor> executor_;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace iceblink::engine
