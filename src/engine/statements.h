// The statements of the grammar, one Run each. Session::Execute picks by the kind of statement;
// families live in ddl_table.cc, alter_table.cc, insert.cc ...
#pragma once

#include "base/result.h"
#include "engine/statement_result.h"
#include "engine/statement_scope.h"
#include "sql/ast.h"

namespace iceblink::engine {

// query.cc
Result<StatementResult> Run(StatementScope& scope, const sql::QueryStatement& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::Explain& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DescribeQuery& statement);
// insert.cc, row_level.cc
Result<StatementResult> Run(StatementScope& scope, const sql::Insert& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::MultiInsert& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::Delete& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::Update& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::Merge& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::Truncate& statement);
// call.cc
Result<StatementResult> Run(StatementScope& scope, const sql::Call& statement);
// ddl_table.cc
Result<StatementResult> Run(StatementScope& scope, const sql::CreateTable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::CreateTableLike& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DropTable& statement);
// alter_table.cc
Result<StatementResult> Run(StatementScope& scope, const sql::AlterTable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::CommentOn& statement);
// ddl_namespace.cc
Result<StatementResult> Run(StatementScope& scope, const sql::CreateNamespace& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DropNamespace& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::AlterNamespace& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::Use& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::SetCatalog& statement);
// views.cc
Result<StatementResult> Run(StatementScope& scope, const sql::CreateView& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::CreateTempViewUsing& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DropView& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::AlterView& statement);
// set.cc
Result<StatementResult> Run(StatementScope& scope, const sql::SetConfig& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::SetTimeZone& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::Reset& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::CacheTable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::UncacheTable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ClearCache& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::RefreshTable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::AnalyzeTable& statement);
// variables.cc
Result<StatementResult> Run(StatementScope& scope, const sql::DeclareVariable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::SetVariable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DropVariable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ExecuteImmediate& statement);
// show.cc
Result<StatementResult> Run(StatementScope& scope, const sql::ShowTables& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowTableExtended& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowViews& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowNamespaces& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowCatalogs& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowCurrentNamespace& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowColumns& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowTableProperties& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowPartitions& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowFunctions& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::ShowProcedures& statement);
// describe.cc, show_create.cc
Result<StatementResult> Run(StatementScope& scope, const sql::ShowCreateTable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DescribeTable& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DescribeNamespace& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DescribeFunction& statement);
Result<StatementResult> Run(StatementScope& scope, const sql::DescribeProcedure& statement);

Result<StatementResult> Run(StatementScope& scope, const sql::UnsupportedStatement& statement);

// Runs whatever statement it is (session.cc).
Result<StatementResult> Run(StatementScope& scope, const sql::Statement& statement);

}  // namespace iceblink::engine
