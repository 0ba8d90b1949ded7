// What catalogs do unless they know better.
#include "catalog/catalog.h"

#include "base/uuid.h"
#include "catalog/errors.h"
#include "spec/updates.h"

namespace iceblink::catalog {

Result<spec::TableMetadata> Catalog::StageTable(const TableIdentifier& id, spec::NewTable table,
                                                int64_t now_ms) {
  if (table.location.empty()) {
    ASSIGN_OR_RETURN(table.location, DefaultTableLocation(id));
  }
  if (table.uuid.empty()) table.uuid = NewUuid();
  return spec::NewTableMetadata(table, now_ms);
}

Status Catalog::CommitTables(std::vector<TableChange>) {
  return NotSupported("Catalog " + name() + " cannot commit several tables at once");
}

Result<bool> Catalog::DropAndPurgeTable(const TableIdentifier& id) {
  RETURN_IF_ERROR(DropTable(id));
  return false;
}

}  // namespace iceblink::catalog
