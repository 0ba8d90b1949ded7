// The ALTER TABLE forms of the Iceberg extensions: partition fields, write order, identifier
// fields, branches and tags.
#pragma once

#include "engine/statement_scope.h"
#include "sql/ast.h"

namespace iceblink::engine {

Status Alter(StatementScope& scope, const TableHandle& table, const sql::AddPartitionField& change);
Status Alter(StatementScope& scope, const TableHandle& table,
             const sql::DropPartitionField& change);
Status Alter(StatementScope& scope, const TableHandle& table,
             const sql::ReplacePartitionField& change);
Status Alter(StatementScope& scope, const TableHandle& table, const sql::WriteOrder& change);
Status Alter(StatementScope& scope, const TableHandle& table,
             const sql::SetIdentifierFields& change);
Status Alter(StatementScope& scope, const TableHandle& table,
             const sql::DropIdentifierFields& change);
Status Alter(StatementScope& scope, const TableHandle& table, const sql::PutRef& change);
Status Alter(StatementScope& scope, const TableHandle& table, const sql::DropRef& change);

}  // namespace iceblink::engine
