// Commands: SQL, views of DataFrames, MERGE.
#include "base/strings.h"
#include "engine/errors.h"
#include "engine/session_state.h"
#include "engine/statement_scope.h"
#include "server/arrow_ipc.h"
#include "server/errors.h"
#include "server/execution.h"
#include "server/types.h"
#include "sql/parser.h"

namespace iceblink::server {

using C = connect::Command;

Status Execution::RunCommand(const C& command) {
  switch (command.command_type_case()) {
    case C::kSqlCommand:
      return RunSql(command.sql_command());
    case C::kWriteOperation:
      return RunWrite(command.write_operation());
    case C::kWriteOperationV2:
      return RunWriteV2(command.write_operation_v2());
    case C::kCreateDataframeView:
      return RunView(command.create_dataframe_view());
    case C::kMergeIntoTableCommand:
      return RunMerge(command.merge_into_table_command());
    case C::kMlCommand:  // the client clears its cache of models when it stops
      if (command.ml_command().has_clean_cache()) return {};
      return Fail(NotSupported("Spark ML"));
    case C::kRemoveCachedRemoteRelationCommand:
      return {};
    case C::kRegisterFunction:
      return Fail(NotSupported("a Python UDF"));
    case C::kRegisterTableFunction:
      return Fail(NotSupported("a Python UDTF"));
    case C::kRegisterDataSource:
      return Fail(NotSupported("a Python data source"));
    case C::kWriteStreamOperationStart:
    case C::kStreamingQueryCommand:
    case C::kStreamingQueryManagerCommand:
    case C::kStreamingQueryListenerBusCommand:
      return Fail(NotSupported("Structured Streaming"));
    default:
      break;
  }
  const auto* field =
      command.GetDescriptor()->FindFieldByNumber(static_cast<int>(command.command_type_case()));
  return Fail(NotSupported(field == nullptr ? "this command" : "the command " + field->name()));
}

// ---- SQL
// --------------------------------------------------------------------------------------------------------------

namespace {

// Clients before 4.0 send the text and its arguments without a relation.
connect::Relation InputOf(const connect::SqlCommand& command) {
  if (command.has_input()) return command.input();
  connect::Relation relation;
  relation.mutable_sql()->set_query(command.sql());
  *relation.mutable_sql()->mutable_args() = command.args();
  *relation.mutable_sql()->mutable_pos_args() = command.pos_args();
  *relation.mutable_sql()->mutable_named_arguments() = command.named_arguments();
  *relation.mutable_sql()->mutable_pos_arguments() = command.pos_arguments();
  return relation;
}

// DataFrames that the text names are temporary views while it runs.
class BoundViews {
 public:
  BoundViews(engine::SessionState& state, const std::vector<sql::Cte>& views)
      : state_(state), saved_(state.temporary_views) {
    for (const sql::Cte& cte : views) {
      sql::Statement statement;
      engine::StatementScope scope(state, statement);
      auto plan = scope.analyzer.AnalyzeQuery(*cte.query);
      if (!plan) {
        status_ = Fail(plan.error());
        return;
      }
      plan::TemporaryView view;
      view.name = cte.name;
      view.plan = std::move(*plan);
      state.temporary_views[Utf8Lower(cte.name)] = std::move(view);
      names_.push_back(Utf8Lower(cte.name));
    }
  }
  ~BoundViews() {
    for (const std::string& name : names_) {
      if (auto at = saved_.find(name); at != saved_.end())
        state_.temporary_views[name] = at->second;
      else
        state_.temporary_views.erase(name);
    }
  }
  BoundViews(const BoundViews&) = delete;
  BoundViews& operator=(const BoundViews&) = delete;
  const Status& status() const { return status_; }

 private:
  engine::SessionState& state_;
  std::map<std::string, plan::TemporaryView> saved_;
  std::vector<std::string> names_;
  Status status_;
};

}  // namespace

// A query is analyzed and handed back as it came; anything else runs now and its rows become the
// answer's relation.
Status Execution::RunSql(const connect::SqlCommand& command) {
  connect::Relation input = InputOf(command);
  const connect::Relation* root = &input;
  if (input.has_with_relations()) {
    RETURN_IF_ERROR(translator_.Bind(input.with_relations()));
    root = &input.with_relations().root();
  }
  if (!root->has_sql())
    return Fail(InvalidInput("SQL command expects a SQL or a WithRelations relation"));
  ASSIGN_OR_RETURN(sql::Statement statement, translator_.Statement(root->sql()));
  BoundViews views(engine_->state(), translator_.bound_views());
  if (!views.status()) return Fail(views.status().error());
  if (const auto* query = statement.As<sql::QueryStatement>()) {
    RETURN_IF_ERROR(Describe(*engine_, *query->query));
    connect::ExecutePlanResponse response = operation_.NewResponse();
    *response.mutable_sql_command_result()->mutable_relation() = std::move(input);
    return Append(std::move(response));
  }
  ASSIGN_OR_RETURN(engine::StatementResult result, engine_->Execute(statement));
  return SendSqlResult(std::move(result));
}

Status Execution::SendSqlResult(engine::StatementResult result) {
  sql::DataType schema = SchemaOf(result.columns());
  ASSIGN_OR_RETURN(std::vector<ValueList> rows, result.All());
  const std::string zone = engine_->configuration().Get("spark.sql.session.timeZone", "UTC");
  ASSIGN_OR_RETURN(std::string data, EncodeArrow(schema, rows, zone));
  connect::ExecutePlanResponse response = operation_.NewResponse();
  auto* local = response.mutable_sql_command_result()->mutable_relation()->mutable_local_relation();
  local->set_data(std::move(data));
  return Append(std::move(response));
}

// ---- views
// ------------------------------------------------------------------------------------------------------------

Status Execution::RunView(const connect::CreateDataFrameViewCommand& command) {
  ASSIGN_OR_RETURN(sql::QueryPtr query, translator_.Query(command.input()));
  sql::Statement statement;
  engine::StatementScope scope(engine_->state(), statement);
  ASSIGN_OR_RETURN(plan::PlanPtr plan, scope.analyzer.AnalyzeQuery(*query));
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(command.name()));
  std::string key = (command.is_global() ? "global_temp." : "") + Utf8Lower(name.back());
  auto& views = engine_->state().temporary_views;
  if (views.count(key) > 0 && !command.replace())
    return Fail(engine::TemporaryViewExists(name.back()));
  plan::TemporaryView view;
  view.name = name.back();
  view.plan = std::move(plan);
  views[key] = std::move(view);
  return {};
}

// ---- MERGE
// ------------------------------------------------------------------------------------------------------------

namespace {

using Match = sql::MergeClause::Match;
using Action = sql::MergeClause::Action;

Result<sql::MergeClause> ClauseOf(PlanTranslator& translator, const connect::Expression& expression,
                                  Match match) {
  using M = connect::MergeAction;
  if (!expression.has_merge_action())
    return Fail(InvalidInput("A clause of MERGE must be a MergeAction"));
  const M& action = expression.merge_action();
  sql::MergeClause clause;
  clause.match = match;
  switch (action.action_type()) {
    case M::ACTION_TYPE_DELETE:
      clause.action = Action::kDelete;
      break;
    case M::ACTION_TYPE_INSERT:
      clause.action = Action::kInsert;
      break;
    case M::ACTION_TYPE_INSERT_STAR:
      clause.action = Action::kInsertAll;
      break;
    case M::ACTION_TYPE_UPDATE:
      clause.action = Action::kUpdate;
      break;
    case M::ACTION_TYPE_UPDATE_STAR:
      clause.action = Action::kUpdateAll;
      break;
    default:
      return Fail(InvalidInput("Unsupported merge action"));
  }
  if (action.has_condition()) {
    ASSIGN_OR_RETURN(clause.condition, translator.Expression(action.condition()));
  }
  for (const auto& assignment : action.assignments()) {
    ASSIGN_OR_RETURN(sql::ExprPtr key, translator.Expression(assignment.key()));
    const auto* column = key->As<sql::NamedColumn>();
    if (column == nullptr)
      return Fail(InvalidInput("A key of a merge assignment must be a column"));
    sql::Assignment out;
    out.column = column->parts;
    out.position = kNoPlace;
    ASSIGN_OR_RETURN(out.value, translator.Expression(assignment.value()));
    clause.assignments.push_back(std::move(out));
  }
  return clause;
}

}  // namespace

Status Execution::RunMerge(const connect::MergeIntoTableCommand& command) {
  sql::Merge merge;
  merge.table_position = kNoPlace;
  ASSIGN_OR_RETURN(merge.table, sql::ParseMultipartIdentifier(command.target_table_name()));
  ASSIGN_OR_RETURN(merge.source, translator_.Source(command.source_table_plan()));
  ASSIGN_OR_RETURN(merge.condition, translator_.Expression(command.merge_condition()));
  merge.with_schema_evolution = command.with_schema_evolution();
  auto add = [&](const auto& actions, Match match) -> Status {
    for (const auto& action : actions) {
      ASSIGN_OR_RETURN(sql::MergeClause clause, ClauseOf(translator_, action, match));
      merge.clauses.push_back(std::move(clause));
    }
    return {};
  };
  RETURN_IF_ERROR(add(command.match_actions(), Match::kMatched));
  RETURN_IF_ERROR(add(command.not_matched_actions(), Match::kNotMatched));
  RETURN_IF_ERROR(add(command.not_matched_by_source_actions(), Match::kNotMatchedBySource));
  return RunStatement(std::move(merge));
}

}  // namespace iceblink::server
