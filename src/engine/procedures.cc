#include "engine/procedures.h"

#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/table_selection.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

struct Entry {
  std::string_view name;
  ProcedureFunction function;
};
constexpr Entry kFunctions[] = {
    {"rollback_to_snapshot", RollbackToSnapshot},
    {"rollback_to_timestamp", RollbackToTimestamp},
    {"set_current_snapshot", SetCurrentSnapshot},
    {"cherrypick_snapshot", CherrypickSnapshot},
    {"publish_changes", PublishChanges},
    {"fast_forward", FastForward},
    {"ancestors_of", AncestorsOf},
    {"expire_snapshots", ExpireSnapshots},
    {"remove_orphan_files", RemoveOrphanFiles},
    {"rewrite_manifests", RewriteManifests},
    {"register_table", RegisterTable},
    {"rewrite_data_files", RewriteDataFiles},
    {"rewrite_position_delete_files", RewritePositionDeleteFiles},
    {"compute_table_stats", ComputeTableStats},
    {"compute_partition_stats", ComputePartitionStats},
    {"rewrite_table_path", RewriteTablePath},
    {"migrate", Migrate},
    {"add_files", AddFiles},
    {"snapshot", SnapshotTable},
    {"rebase_branch", RebaseBranch},
    {"create_changelog_view", CreateChangelogView},
};

Error CannotLoad(const std::string& table, const std::string& catalog) {
  return Error::Make(ErrorCode::kNotFound,
                     "Couldn't load table '" + table + "' in catalog '" + catalog + "'",
                     "RuntimeException");
}

}  // namespace

ProcedureFunction FindProcedureFunction(std::string_view name) {
  for (const Entry& entry : kFunctions) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

const Value& ProcedureCall::Argument(std::string_view name) const {
  size_t index = 0;
  while (index + 1 < procedure.parameters.size() && procedure.parameters[index].name != name)
    index++;
  return arguments[index];
}

std::optional<int64_t> ProcedureCall::Number(std::string_view name) const {
  const Value& value = Argument(name);
  return value.is_null() ? std::nullopt : std::optional(value.AsInt64());
}

std::optional<int64_t> ProcedureCall::Millis(std::string_view name) const {
  auto micros = Number(name);
  return micros ? std::optional(*micros / 1000) : std::nullopt;
}

std::map<std::string, std::string> ProcedureCall::Options(std::string_view name) const {
  std::map<std::string, std::string> options;
  if (!Has(name)) return options;
  for (const auto& [key, value] : Argument(name).entries()) {
    options[key.As<std::string>()] = value.is_null() ? "" : value.As<std::string>();
  }
  return options;
}

std::vector<std::string> ProcedureCall::Strings(std::string_view name) const {
  std::vector<std::string> strings;
  for (const Value& value : Argument(name).elements()) strings.push_back(value.As<std::string>());
  return strings;
}

Result<const spec::Snapshot*> ProcedureCall::Snapshot(const spec::TableMetadata& metadata) const {
  const auto id = Number("snapshot_id");
  if (!id) return metadata.CurrentSnapshot();
  const spec::Snapshot* snapshot = metadata.SnapshotById(*id);
  if (snapshot == nullptr) return IllegalArgument("Snapshot not found: " + std::to_string(*id));
  return snapshot;
}

Result<expr::Expression> ProcedureCall::Where(const spec::Schema& schema) const {
  if (!Has("where")) return expr::Expression::True();
  const std::string text = Text("where");
  auto parsed = sql::ParseExpression(text);
  if (parsed) {
    auto filter = scope.analyzer.AnalyzePredicate(**parsed, schema);
    if (filter || filter.error().condition.empty()) return filter;
  }
  return IllegalArgument("Cannot parse predicates in where option: " + text);
}

Result<TableHandle> ProcedureCall::Table(std::string* branch) const {
  std::string text = Text("table");
  if (text.empty())
    return IllegalArgument("Cannot handle an empty identifier for parameter 'table'");
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(text));
  if (name.size() > 1 && scope.session.catalogs.Exists(name.front())) {
    if (name.front() != catalog_name) {
      return IllegalArgument("Cannot run procedure in catalog '" + catalog_name + "': '" + text +
                             "' is a table in catalog '" + name.front() + "'");
    }
    name.erase(name.begin());
  } else if (name.size() == 1 && scope.session.current_catalog == catalog_name) {
    name.insert(name.begin(), scope.session.current_namespace.begin(),
                scope.session.current_namespace.end());
  }
  catalog::TableIdentifier id{{name.begin(), name.end() - 1}, name.back()};
  auto loaded = catalog->LoadTable(id);
  if (!loaded && branch != nullptr && name.size() > 1) {
    auto selector = ParseSelector(id.name);
    if (selector && selector->kind == Selector::Kind::kBranch) {
      *branch = selector->name;
      id.name = id.ns.back();
      id.ns.pop_back();
      loaded = catalog->LoadTable(id);
    }
  }
  if (!loaded) {
    // Spark hides the cause of every failure; a broken table must say what is broken.
    bool absent = loaded.error().exception == "NoSuchTableException" ||
                  loaded.error().exception == "NoSuchNamespaceException";
    return Fail(absent ? CannotLoad(text, catalog_name) : loaded.error());
  }
  return TableHandle{catalog, catalog_name, std::move(id), std::move(*loaded)};
}

}  // namespace iceblink::engine
