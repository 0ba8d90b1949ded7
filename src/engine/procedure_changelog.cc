// create_changelog_view: a temporary view over `t.changes` that leaves out rows which a rewrite only carried over, pairs
// deletes and inserts to updates, or nets changes. The view is SQL text; its windows do the work when it is read.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "plan/analyzer.h"
#include "plan/errors.h"
#include "plan/types.h"
#include "sql/parser.h"
#include "sql/printer.h"
#include "table/metadata_columns.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kType = "_change_type";
constexpr std::string_view kOrdinal = "_change_ordinal";

// Quoted names of the view's columns.
struct ChangeColumns {
  std::vector<std::string> data;
  std::vector<std::string> identifiers;
  std::string all;  // data and metadata columns, comma-separated
};

std::string Partition(const std::vector<std::string>& columns) { return "PARTITION BY " + Join(columns, ", "); }

// t.changes with the options that bound it.
std::string Source(const sql::Name& name, const std::map<std::string, std::string>& options) {
  std::string text = sql::QuoteName(name);
  std::vector<std::string> pairs;
  for (const auto& [key, value] : options) pairs.push_back(sql::QuoteIdentifier(key) + " = " + sql::PrintString(value));
  if (!pairs.empty()) text += " WITH (" + Join(pairs, ", ") + ")";
  return text;
}

// Equal rows of one snapshot cancel pairwise, a delete with an insert: what a copy-on-write rewrite carried over.
std::string WithoutCarryOver(const std::string& source, const ChangeColumns& columns) {
  std::vector<std::string> keys = columns.data;
  keys.push_back(std::string(kOrdinal));
  keys.push_back("_commit_snapshot_id");
  std::string same = Partition(keys);
  keys.push_back(std::string(kType));
  return "SELECT " + columns.all + " FROM (SELECT " + columns.all + ", row_number() OVER (" + Partition(keys) +
         " ORDER BY _change_ordinal) AS _n, sum(CASE WHEN _change_type = 'DELETE' THEN 1 ELSE 0 END) OVER (" + same +
         ") AS _deletes, sum(CASE WHEN _change_type = 'INSERT' THEN 1 ELSE 0 END) OVER (" + same + ") AS _inserts FROM " +
         source + ") WHERE _n > least(_deletes, _inserts)";
}

// A delete that an insert of the same identifiers follows in the same snapshot is an update.
std::string WithUpdates(const std::string& query, const ChangeColumns& columns, const std::string& identifiers) {
  std::vector<std::string> keys = columns.identifiers;
  keys.push_back(std::string(kOrdinal));
  std::string window = " OVER (" + Partition(keys) + " ORDER BY _change_type)";
  std::string problem = sql::PrintString("Cannot compute updates because there are multiple rows with the same identifier fields([" +
                                         identifiers + "]). Please make sure the rows are unique.");
  std::string type = "CASE WHEN _change_type = 'DELETE' AND _next = 'DELETE' THEN CAST(raise_error(" + problem +
                     ") AS STRING) WHEN _change_type = 'DELETE' AND _next = 'INSERT' THEN 'UPDATE_BEFORE' "
                     "WHEN _change_type = 'INSERT' AND _previous = 'DELETE' THEN 'UPDATE_AFTER' ELSE _change_type END";
  return "SELECT " + Join(columns.data, ", ") + ", " + type + " AS _change_type, _change_ordinal, _commit_snapshot_id FROM (SELECT " +
         columns.all + ", lead(_change_type)" + window + " AS _next, lag(_change_type)" + window + " AS _previous FROM (" + query +
         "))";
}

// What is left of each row over all snapshots; it keeps the metadata of the first change that no later one undid.
std::string Net(const std::string& source, const ChangeColumns& columns) {
  std::string rows = Partition(columns.data);
  std::string sign = "CASE WHEN _change_type = 'INSERT' THEN 1 ELSE -1 END";
  std::string in_order = " OVER (" + rows + " ORDER BY _change_ordinal, _change_type ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)";
  std::string counted = "SELECT " + columns.all + ", row_number() OVER (" + rows +
                        " ORDER BY _change_ordinal, _change_type) AS _n, sum(" + sign + ")" + in_order + " AS _balance, sum(" + sign +
                        ") OVER (" + rows + ") AS _net FROM " + source;
  std::string settled = "SELECT " + columns.all + ", _n, _net, max(CASE WHEN _balance = 0 THEN _n ELSE 0 END) OVER (" + rows +
                        ") AS _settled FROM (" + counted + ")";
  return "SELECT " + columns.all + " FROM (" + settled +
         ") LATERAL VIEW explode(sequence(1, CAST(abs(_net) AS INT))) AS _copy WHERE _n = _settled + 1";
}

Status CheckIdentifiers(const ProcedureCall& call, const spec::Schema& schema, const std::vector<std::string>& names) {
  std::vector<sql::Name> candidates;
  for (const spec::NestedField& field : schema.fields()) candidates.push_back({field.name});
  for (const spec::NestedField& field : table::ChangelogColumns()) candidates.push_back({field.name});
  for (const std::string& name : names) {
    if (schema.FindField(name, call.scope.names.settings().case_sensitive) != nullptr) continue;
    Error error = plan::UnresolvedColumnError({name}, candidates, false, std::nullopt);
    error.exception = "AnalysisException";
    if (error.message.ends_with(";")) error.message.pop_back();  // no plan follows
    return Fail(std::move(error));
  }
  return {};
}

// Changes are told apart by sorting the rows.
Status CheckOrder(const ProcedureCall& call, const spec::Schema& schema, const std::vector<std::string>& identifiers) {
  std::vector<std::string> unordered;
  for (const spec::NestedField& field : schema.fields()) {
    ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field.type));
    if (!plan::IsOrderable(type)) unordered.push_back(field.name);
  }
  if (identifiers.empty() && !unordered.empty()) {
    return IllegalArgument("Identifier field is required as table contains unorderable columns: [" + Join(unordered, ", ") + "]");
  }
  for (const std::string& name : identifiers) {
    const spec::NestedField* field = schema.FindField(name, call.scope.names.settings().case_sensitive);
    if (field == nullptr) continue;
    ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field->type));
    if (plan::IsOrderable(type)) continue;
    return plan::Raise("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                       {{"sqlExpr", plan::InDoubleQuotes(name + " ASC NULLS FIRST")},
                        {"functionName", "`sortorder`"},
                        {"dataType", plan::InDoubleQuotes(type.SqlString())}},
                       plan::ErrorPosition{1, 0});
  }
  return {};
}

ChangeColumns ColumnsOf(const spec::Schema& schema, const std::vector<std::string>& identifiers) {
  ChangeColumns columns;
  for (const spec::NestedField& field : schema.fields()) columns.data.push_back(sql::QuoteIdentifier(field.name));
  for (const std::string& name : identifiers) columns.identifiers.push_back(sql::QuoteIdentifier(name));
  std::vector<std::string> all = columns.data;
  for (const spec::NestedField& field : table::ChangelogColumns()) all.push_back(field.name);
  columns.all = Join(all, ", ");
  return columns;
}

std::vector<std::string> Identifiers(const ProcedureCall& call, const spec::Schema& schema) {
  if (call.Has("identifier_columns")) return call.Strings("identifier_columns");
  std::vector<std::string> names;
  for (int32_t id : schema.identifier_field_ids()) names.push_back(schema.FullName(id));
  return names;
}

}  // namespace

Result<ProcedureRows> CreateChangelogView(const ProcedureCall& call) {
  auto table = call.Table();
  if (!table) {
    if (table.error().exception != "RuntimeException") return Fail(std::move(table).error());
    ASSIGN_OR_RETURN(sql::Name missing, sql::ParseMultipartIdentifier(call.Text("table")));
    if (missing.front() != call.catalog_name) missing.insert(missing.begin(), call.catalog_name);
    missing.push_back("changes");
    return Fail(TableNotFound(missing, "ExtendedAnalysisException"));
  }
  const spec::Schema& schema = table->metadata().schema();
  std::vector<std::string> identifiers = Identifiers(call, schema);
  bool updates = call.Has("compute_updates") ? call.Flag("compute_updates") : call.Has("identifier_columns");
  bool net = call.Flag("net_changes");
  if (updates && net) return IllegalArgument("Not support net changes with update images");
  if (updates && identifiers.empty()) {
    return IllegalArgument("Cannot compute the update images because identifier columns are not set");
  }
  RETURN_IF_ERROR(CheckIdentifiers(call, schema, identifiers));
  RETURN_IF_ERROR(CheckOrder(call, schema, identifiers));
  sql::Name source_name{table->catalog_name};
  source_name.insert(source_name.end(), table->id.ns.begin(), table->id.ns.end());
  source_name.insert(source_name.end(), {table->id.name, "changes"});
  std::string source = Source(source_name, call.Options("options"));
  ChangeColumns columns = ColumnsOf(schema, identifiers);
  std::string query = net ? Net(source, columns) : WithoutCarryOver(source, columns);
  if (updates) query = WithUpdates(query, columns, Join(identifiers, ","));
  plan::TemporaryView view;
  view.name = call.Has("changelog_view") ? call.Text("changelog_view") : table->id.name + "_changes";
  view.text = std::move(query);
  std::string shown = call.Has("changelog_view") ? view.name : sql::QuoteIdentifier(view.name);
  call.scope.session.temporary_views[Utf8Lower(view.name)] = std::move(view);
  return ProcedureRows{{Value(std::move(shown))}};
}

}  // namespace iceblink::engine
