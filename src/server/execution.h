// Execution: runs one ExecutePlan on its operation's thread and appends the responses in the order
// that clients expect: the result of a command or the schema, Arrow batches, then result_complete.
//
// It holds the session's turn from beginning to end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/operation.h"
#include "server/sessions.h"
#include "server/translator.h"

namespace iceblink::server {

class Execution {
 public:
  Execution(std::shared_ptr<ConnectSession> session, Operation& operation);

  Status Run(const connect::Plan& plan);

 private:
  // execution.cc
  Status RunRoot(const connect::Relation& root);
  Status Send(engine::StatementResult result);
  Status SendBatch(const sql::DataType& schema, const exec::ColumnBatch& batch);
  Status SendObservations();
  Status SendText(std::string column, std::string text);
  Status Append(connect::ExecutePlanResponse response);
  Status RunTail(const connect::Tail& tail);
  Status RunShow(const connect::Relation& input, int32_t limit,
                 const std::function<std::string(const std::vector<engine::ResultColumn>&,
                                                 std::vector<ValueList>)>& show);
  Result<engine::StatementResult> Query(sql::QueryPtr query);
  Result<engine::StatementResult> Relation(const connect::Relation& relation);
  // The last `count` rows, or the first.
  Result<std::vector<ValueList>> Rows(engine::StatementResult& result, size_t limit);

  // commands.cc
  Status RunCommand(const connect::Command& command);
  Status RunSql(const connect::SqlCommand& command);
  Status SendSqlResult(engine::StatementResult result);
  Status RunView(const connect::CreateDataFrameViewCommand& command);
  Status RunMerge(const connect::MergeIntoTableCommand& command);
  // writes.cc
  Status RunWrite(const connect::WriteOperation& write);
  Status RunWriteV2(const connect::WriteOperationV2& write);
  Status RunStatement(sql::StatementNode node);

  // catalog_calls.cc
  Result<engine::StatementResult> RunCatalog(const connect::Catalog& call);

  std::shared_ptr<ConnectSession> session_;
  ConnectSession::Turn engine_;
  Operation& operation_;
  PlanTranslator translator_;
};

// What a translator asks of a session whose turn the caller holds.
PlanTranslator::Session TranslatorSession(ConnectSession& session, engine::Session& engine);

// The columns of a query, analyzed and not run.
Result<std::vector<plan::Column>> Describe(engine::Session& engine, const sql::Query& query);

}  // namespace iceblink::server
