// A metastore catalog whose tables' places a service chooses, and which keeps no views: S3 Tables,
// seen from its clients and from its server. As MetastoreCatalog.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "catalog/metastore_catalog.h"

namespace iceblink::catalog {

class S3TablesCatalog final : public MetastoreCatalog {
 public:
  // Where a new table's files go.
  using Place = std::function<Result<std::string>(const TableIdentifier&)>;
  // `files` outlives the catalog.
  S3TablesCatalog(Options options, std::unique_ptr<PointerStore> store, io::FileSystem& files,
                  Place place)
      : MetastoreCatalog(std::move(options), std::move(store), files), place_(std::move(place)) {}

  ViewCatalog* views() override { return nullptr; }
  Result<std::string> DefaultTableLocation(const TableIdentifier& id) override {
    return place_(id);
  }
  // A table has its place for itself, so all of it goes. What stays is garbage, not an error.
  Result<bool> DropAndPurgeTable(const TableIdentifier& id) override {
    ASSIGN_OR_RETURN(const LoadedTable table, LoadTable(id));
    RETURN_IF_ERROR(DropTable(id));
    if (const Status gone = file_system().DeleteDirectory(table.metadata->location); !gone)
      LogWarn("Files of a dropped table stay: " + gone.error().message);
    return true;
  }

 private:
  const Place place_;
};

}  // namespace iceblink::catalog
