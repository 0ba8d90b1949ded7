#include "engine/name_resolver.h"

#include <cstdlib>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/table_selection.h"
#include "plan/types.h"
#include "spec/view_metadata.h"

namespace iceblink::engine {
namespace {

constexpr char kGlobalTemp[] = "global_temp";

std::string UserName() {
  for (const char* variable : {"HADOOP_USER_NAME", "USER", "LOGNAME"}) {
    if (const char* name = std::getenv(variable); name != nullptr && *name != '\0') return name;
  }
  return "iceblink";
}

plan::SessionSettings SettingsOf(const SessionState& session, int64_t now_micros) {
  const Configuration& conf = session.configuration;
  plan::SessionSettings settings;
  settings.ansi = conf.GetBool("spark.sql.ansi.enabled", true);
  settings.case_sensitive = conf.GetBool("spark.sql.caseSensitive", false);
  settings.time_zone = conf.Get("spark.sql.session.timeZone", "UTC");
  std::string policy = AsciiUpper(conf.Get("spark.sql.storeAssignmentPolicy", "ANSI"));
  settings.store_assignment = policy == "LEGACY"   ? plan::StoreAssignmentPolicy::kLegacy
                              : policy == "STRICT" ? plan::StoreAssignmentPolicy::kStrict
                                                   : plan::StoreAssignmentPolicy::kAnsi;
  settings.current_catalog = session.current_catalog;
  settings.current_namespace = session.current_namespace;
  settings.user = UserName();
  settings.now_micros = now_micros;
  settings.default_parallelism = session.default_parallelism();
  settings.group_by_ordinal = conf.GetBool("spark.sql.groupByOrdinal", true);
  settings.group_by_aliases = conf.GetBool("spark.sql.groupByAliases", true);
  settings.order_by_ordinal = conf.GetBool("spark.sql.orderByOrdinal", true);
  const auto number = [&](const char* key, int64_t fallback) {
    return ParseInt64(conf.Get(key, "")).value_or(fallback);
  };
  settings.recursion_levels = number("spark.sql.cteRecursionLevelLimit", 100);
  settings.recursion_rows = number("spark.sql.cteRecursionRowLimit", 1'000'000);
  settings.merge_nested_coercion =
      conf.GetBool("spark.sql.mergeNestedTypeCoercion.enabled", false);
  settings.dynamic_partition_overwrite =
      EqualsIgnoreCase(conf.Get("spark.sql.sources.partitionOverwriteMode", "STATIC"), "DYNAMIC");
  return settings;
}

plan::TableRef RefOf(const QualifiedName& name, const catalog::LoadedTable& loaded) {
  plan::TableRef table;
  table.catalog = name.catalog_name;
  table.identifier = name.rest;
  table.metadata = loaded.metadata;
  table.metadata_location = loaded.metadata_location;
  table.snapshot_id = loaded.metadata->current_snapshot_id;
  table.schema = std::make_shared<const spec::Schema>(loaded.metadata->schema());
  return table;
}

}  // namespace

catalog::TableIdentifier QualifiedName::identifier() const {
  return {{rest.begin(), rest.end() - 1}, rest.back()};
}

sql::Name QualifiedName::full() const {
  sql::Name name{catalog_name};
  name.insert(name.end(), rest.begin(), rest.end());
  return name;
}

NameResolver::NameResolver(SessionState& session, int64_t now_micros)
    : session_(session), now_micros_(now_micros), settings_(SettingsOf(session, now_micros)) {}

exec::StatementContext NameResolver::statement_context() const {
  return {settings_.time_zone, now_micros_, settings_.default_parallelism, session_.on_progress};
}

Result<QualifiedName> NameResolver::Qualify(const sql::Name& name) {
  QualifiedName qualified;
  if (name.size() > 1 && session_.catalogs.Exists(name.front())) {
    qualified.catalog_name = name.front();
    qualified.rest.assign(name.begin() + 1, name.end());
  } else {
    qualified.catalog_name = session_.current_catalog;
    if (name.size() == 1) qualified.rest = session_.current_namespace;
    qualified.rest.insert(qualified.rest.end(), name.begin(), name.end());
  }
  ASSIGN_OR_RETURN(qualified.catalog, session_.catalogs.Get(qualified.catalog_name));
  return qualified;
}

Result<QualifiedName> NameResolver::QualifyNamespace(const sql::Name& name) {
  QualifiedName qualified;
  if (name.empty()) {
    qualified.catalog_name = session_.current_catalog;
    qualified.rest = session_.current_namespace;
  } else if (session_.catalogs.Exists(name.front())) {
    qualified.catalog_name = name.front();
    qualified.rest.assign(name.begin() + 1, name.end());
  } else {
    qualified.catalog_name = session_.current_catalog;
    qualified.rest = name;
  }
  ASSIGN_OR_RETURN(qualified.catalog, session_.catalogs.Get(qualified.catalog_name));
  return qualified;
}

Result<std::optional<catalog::LoadedTable>> NameResolver::Load(const QualifiedName& name) {
  if (name.rest.empty()) return std::optional<catalog::LoadedTable>();
  sql::Name key = name.full();
  if (auto at = loaded_.find(key); at != loaded_.end()) return std::optional(at->second);
  auto loaded = name.catalog->LoadTable(name.identifier());
  if (!loaded) {
    if (loaded.error().code == ErrorCode::kNotFound &&
        loaded.error().exception != "NotFoundException") {
      return std::optional<catalog::LoadedTable>();
    }
    return Fail(std::move(loaded).error());
  }
  session_.Reach(name.catalog, *loaded->metadata);
  loaded_.emplace(std::move(key), *loaded);
  return std::optional(std::move(*loaded));
}

Result<std::optional<plan::ResolvedRelation>> NameResolver::Resolve(
    const plan::RelationRequest& request) {
  const sql::Name& name = request.name;
  bool global = name.size() == 2 && EqualsIgnoreCase(name[0], kGlobalTemp);
  if (name.size() == 1 || global) {
    std::string key =
        global ? std::string(kGlobalTemp) + "." + Utf8Lower(name[1]) : Utf8Lower(name[0]);
    if (auto at = session_.temporary_views.find(key); at != session_.temporary_views.end()) {
      plan::TemporaryView view = at->second;
      if (view.plan != nullptr) {
        ASSIGN_OR_RETURN(view.plan, AsOfNow(view));
      }
      return std::optional<plan::ResolvedRelation>(std::move(view));
    }
  }
  return ResolveInCatalog(request);
}

Result<std::optional<plan::ResolvedRelation>> NameResolver::ResolveInCatalog(
    const plan::RelationRequest& request) {
  ASSIGN_OR_RETURN(QualifiedName name, Qualify(request.name));
  ASSIGN_OR_RETURN(std::optional<catalog::LoadedTable> loaded, Load(name));
  if (loaded) {
    ASSIGN_OR_RETURN(plan::ResolvedRelation relation,
                     SelectState(RefOf(name, *loaded), nullptr, request, session_.configuration));
    return std::optional(std::move(relation));
  }
  ASSIGN_OR_RETURN(std::optional<plan::ResolvedRelation> selected, ResolveSelector(request, name));
  if (selected) return selected;
  if (request.for_write) return std::optional<plan::ResolvedRelation>();  // views are not written
  return ResolveView(name);
}

Result<std::optional<plan::ResolvedRelation>> NameResolver::ResolveSelector(
    const plan::RelationRequest& request, const QualifiedName& name) {
  std::optional<plan::ResolvedRelation> none;
  if (name.rest.size() < 2) return none;
  std::optional<Selector> selector = ParseSelector(name.rest.back());
  if (!selector) return none;
  QualifiedName parent = name;
  parent.rest.pop_back();
  ASSIGN_OR_RETURN(std::optional<catalog::LoadedTable> loaded, Load(parent));
  if (!loaded) return none;
  if (request.for_write && selector->kind == Selector::Kind::kMetadataTable) {
    return Fail(ErrorCode::kUnsupported, "Cannot " + std::string(write_verb_) + " a metadata table",
                "UnsupportedOperationException");
  }
  ASSIGN_OR_RETURN(plan::ResolvedRelation relation, SelectState(RefOf(parent, *loaded), &*selector,
                                                                request, session_.configuration));
  return std::optional(std::move(relation));
}

Result<std::optional<plan::ResolvedRelation>> NameResolver::ResolveView(const QualifiedName& name) {
  std::optional<plan::ResolvedRelation> none;
  catalog::ViewCatalog* views = name.catalog->views();
  if (views == nullptr || name.rest.empty()) return none;
  auto loaded = views->LoadView(name.identifier());
  if (!loaded) {
    if (loaded.error().code == ErrorCode::kNotFound) return none;
    return Fail(std::move(loaded).error());
  }
  const spec::ViewVersion& version = loaded->metadata->version();
  const spec::ViewRepresentation* text = version.ForDialect("spark");
  if (text == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                "No SQL representation for dialect spark: " + sql::QuoteNameIfNeeded(name.full()),
                "IllegalStateException");
  }
  plan::CatalogView view;
  view.catalog = name.catalog_name;
  view.identifier = name.rest;
  view.text = text->sql;
  view.default_catalog = version.default_catalog.value_or("");
  view.default_namespace = version.default_namespace;
  for (const spec::NestedField& field : loaded->metadata->schema().fields()) {
    ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field.type));
    view.columns.push_back({0, field.name, std::move(type), !field.required});
  }
  const auto& properties = loaded->metadata->properties;
  if (auto names = properties.find("spark.query-column-names"); names != properties.end()) {
    view.query_column_names = SplitTrimmed(names->second, ',');
  }
  return std::optional<plan::ResolvedRelation>(std::move(view));
}

Result<std::optional<TableHandle>> NameResolver::FindTable(const sql::Name& name) {
  ASSIGN_OR_RETURN(QualifiedName qualified, Qualify(name));
  ASSIGN_OR_RETURN(std::optional<catalog::LoadedTable> loaded, Load(qualified));
  if (!loaded) return std::optional<TableHandle>();
  return std::optional(TableHandle{qualified.catalog, qualified.catalog_name,
                                   qualified.identifier(), std::move(*loaded)});
}

Result<TableHandle> NameResolver::GetTable(const sql::Name& name) {
  ASSIGN_OR_RETURN(std::optional<TableHandle> found, FindTable(name));
  if (found) return std::move(*found);
  return Fail(TableNotFound(name, "ExtendedAnalysisException"));
}

Result<TableHandle> NameResolver::HandleOf(const plan::TableRef& table) {
  ASSIGN_OR_RETURN(std::shared_ptr<catalog::Catalog> catalog, session_.catalogs.Get(table.catalog));
  catalog::TableIdentifier id{{table.identifier.begin(), table.identifier.end() - 1},
                              table.identifier.back()};
  return TableHandle{
      std::move(catalog), table.catalog, std::move(id), {table.metadata_location, table.metadata}};
}

Result<Value> NameResolver::Evaluate(const plan::ExprPtr& expr) {
  plan::Plan plan;
  plan.node = plan::Values{{{expr}}};
  plan.output = {{1, "value", expr->type, expr->nullable}};
  ASSIGN_OR_RETURN(std::unique_ptr<exec::RowCursor> cursor,
                   session_.executor().Query(std::make_shared<const plan::Plan>(std::move(plan)),
                                             statement_context()));
  ASSIGN_OR_RETURN(std::vector<ValueList> rows, cursor->Next());
  if (rows.empty() || rows.front().empty())
    return Fail(ErrorCode::kInternal, "a constant expression gave no value");
  return rows.front().front();
}

Result<std::vector<plan::Column>> NameResolver::DescribeFiles(const plan::FileScan& scan) {
  return session_.executor().DescribeFiles(scan);
}

plan::ExprPtr NameResolver::FindVariable(const sql::Name& name) {
  auto at = session_.variables.find(Utf8Lower(name.back()));
  return at == session_.variables.end() ? nullptr : at->second;
}

}  // namespace iceblink::engine
