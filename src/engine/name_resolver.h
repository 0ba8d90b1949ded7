// Names of a statement against the session: temporary views, catalogs, tables with their selectors
// and time travel, views.
//
// One NameResolver serves one statement and shows every table in one state. It implements what the
// analyzer asks for and serves the commands too.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "engine/session_state.h"
#include "plan/resolver.h"

namespace iceblink::engine {

// A name split at its catalog: `rest` is namespace and table, or namespace alone.
struct QualifiedName {
  std::shared_ptr<catalog::Catalog> catalog;
  std::string catalog_name;
  sql::Name rest;

  catalog::TableIdentifier identifier() const;  // requires a non-empty rest
  sql::Name full() const;                       // catalog first
};

// A table that a command works on.
struct TableHandle {
  std::shared_ptr<catalog::Catalog> catalog;
  std::string catalog_name;
  catalog::TableIdentifier id;
  catalog::LoadedTable loaded;

  const spec::TableMetadata& metadata() const { return *loaded.metadata; }
};

class NameResolver final : public plan::Resolver {
 public:
  NameResolver(SessionState& session, int64_t now_micros);

  const plan::SessionSettings& settings() const override { return settings_; }
  Result<std::optional<plan::ResolvedRelation>> Resolve(
      const plan::RelationRequest& request) override;
  bool IsCatalog(const std::string& name) override { return session_.catalogs.Exists(name); }
  Result<Value> Evaluate(const plan::ExprPtr& expr) override;
  Result<std::vector<plan::Column>> DescribeFiles(const plan::FileScan& scan) override;
  plan::ExprPtr FindVariable(const sql::Name& name) override;

  // The catalog and the rest of a table's or view's name.
  Result<QualifiedName> Qualify(const sql::Name& name);
  // Likewise of a namespace; an empty name is the current one.
  Result<QualifiedName> QualifyNamespace(const sql::Name& name);

  // Loads a table by its plain name. Nothing when there is none.
  Result<std::optional<TableHandle>> FindTable(const sql::Name& name);
  // As FindTable, or TABLE_OR_VIEW_NOT_FOUND as the analyzer says it.
  Result<TableHandle> GetTable(const sql::Name& name);
  // The catalog that a resolved table lives in, for commits.
  Result<TableHandle> HandleOf(const plan::TableRef& table);

  exec::StatementContext statement_context() const;

  // Forgets the states seen so far: the statement itself has changed a table's definition.
  void Forget() { loaded_.clear(); }
  // How messages call what the statement does to its target: "append to", "delete from" ...
  void set_write_verb(std::string_view verb) { write_verb_ = verb; }

 private:
  Result<std::optional<plan::ResolvedRelation>> ResolveInCatalog(
      const plan::RelationRequest& request);
  Result<std::optional<plan::ResolvedRelation>> ResolveSelector(
      const plan::RelationRequest& request, const QualifiedName& name);
  Result<std::optional<plan::ResolvedRelation>> ResolveView(const QualifiedName& name);
  // The plan of a DataFrame's view over the states that its tables have now.
  Result<plan::PlanPtr> AsOfNow(const plan::TemporaryView& view);
  Result<std::optional<catalog::LoadedTable>> Load(const QualifiedName& name);

  SessionState& session_;
  int64_t now_micros_;
  std::string_view write_verb_ = "append to";
  plan::SessionSettings settings_;
  std::map<sql::Name, catalog::LoadedTable> loaded_;  // by full name: one state per statement
};

}  // namespace iceblink::engine
