#include "server/analysis.h"

#include <functional>

#include "base/strings.h"
#include "engine/session_state.h"
#include "server/errors.h"
#include "server/execution.h"
#include "server/types.h"
#include "sql/parser.h"
#include "sql/printer.h"

namespace iceblink::server {
namespace {

using Request = connect::AnalyzePlanRequest;
using Response = connect::AnalyzePlanResponse;

class Analysis {
 public:
  explicit Analysis(ConnectSession& session)
      : turn_(session), translator_(TranslatorSession(session, *turn_)) {}

  Status Run(const Request& request, Response* out);

 private:
  Result<std::vector<plan::Column>> Columns(const connect::Plan& plan) {
    if (!plan.has_root()) return Fail(InvalidInput("Only relations can be analyzed"));
    const connect::Relation& root = plan.root();
    if (root.has_catalog()) return Fail(NotSupported("the schema of a catalog call"));
    if (root.has_tail()) {
      connect::Plan inner;
      *inner.mutable_root() = root.tail().input();
      return Columns(inner);
    }
    if (root.has_show_string() || root.has_html_string())
      return std::vector<plan::Column>{{1, "show_string", sql::TypeKind::kString, false}};
    if (root.has_sql()) {
      ASSIGN_OR_RETURN(sql::Statement statement, translator_.Statement(root.sql()));
      if (const auto* query = statement.As<sql::QueryStatement>())
        return Describe(*turn_, *query->query);
    }
    ASSIGN_OR_RETURN(sql::QueryPtr query, translator_.Query(root));
    return Describe(*turn_, *query);
  }
  Result<sql::DataType> Schema(const connect::Plan& plan) {
    ASSIGN_OR_RETURN(std::vector<plan::Column> columns, Columns(plan));
    std::vector<sql::StructField> fields;
    for (plan::Column& column : columns)
      fields.push_back({column.name, column.type, column.nullable, {}});
    return sql::DataType::Struct(std::move(fields));
  }
  Result<std::string> Explain(const Request::Explain& explain);
  Status Same(const Request::SameSemantics& request, Response* out);

  ConnectSession::Turn turn_;
  PlanTranslator translator_;
};

Result<std::string> Analysis::Explain(const Request::Explain& explain) {
  if (!explain.plan().has_root()) return Fail(InvalidInput("Only relations can be explained"));
  sql::Explain statement;
  using X = Request::Explain;
  statement.mode = explain.explain_mode() == X::EXPLAIN_MODE_EXTENDED
                       ? sql::Explain::Mode::kExtended
                       : sql::Explain::Mode::kSimple;
  ASSIGN_OR_RETURN(sql::QueryPtr query, translator_.Query(explain.plan().root()));
  statement.statement = std::make_shared<const sql::Statement>(
      sql::Statement{sql::QueryStatement{std::move(query)}, {}});
  ASSIGN_OR_RETURN(engine::StatementResult result,
                   turn_->Execute(sql::Statement{std::move(statement), {}}));
  ASSIGN_OR_RETURN(std::vector<ValueList> rows, result.All());
  return rows.empty() ? std::string() : rows[0][0].As<std::string>();
}

// Plan ids differ between DataFrames that mean the same.
Result<std::string> Canonical(PlanTranslator& translator, const connect::Plan& plan) {
  if (!plan.has_root()) return plan.SerializeAsString();
  ASSIGN_OR_RETURN(sql::QueryPtr query, translator.Query(plan.root()));
  return sql::PrintQuery(*query);
}

Status Analysis::Same(const Request::SameSemantics& request, Response* out) {
  ASSIGN_OR_RETURN(std::string a, Canonical(translator_, request.target_plan()));
  ASSIGN_OR_RETURN(std::string b, Canonical(translator_, request.other_plan()));
  out->mutable_same_semantics()->set_result(a == b);
  return {};
}

// Nothing is ever cached: persist is a promise kept already.
void Cached(const Request& request, Response* out) {
  if (request.has_persist()) out->mutable_persist();
  if (request.has_unpersist()) out->mutable_unpersist();
  if (request.has_get_storage_level())
    out->mutable_get_storage_level()->mutable_storage_level()->set_replication(1);
}

Status Analysis::Run(const Request& request, Response* out) {
  switch (request.analyze_case()) {
    case Request::kSchema: {
      ASSIGN_OR_RETURN(sql::DataType schema, Schema(request.schema().plan()));
      ToMessage(schema, out->mutable_schema()->mutable_schema());
      return {};
    }
    case Request::kExplain: {
      ASSIGN_OR_RETURN(*out->mutable_explain()->mutable_explain_string(),
                       Explain(request.explain()));
      return {};
    }
    case Request::kTreeString: {
      ASSIGN_OR_RETURN(sql::DataType schema, Schema(request.tree_string().plan()));
      std::optional<int> level;
      if (request.tree_string().has_level()) level = request.tree_string().level();
      out->mutable_tree_string()->set_tree_string(TreeString(schema, level));
      return {};
    }
    case Request::kIsLocal:
      RETURN_IF_ERROR(Columns(request.is_local().plan()));
      out->mutable_is_local()->set_is_local(request.is_local().plan().root().has_local_relation());
      return {};
    case Request::kIsStreaming:
      RETURN_IF_ERROR(Columns(request.is_streaming().plan()));
      out->mutable_is_streaming()->set_is_streaming(false);
      return {};
    case Request::kInputFiles:
      out->mutable_input_files();
      return {};
    case Request::kSparkVersion:
      out->mutable_spark_version()->set_version(engine::kSparkVersion);
      return {};
    case Request::kDdlParse: {
      ASSIGN_OR_RETURN(sql::DataType type, ParseSchema(request.ddl_parse().ddl_string()));
      ToMessage(type, out->mutable_ddl_parse()->mutable_parsed());
      return {};
    }
    case Request::kJsonToDdl: {
      ASSIGN_OR_RETURN(sql::DataType type, ParseSchema(request.json_to_ddl().json_string()));
      out->mutable_json_to_ddl()->set_ddl_string(ToDdl(type));
      return {};
    }
    case Request::kSameSemantics:
      return Same(request.same_semantics(), out);
    case Request::kSemanticHash: {
      ASSIGN_OR_RETURN(std::string text, Canonical(translator_, request.semantic_hash().plan()));
      out->mutable_semantic_hash()->set_result(
          static_cast<int32_t>(std::hash<std::string>()(text)));
      return {};
    }
    case Request::kPersist:
    case Request::kUnpersist:
    case Request::kGetStorageLevel:
      Cached(request, out);
      return {};
    default:
      return Fail(InvalidInput("The request asks for nothing"));
  }
}

// ---- Config
// -----------------------------------------------------------------------------------------------------------

struct Default {
  std::string_view key, value;
};

// What Spark 4.1 answers for keys that clients ask for on their own account.
constexpr Default kDefaults[] = {
    {"spark.sql.ansi.doubleQuotedIdentifiers", "false"},
    {"spark.sql.ansi.enforceReservedKeywords", "false"},
    {"spark.sql.connect.serverStacktrace.enabled", "false"},
    {"spark.sql.decimalOperations.allowPrecisionLoss", "true"},
    {"spark.sql.execution.arrow.maxRecordsPerBatch", "10000"},
    {"spark.sql.execution.arrow.pyspark.enabled", "false"},
    {"spark.sql.execution.arrow.pyspark.fallback.enabled", "true"},
    {"spark.sql.execution.arrow.pyspark.selfDestruct.enabled", "false"},
    {"spark.sql.execution.arrow.useLargeVarTypes", "false"},
    {"spark.sql.execution.pandas.convertToArrowArraySafely", "false"},
    {"spark.sql.execution.pandas.inferPandasDictAsMap", "false"},
    {"spark.sql.execution.pandas.structHandlingMode", "legacy"},
    {"spark.sql.execution.pyspark.binaryAsBytes", "true"},
    {"spark.sql.execution.pythonUDF.arrow.enabled", "false"},
    {"spark.sql.execution.pythonUDTF.arrow.enabled", "false"},
    {"spark.sql.groupByOrdinal", "true"},
    {"spark.sql.mapKeyDedupPolicy", "EXCEPTION"},
    {"spark.sql.orderByOrdinal", "true"},
    {"spark.sql.pyspark.inferNestedDictAsStruct.enabled", "false"},
    {"spark.sql.pyspark.jvmStacktrace.enabled", "false"},
    {"spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled", "false"},
    {"spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled", "false"},
    {"spark.sql.repl.eagerEval.enabled", "false"},
    {"spark.sql.repl.eagerEval.maxNumRows", "20"},
    {"spark.sql.repl.eagerEval.truncate", "20"},
    {"spark.sql.scripting.enabled", "true"},
    {"spark.sql.session.localRelationBatchOfChunksSizeBytes", "1073741824"},
    {"spark.sql.session.localRelationCacheThreshold", "1048576"},
    {"spark.sql.session.localRelationChunkSizeBytes", "16777216"},
    {"spark.sql.session.localRelationChunkSizeRows", "10000"},
    {"spark.sql.session.localRelationSizeLimit", "3221225472"},
    {"spark.sql.sources.default", "parquet"},
    {"spark.sql.timestampType", "TIMESTAMP_LTZ"},
    {"spark.sql.variable.substitute", "true"},
};

std::optional<std::string> ValueOf(const engine::Configuration& configuration,
                                   const std::string& key) {
  if (auto value = configuration.Get(key)) return value;
  for (const Default& row : kDefaults)
    if (row.key == key) return std::string(row.value);
  return std::nullopt;
}

Error UnknownKey(const std::string& key) {
  Error error =
      Error::Make(ErrorCode::kNotFound,
                  "[SQL_CONF_NOT_FOUND] The SQL config \"" + key +
                      "\" cannot be found. Please verify that the config exists. SQLSTATE: 42K0I",
                  "SparkNoSuchElementException");
  error.condition = "SQL_CONF_NOT_FOUND";
  error.sql_state = "42K0I";
  return error;
}

void AddPair(const std::string& key, const std::optional<std::string>& value,
             connect::ConfigResponse* out) {
  auto* pair = out->add_pairs();
  pair->set_key(key);
  if (value) pair->set_value(*value);
}

Status SetAll(engine::SessionState& state, const connect::ConfigRequest::Set& set,
              connect::ConfigResponse* out) {
  // A session that nobody has moved yet follows the default catalog.
  bool at_default = state.current_catalog == state.catalogs.DefaultCatalog();
  for (const auto& pair : set.pairs()) {
    auto status = state.configuration.Set(pair.key(), pair.value());
    // Options of a builder that cannot be set any more are warned of.
    if (!status && set.silent())
      out->add_warnings(status.error().message);
    else if (!status)
      return status;
  }
  const std::string now_default = state.catalogs.DefaultCatalog();
  if (at_default && state.current_catalog != now_default) state.UseCatalog(now_default);
  state.UpdateTimeZone();
  return {};
}

Status Read(const engine::Configuration& configuration,
            const connect::ConfigRequest::Operation& operation, connect::ConfigResponse* out) {
  using O = connect::ConfigRequest::Operation;
  switch (operation.op_type_case()) {
    case O::kGet:
      for (const std::string& key : operation.get().keys()) {
        auto value = ValueOf(configuration, key);
        if (!value) return Fail(UnknownKey(key));
        AddPair(key, value, out);
      }
      return {};
    case O::kGetOption:
      for (const std::string& key : operation.get_option().keys())
        AddPair(key, ValueOf(configuration, key), out);
      return {};
    case O::kGetWithDefault:
      for (const auto& pair : operation.get_with_default().pairs()) {
        auto value = ValueOf(configuration, pair.key());
        if (!value && pair.has_value()) value = pair.value();
        AddPair(pair.key(), value, out);
      }
      return {};
    case O::kGetAll: {
      std::map<std::string, std::string> all;
      for (const Default& row : kDefaults) all[std::string(row.key)] = row.value;
      for (const engine::SettingDef& def : engine::KnownSettings())
        if (auto value = configuration.Get(def.key)) all[std::string(def.key)] = *value;
      for (const auto& [key, value] : configuration.all()) all[key] = value;
      const std::string& prefix = operation.get_all().prefix();
      for (const auto& [key, value] : all)
        if (key.starts_with(prefix)) AddPair(key.substr(prefix.size()), value, out);
      return {};
    }
    case O::kIsModifiable:
      for (const std::string& key : operation.is_modifiable().keys()) {
        bool known = ValueOf(configuration, key).has_value(), fixed = false;
        for (const engine::SettingDef& def : engine::KnownSettings())
          fixed = fixed || (def.key == key && def.is_static);
        AddPair(key, known && !fixed ? "true" : "false", out);
      }
      return {};
    default:
      return Fail(InvalidInput("The request asks for nothing"));
  }
}

}  // namespace

Status Analyze(ConnectSession& session, const Request& request, Response* response) {
  return Analysis(session).Run(request, response);
}

Status Configure(ConnectSession& session, const connect::ConfigRequest& request,
                 connect::ConfigResponse* response) {
  using O = connect::ConfigRequest::Operation;
  ConnectSession::Turn turn(session);
  engine::SessionState& state = turn->state();
  const O& operation = request.operation();
  if (operation.op_type_case() == O::kSet) return SetAll(state, operation.set(), response);
  if (operation.op_type_case() == O::kUnset) {
    for (const std::string& key : operation.unset().keys()) {
      RETURN_IF_ERROR(state.configuration.Reset(key));
      AddPair(key, std::nullopt, response);
    }
    state.UpdateTimeZone();
    return {};
  }
  return Read(state.configuration, operation, response);
}

}  // namespace iceblink::server
