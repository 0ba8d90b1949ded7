#include "iceblink/catalog.h"

#include "api/state.h"
#include "api/transaction_state.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "commit/reachable_files.h"
#include "iceblink/transaction.h"

namespace iceblink {

catalog::TableIdentifier ToInternal(const TableIdentifier& id) { return {id.ns, id.name}; }
TableIdentifier ToPublic(const catalog::TableIdentifier& id) { return {id.ns, id.name}; }

Result<spec::NewTable> ToInternal(const Schema& schema, const TableOptions& options) {
  spec::NewTable table;
  table.schema = schema.rep();
  table.spec = options.spec.rep();
  table.sort_order = options.sort_order.rep();
  table.location = options.location;
  table.properties = options.properties;
  table.uuid = NewUuid();
  return table;
}

TableIdentifier TableIdentifier::Parse(std::string_view text) {
  TableIdentifier id;
  size_t dot;
  while ((dot = text.find('.')) != std::string_view::npos) {
    id.ns.emplace_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  id.name = text;
  return id;
}

std::string TableIdentifier::ToString() const { return ToInternal(*this).ToString(); }

Result<Catalog> Catalog::Open(const std::string& name, const Properties& properties) {
  auto state = std::make_shared<CatalogState>();
  ASSIGN_OR_RETURN(state->catalog, catalog::MakeCatalog(name, properties));
  return Catalog(std::move(state));
}

const std::string& Catalog::name() const { return state_->catalog->name(); }

Result<std::vector<Namespace>> Catalog::ListNamespaces(const Namespace& parent) const {
  return state_->catalog->ListNamespaces(parent);
}
Result<bool> Catalog::NamespaceExists(const Namespace& ns) const {
  return state_->catalog->NamespaceExists(ns);
}
Status Catalog::CreateNamespace(const Namespace& ns, const Properties& properties) const {
  return state_->catalog->CreateNamespace(ns, properties);
}
Status Catalog::DropNamespace(const Namespace& ns) const {
  return state_->catalog->DropNamespace(ns);
}
Result<Properties> Catalog::LoadNamespaceMetadata(const Namespace& ns) const {
  return state_->catalog->LoadNamespace(ns);
}
Status Catalog::SetProperties(const Namespace& ns, const Properties& properties) const {
  return state_->catalog->SetNamespaceProperties(ns, properties);
}

Result<std::vector<TableIdentifier>> Catalog::ListTables(const Namespace& ns) const {
  ASSIGN_OR_RETURN(auto found, state_->catalog->ListTables(ns));
  std::vector<TableIdentifier> out;
  for (const catalog::TableIdentifier& id : found) out.push_back(ToPublic(id));
  return out;
}

Result<bool> Catalog::TableExists(const TableIdentifier& id) const {
  return state_->catalog->TableExists(ToInternal(id));
}

Result<Table> Catalog::LoadTable(const TableIdentifier& id) const {
  ASSIGN_OR_RETURN(auto loaded, state_->catalog->LoadTable(ToInternal(id)));
  return Table(std::make_shared<TableState>(state_, ToInternal(id), std::move(loaded)));
}

Result<Table> Catalog::CreateTable(const TableIdentifier& id, const Schema& schema,
                                   const TableOptions& options) const {
  ASSIGN_OR_RETURN(spec::NewTable table, ToInternal(schema, options));
  if (table.location.empty()) {
    ASSIGN_OR_RETURN(table.location, state_->catalog->DefaultTableLocation(ToInternal(id)));
  }
  ASSIGN_OR_RETURN(auto metadata, spec::NewTableMetadata(table, SystemClock().NowMillis()));
  ASSIGN_OR_RETURN(auto made, state_->catalog->CreateTable(ToInternal(id), std::move(metadata)));
  return Table(std::make_shared<TableState>(state_, ToInternal(id), std::move(made)));
}

Result<Table> Catalog::RegisterTable(const TableIdentifier& id,
                                     const std::string& metadata_location) const {
  ASSIGN_OR_RETURN(auto made, state_->catalog->RegisterTable(ToInternal(id), metadata_location));
  return Table(std::make_shared<TableState>(state_, ToInternal(id), std::move(made)));
}

Status Catalog::DropTable(const TableIdentifier& id, bool purge) const {
  if (!purge) return state_->catalog->DropTable(ToInternal(id));
  ASSIGN_OR_RETURN(auto table, state_->catalog->LoadTable(ToInternal(id)));
  ASSIGN_OR_RETURN(const bool purged, state_->catalog->DropAndPurgeTable(ToInternal(id)));
  if (purged) return {};
  ASSIGN_OR_RETURN([[maybe_unused]] auto counts,
                   commit::PurgeTable(state_->catalog->file_system(), *table.metadata));
  return {};
}

Status Catalog::RenameTable(const TableIdentifier& from, const TableIdentifier& to) const {
  return state_->catalog->RenameTable(ToInternal(from), ToInternal(to));
}

Result<Transaction> Catalog::NewCreateTableTransaction(const TableIdentifier& id,
                                                       const Schema& schema,
                                                       const TableOptions& options) const {
  ASSIGN_OR_RETURN(spec::NewTable table, ToInternal(schema, options));
  ASSIGN_OR_RETURN(auto staged, state_->catalog->StageTable(ToInternal(id), std::move(table),
                                                            SystemClock().NowMillis()));
  auto begun = commit::Transaction::ForCreate(*state_->catalog, ToInternal(id), std::move(staged),
                                              {.cache = &state_->manifests});
  return BeginTransaction(state_, ToInternal(id), std::move(begun), nullptr);
}

Result<Transaction> Catalog::NewReplaceTableTransaction(const TableIdentifier& id,
                                                        const Schema& schema,
                                                        const TableOptions& options) const {
  ASSIGN_OR_RETURN(spec::NewTable table, ToInternal(schema, options));
  ASSIGN_OR_RETURN(auto base, state_->catalog->LoadTable(ToInternal(id)));
  ASSIGN_OR_RETURN(
      auto begun, commit::Transaction::ForReplace(*state_->catalog, ToInternal(id), std::move(base),
                                                  table, {.cache = &state_->manifests}));
  return BeginTransaction(state_, ToInternal(id), std::move(begun), nullptr);
}

}  // namespace iceblink
