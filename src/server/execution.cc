#include "server/execution.h"

#include <deque>

#include "base/strings.h"
#include "engine/session_state.h"
#include "engine/statement_scope.h"
#include "server/arrow_ipc.h"
#include "server/errors.h"
#include "server/show_string.h"
#include "server/types.h"

namespace iceblink::server {

using R = connect::Relation;

Result<std::vector<plan::Column>> Describe(engine::Session& engine, const sql::Query& query) {
  sql::Statement statement;
  engine::StatementScope scope(engine.state(), statement);
  ASSIGN_OR_RETURN(plan::PlanPtr plan, scope.analyzer.AnalyzeQuery(query));
  return plan->output;
}

PlanTranslator::Session TranslatorSession(ConnectSession& session, engine::Session& engine) {
  PlanTranslator::Session out;
  out.describe = [&engine](const sql::Query& query) { return Describe(engine, query); };
  out.rows = [&engine](const sql::Query& query) -> Result<std::vector<ValueList>> {
    sql::Statement statement{sql::QueryStatement{std::make_shared<const sql::Query>(query)}, {}};
    ASSIGN_OR_RETURN(engine::StatementResult result, engine.Execute(statement));
    return result.All();
  };
  out.artifact = [&session](const std::string& name) { return session.FindArtifact(name); };
  return out;
}

Execution::Execution(std::shared_ptr<ConnectSession> session, Operation& operation)
    : session_(std::move(session)),
      engine_(*session_),
      operation_(operation),
      translator_(TranslatorSession(*session_, *engine_)) {}

Status Execution::Run(const connect::Plan& plan) {
  switch (plan.op_type_case()) {
    case connect::Plan::kRoot:
      RETURN_IF_ERROR(RunRoot(plan.root()));
      break;
    case connect::Plan::kCommand:
      RETURN_IF_ERROR(RunCommand(plan.command()));
      break;
    case connect::Plan::kCompressedOperation:
      return Fail(NotSupported("a compressed plan"));
    case connect::Plan::OP_TYPE_NOT_SET:
      return Fail(InvalidInput("The plan is empty"));
  }
  RETURN_IF_ERROR(SendObservations());
  connect::ExecutePlanResponse response = operation_.NewResponse();
  response.mutable_result_complete();
  return Append(std::move(response));
}

Status Execution::Append(connect::ExecutePlanResponse response) {
  if (operation_.Append(std::move(response), [this] { return session_->crowded(); })) return {};
  Error error = Error::Make(ErrorCode::kUnavailable,
                            "[OPERATION_CANCELED] Operation has been canceled. SQLSTATE: HY008",
                            "SparkSQLException");
  error.condition = "OPERATION_CANCELED";
  error.sql_state = "HY008";
  return Fail(std::move(error));
}

// ---- queries
// ----------------------------------------------------------------------------------------------------------

Result<engine::StatementResult> Execution::Query(sql::QueryPtr query) {
  return engine_->Execute(sql::Statement{sql::QueryStatement{std::move(query)}, {}});
}

Result<engine::StatementResult> Execution::Relation(const R& relation) {
  // SQL text alone runs as the shell runs it, with its text for messages.
  if (relation.has_sql()) {
    ASSIGN_OR_RETURN(sql::Statement statement, translator_.Statement(relation.sql()));
    return engine_->Execute(statement);
  }
  ASSIGN_OR_RETURN(sql::QueryPtr query, translator_.Query(relation));
  return Query(std::move(query));
}

Status Execution::RunRoot(const R& root) {
  switch (root.rel_type_case()) {
    case R::kShowString: {
      const connect::ShowString& show = root.show_string();
      return RunShow(show.input(), show.num_rows(),
                     [&](const auto& columns, std::vector<ValueList> rows) {
                       auto* format = show.vertical() ? ShowVertical : ShowRows;
                       return format(columns, std::move(rows), show.num_rows(), show.truncate(),
                                     engine_->time_zone());
                     });
    }
    case R::kHtmlString: {
      const connect::HtmlString& show = root.html_string();
      return RunShow(show.input(), show.num_rows(),
                     [&](const auto& columns, std::vector<ValueList> rows) {
                       return ShowHtml(columns, std::move(rows), show.num_rows(), show.truncate(),
                                       engine_->time_zone());
                     });
    }
    case R::kTail:
      return RunTail(root.tail());
    case R::kLocalRelation:  // what a command has answered comes back as it went
      if (root.local_relation().has_data() && !root.local_relation().has_schema()) {
        ASSIGN_OR_RETURN(ArrowRows rows, DecodeArrow(root.local_relation().data()));
        std::vector<engine::ResultColumn> columns;
        for (const sql::StructField& field : rows.schema.fields())
          columns.push_back({field.name, field.type, field.nullable});
        return Send(engine::StatementResult(std::move(columns), std::move(rows.rows)));
      }
      break;
    case R::kCatalog: {
      ASSIGN_OR_RETURN(engine::StatementResult result, RunCatalog(root.catalog()));
      return Send(std::move(result));
    }
    default:
      break;
  }
  ASSIGN_OR_RETURN(engine::StatementResult result, Relation(root));
  return Send(std::move(result));
}

Status Execution::RunTail(const connect::Tail& tail) {
  ASSIGN_OR_RETURN(engine::StatementResult result, Relation(tail.input()));
  std::deque<ValueList> last;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, result.Next());
    if (rows.empty()) break;
    for (ValueList& row : rows) {
      last.push_back(std::move(row));
      if (last.size() > static_cast<size_t>(std::max(tail.limit(), 0))) last.pop_front();
    }
  }
  return Send(engine::StatementResult(result.columns(), {last.begin(), last.end()}));
}

Status Execution::RunShow(const R& input, int32_t limit,
                          const std::function<std::string(const std::vector<engine::ResultColumn>&,
                                                          std::vector<ValueList>)>& show) {
  ASSIGN_OR_RETURN(engine::StatementResult result, Relation(input));
  ASSIGN_OR_RETURN(std::vector<ValueList> rows,
                   Rows(result, static_cast<size_t>(std::max(limit, 0)) + 1));
  std::vector<engine::ResultColumn> columns = result.columns();
  return SendText("show_string", show(columns, std::move(rows)));
}

Result<std::vector<ValueList>> Execution::Rows(engine::StatementResult& result, size_t limit) {
  std::vector<ValueList> all;
  while (all.size() < limit) {
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, result.Next());
    if (rows.empty()) break;
    for (ValueList& row : rows)
      if (all.size() < limit) all.push_back(std::move(row));
  }
  return all;
}

// The metrics of df.observe, each a query of its own.
Status Execution::SendObservations() {
  for (const PlanTranslator::Observation& observation : translator_.observations()) {
    ASSIGN_OR_RETURN(engine::StatementResult result,
                     Query(std::make_shared<const sql::Query>(observation.metrics)));
    std::vector<engine::ResultColumn> columns = result.columns();
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, result.All());
    connect::ExecutePlanResponse response = operation_.NewResponse();
    auto* metrics = response.add_observed_metrics();
    metrics->set_name(observation.name);
    metrics->set_plan_id(observation.plan_id);
    for (size_t c = 0; c < columns.size() && !rows.empty(); ++c) {
      metrics->add_keys(columns[c].name);
      ToMessage(rows[0][c], columns[c].type, metrics->add_values());
    }
    RETURN_IF_ERROR(Append(std::move(response)));
  }
  return {};
}

// ---- results
// ----------------------------------------------------------------------------------------------------------

Status Execution::SendText(std::string column, std::string text) {
  engine::ResultColumn shown = engine::StringColumn(std::move(column));
  shown.nullable = false;
  std::vector<ValueList> rows;
  rows.push_back({Value(std::move(text))});
  return Send(engine::StatementResult({std::move(shown)}, std::move(rows)));
}

namespace {

// What a batch holds where the session does not say: messages stay far below the limit of gRPC.
constexpr size_t kBatchRows = 65'536;
constexpr size_t kBatchBytes = 8 << 20;

size_t BatchRows(const engine::Configuration& configuration) {
  auto set = ParseInt64(configuration.Get("spark.sql.execution.arrow.maxRecordsPerBatch", ""));
  return set && *set > 0 ? static_cast<size_t>(*set) : kBatchRows;
}

}  // namespace

Status Execution::SendBatch(const sql::DataType& schema, const exec::ColumnBatch& batch) {
  const std::string zone = engine_->configuration().Get("spark.sql.session.timeZone", "UTC");
  ASSIGN_OR_RETURN(std::string data, EncodeArrow(schema, batch, zone));
  connect::ExecutePlanResponse response = operation_.NewResponse();
  response.mutable_arrow_batch()->set_row_count(batch.rows);
  response.mutable_arrow_batch()->set_data(std::move(data));
  return Append(std::move(response));
}

Status Execution::Send(engine::StatementResult result) {
  sql::DataType schema = SchemaOf(result.columns());
  connect::ExecutePlanResponse response = operation_.NewResponse();
  ToMessage(schema, response.mutable_schema());
  RETURN_IF_ERROR(Append(std::move(response)));
  const size_t most = BatchRows(engine_->configuration());
  if (!result.streamed()) {
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, result.All());
    size_t done = 0;
    do {  // clients expect at least one batch
      const size_t count = std::min(most, rows.size() - done);
      RETURN_IF_ERROR(SendBatch(schema, ColumnsOf(schema, std::span(rows).subspan(done, count))));
      done += count;
    } while (done < rows.size());
    return {};
  }
  for (bool first = true;; first = false) {
    ASSIGN_OR_RETURN(exec::ColumnBatch batch, result.NextColumns(most, kBatchBytes));
    if (batch.rows == 0 && !first) return {};
    RETURN_IF_ERROR(SendBatch(schema, batch));
    if (batch.rows == 0) return {};
  }
}

}  // namespace iceblink::server
