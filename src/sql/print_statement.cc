#include "base/strings.h"
#include "sql/printer.h"
#include "sql/printer_parts.h"

namespace iceblink::sql {

namespace {

std::string In(const Name& name) { return name.empty() ? "" : " IN " + PrintName(name); }
std::string Pattern(const std::optional<std::string>& pattern) {
  return pattern ? " LIKE " + PrintString(*pattern) : "";
}
std::string IfExists(bool given) { return given ? "IF EXISTS " : ""; }
std::string IfNotExists(bool given) { return given ? "IF NOT EXISTS " : ""; }
std::string Clause(std::string_view keyword, const std::optional<std::string>& text) {
  return text ? " " + std::string(keyword) + " " + PrintString(*text) : "";
}
std::string Partition(const PartitionSpec& spec) {
  return spec.empty() ? "" : " " + PrintPartition(spec);
}
std::string Alias(const std::string& alias) {
  return alias.empty() ? "" : " AS " + PrintIdentifier(alias);
}
std::string Where(const ExprPtr& where) { return where ? " WHERE " + PrintExpression(*where) : ""; }
std::string Options(std::string_view keyword, const PropertyMap& options) {
  return options.empty() ? "" : " " + std::string(keyword) + " " + PrintProperties(options);
}
// A dotted provider is a multi-part name.
std::string Provider(const std::string& provider) { return PrintName(Split(provider, '.')); }

std::string PrintAssignments(const std::vector<Assignment>& assignments) {
  return PrintList(assignments, [](const Assignment& assignment) {
    return PrintName(assignment.column) + " = " + PrintExpression(*assignment.value);
  });
}

std::string PrintClause(const MergeClause& clause) {
  constexpr std::string_view kMatches[] = {" WHEN MATCHED", " WHEN NOT MATCHED",
                                           " WHEN NOT MATCHED BY SOURCE"};
  std::string out(kMatches[static_cast<size_t>(clause.match)]);
  if (clause.condition) out += " AND " + PrintExpression(*clause.condition);
  switch (clause.action) {
    case MergeClause::Action::kDelete:
      return out + " THEN DELETE";
    case MergeClause::Action::kUpdateAll:
      return out + " THEN UPDATE SET *";
    case MergeClause::Action::kInsertAll:
      return out + " THEN INSERT *";
    case MergeClause::Action::kUpdate:
      return out + " THEN UPDATE SET " + PrintAssignments(clause.assignments);
    case MergeClause::Action::kInsert:
      return out + " THEN INSERT (" +
             PrintList(clause.assignments,
                       [](const Assignment& a) { return PrintName(a.column); }) +
             ") VALUES (" +
             PrintList(clause.assignments,
                       [](const Assignment& a) { return PrintExpression(*a.value); }) +
             ")";
  }
  return out;
}

class StatementPrinter {
 public:
  std::string operator()(const QueryStatement& n) { return PrintQuery(*n.query); }
  std::string operator()(const Insert& n) {
    std::string out = PrintCtes(n.ctes, false) +
                      (n.overwrite ? "INSERT OVERWRITE " : "INSERT INTO ") + PrintName(n.table) +
                      Options("WITH", n.options);
    if (n.replace_where)
      return out + " REPLACE WHERE " + PrintExpression(*n.replace_where) + " " +
             PrintQuery(*n.query);
    out += Partition(n.partition) + (n.if_not_exists ? " IF NOT EXISTS" : "") +
           (n.by_name ? " BY NAME" : "");
    if (!n.columns.empty()) out += " (" + PrintIdentifiers(n.columns) + ")";
    return out + " " + PrintQuery(*n.query);
  }
  // Each INSERT repeats its source, so that only statements without a shared FROM parse back to an
  // equal tree.
  std::string operator()(const MultiInsert& n) {
    std::string out;
    for (const Insert& insert : n.inserts) out += (out.empty() ? "" : "; ") + (*this)(insert);
    return out;
  }
  std::string operator()(const Delete& n) {
    return PrintCtes(n.ctes, false) + "DELETE FROM " + PrintName(n.table) + Alias(n.alias) +
           Where(n.where);
  }
  std::string operator()(const Update& n) {
    return PrintCtes(n.ctes, false) + "UPDATE " + PrintName(n.table) + Alias(n.alias) + " SET " +
           PrintAssignments(n.assignments) + Where(n.where);
  }
  std::string operator()(const Merge& n) {
    std::string out = PrintCtes(n.ctes, false) + "MERGE " +
                      (n.with_schema_evolution ? "WITH SCHEMA EVOLUTION INTO " : "INTO ") +
                      PrintName(n.table) + Alias(n.alias) + " USING " + PrintRelation(*n.source) +
                      " ON " + PrintExpression(*n.condition);
    for (const MergeClause& clause : n.clauses) out += PrintClause(clause);
    return out;
  }
  std::string operator()(const Truncate& n) {
    return "TRUNCATE TABLE " + PrintName(n.table) + Partition(n.partition);
  }
  std::string operator()(const Call& n) {
    return "CALL " + PrintName(n.procedure) + "(" + PrintArguments(n.args) + ")";
  }
  std::string operator()(const CreateTable& n);
  std::string operator()(const CreateTableLike& n) {
    return "CREATE TABLE " + IfNotExists(n.if_not_exists) + PrintName(n.table) + " LIKE " +
           PrintName(n.source) + (n.provider ? " USING " + Provider(*n.provider) : "") +
           Clause("LOCATION", n.location) + Options("TBLPROPERTIES", n.properties);
  }
  std::string operator()(const DropTable& n) {
    return "DROP TABLE " + IfExists(n.if_exists) + PrintName(n.table) + (n.purge ? " PURGE" : "");
  }
  std::string operator()(const AlterTable& n) {
    return "ALTER TABLE " + PrintName(n.table) + " " + PrintTableChange(n.change);
  }
  std::string operator()(const CreateNamespace& n) {
    return "CREATE NAMESPACE " + IfNotExists(n.if_not_exists) + PrintName(n.name) +
           Clause("COMMENT", n.comment) + Clause("LOCATION", n.location) +
           Options("WITH PROPERTIES", n.properties);
  }
  std::string operator()(const DropNamespace& n) {
    return "DROP NAMESPACE " + IfExists(n.if_exists) + PrintName(n.name) +
           (n.cascade ? " CASCADE" : "");
  }
  std::string operator()(const AlterNamespace& n) {
    const std::string out = "ALTER NAMESPACE " + PrintName(n.name);
    if (n.location) return out + " SET LOCATION " + PrintString(*n.location);
    if (n.unset.empty()) return out + " SET PROPERTIES " + PrintProperties(n.set);
    return out + " UNSET PROPERTIES (" + PrintList(n.unset, PrintString) + ")";
  }
  std::string operator()(const CommentOn& n) {
    return std::string("COMMENT ON ") +
           (n.object == CommentOn::Object::kTable ? "TABLE " : "NAMESPACE ") + PrintName(n.name) +
           " IS " + (n.comment ? PrintString(*n.comment) : "NULL");
  }
  std::string operator()(const Use& n) {
    return (n.is_namespace ? "USE NAMESPACE " : "USE ") + PrintName(n.name);
  }
  std::string operator()(const SetCatalog& n) { return "SET CATALOG " + PrintIdentifier(n.name); }
  std::string operator()(const CreateView& n);
  std::string operator()(const CreateTempViewUsing& n) {
    return std::string("CREATE ") + (n.or_replace ? "OR REPLACE " : "") +
           (n.global ? "GLOBAL " : "") + "TEMPORARY VIEW " + PrintName(n.name) +
           (n.columns.empty() ? "" : " (" + PrintColumns(n.columns) + ")") + " USING " +
           Provider(n.provider) + Options("OPTIONS", n.options);
  }
  std::string operator()(const DropView& n) {
    return "DROP VIEW " + IfExists(n.if_exists) + PrintName(n.name);
  }
  std::string operator()(const AlterView& n) {
    const std::string out = "ALTER VIEW " + PrintName(n.name) + " ";
    if (const auto* as = std::get_if<AlterViewAs>(&n.change))
      return out + "AS " + PrintQuery(*as->query);
    if (const auto* mode = std::get_if<AlterViewSchemaMode>(&n.change))
      return out + "WITH SCHEMA " + mode->schema_mode;
    if (const auto* set = std::get_if<SetProperties>(&n.change))
      return out + PrintTableChange(*set);
    if (const auto* unset = std::get_if<UnsetProperties>(&n.change))
      return out + PrintTableChange(*unset);
    return out + PrintTableChange(std::get<RenameTo>(n.change));
  }
  std::string operator()(const SetConfig& n) {
    if (n.verbose) return "SET -v";
    if (!n.key) return "SET";
    return "SET " + QuoteIdentifier(*n.key) + (n.value ? " = " + QuoteIdentifier(*n.value) : "");
  }
  std::string operator()(const SetTimeZone& n) {
    if (n.offset)
      return "SET TIME ZONE " +
             PrintInterval({*n.offset, DataType::DayTimeInterval(IntervalField::kHour,
                                                                 IntervalField::kSecond)});
    return "SET TIME ZONE " + (n.zone == "LOCAL" ? n.zone : PrintString(n.zone));
  }
  std::string operator()(const Reset& n) {
    return n.key ? "RESET " + QuoteIdentifier(*n.key) : "RESET";
  }
  std::string operator()(const CacheTable& n) {
    return std::string("CACHE ") + (n.lazy ? "LAZY " : "") + "TABLE " + PrintName(n.table) +
           Options("OPTIONS", n.options) + (n.query ? " AS " + PrintQuery(*n.query) : "");
  }
  std::string operator()(const UncacheTable& n) {
    return "UNCACHE TABLE " + IfExists(n.if_exists) + PrintName(n.table);
  }
  std::string operator()(const ClearCache&) { return "CLEAR CACHE"; }
  std::string operator()(const RefreshTable& n) { return "REFRESH TABLE " + PrintName(n.table); }
  std::string operator()(const AnalyzeTable& n) {
    const std::string out =
        "ANALYZE TABLE " + PrintName(n.table) + Partition(n.partition) + " COMPUTE STATISTICS";
    if (n.all_columns) return out + " FOR ALL COLUMNS";
    if (!n.columns.empty()) return out + " FOR COLUMNS " + PrintIdentifiers(n.columns);
    return n.mode.empty() ? out : out + " " + n.mode;
  }
  std::string operator()(const DeclareVariable& n) {
    return std::string("DECLARE ") + (n.or_replace ? "OR REPLACE " : "") + "VARIABLE " +
           PrintNames(n.names) + (n.type ? " " + n.type->SqlString() : "") +
           (n.value ? " DEFAULT " + PrintExpression(*n.value->expr) : "");
  }
  std::string operator()(const SetVariable& n) {
    if (!n.query) return "SET VARIABLE " + PrintAssignments(n.assignments);
    return "SET VARIABLE (" +
           PrintList(n.assignments, [](const Assignment& a) { return PrintName(a.column); }) +
           ") = (" + PrintQuery(*n.query) + ")";
  }
  std::string operator()(const DropVariable& n) {
    return "DROP TEMPORARY VARIABLE " + IfExists(n.if_exists) + PrintName(n.name);
  }
  std::string operator()(const ExecuteImmediate& n) {
    return "EXECUTE IMMEDIATE " + PrintExpression(*n.text) +
           (n.into.empty() ? "" : " INTO " + PrintNames(n.into)) +
           (n.arguments.empty() ? "" : " USING " + PrintList(n.arguments, PrintNamed));
  }
  std::string operator()(const ShowTables& n) {
    return "SHOW TABLES" + In(n.in) + Pattern(n.pattern);
  }
  std::string operator()(const ShowTableExtended& n) {
    return "SHOW TABLE EXTENDED" + In(n.in) + " LIKE " + PrintString(n.pattern) +
           Partition(n.partition);
  }
  std::string operator()(const ShowViews& n) {
    return "SHOW VIEWS" + In(n.in) + Pattern(n.pattern);
  }
  std::string operator()(const ShowNamespaces& n) {
    return "SHOW NAMESPACES" + In(n.in) + Pattern(n.pattern);
  }
  std::string operator()(const ShowCatalogs& n) { return "SHOW CATALOGS" + Pattern(n.pattern); }
  std::string operator()(const ShowCurrentNamespace&) { return "SHOW CURRENT NAMESPACE"; }
  std::string operator()(const ShowColumns& n) {
    return "SHOW COLUMNS IN " + PrintName(n.table) + In(n.in);
  }
  std::string operator()(const ShowCreateTable& n) {
    return "SHOW CREATE TABLE " + PrintName(n.table) + (n.as_serde ? " AS SERDE" : "");
  }
  std::string operator()(const ShowTableProperties& n) {
    return "SHOW TBLPROPERTIES " + PrintName(n.table) +
           (n.key ? " (" + PrintString(*n.key) + ")" : "");
  }
  std::string operator()(const ShowPartitions& n) {
    return "SHOW PARTITIONS " + PrintName(n.table) + Partition(n.partition);
  }
  std::string operator()(const ShowFunctions& n) {
    return "SHOW " + (n.scope.empty() ? "" : n.scope + " ") + "FUNCTIONS" + In(n.in) +
           Pattern(n.pattern);
  }
  std::string operator()(const ShowProcedures& n) { return "SHOW PROCEDURES" + In(n.in); }
  std::string operator()(const DescribeTable& n) {
    return std::string("DESCRIBE TABLE ") + (n.extended ? "EXTENDED " : "") + PrintName(n.table) +
           Partition(n.partition) + (n.column.empty() ? "" : " " + PrintName(n.column)) +
           (n.as_json ? " AS JSON" : "");
  }
  std::string operator()(const DescribeNamespace& n) {
    return std::string("DESCRIBE NAMESPACE ") + (n.extended ? "EXTENDED " : "") + PrintName(n.name);
  }
  std::string operator()(const DescribeFunction& n) {
    return std::string("DESCRIBE FUNCTION ") + (n.extended ? "EXTENDED " : "") + PrintName(n.name);
  }
  std::string operator()(const DescribeProcedure& n) {
    return "DESCRIBE PROCEDURE " + PrintName(n.name);
  }
  std::string operator()(const DescribeQuery& n) {
    return "DESCRIBE QUERY " + PrintQuery(*n.query);
  }
  std::string operator()(const Explain& n) {
    constexpr std::string_view kModes[] = {"",           "LOGICAL ", "EXTENDED ",
                                           "FORMATTED ", "CODEGEN ", "COST "};
    return "EXPLAIN " + std::string(kModes[static_cast<size_t>(n.mode)]) +
           PrintStatement(*n.statement);
  }
  std::string operator()(const UnsupportedStatement& n) { return n.name; }
};

std::string StatementPrinter::operator()(const CreateTable& n) {
  constexpr std::string_view kModes[] = {"CREATE ", "REPLACE ", "CREATE OR REPLACE "};
  std::string out = std::string(kModes[static_cast<size_t>(n.mode)]) +
                    (n.external ? "EXTERNAL " : "") + "TABLE " + IfNotExists(n.if_not_exists) +
                    PrintName(n.table);
  if (!n.columns.empty() || !n.constraints.empty()) {
    out += " (" + PrintColumns(n.columns);
    for (const std::string& constraint : n.constraints)
      out += (out.back() == '(' ? "" : ", ") + constraint;
    out += ")";
  }
  if (n.provider) out += " USING " + Provider(*n.provider);
  out += Options("OPTIONS", n.options);
  if (!n.partitioning.empty()) {
    out += " PARTITIONED BY (" +
           PrintList(n.partitioning,
                     [](const PartitioningField& field) {
                       const auto* transform = std::get_if<Transform>(&field);
                       return transform ? PrintTransform(*transform)
                                        : PrintColumns({std::get<ColumnDefinition>(field)});
                     }) +
           ")";
  }
  if (!n.cluster_by.empty()) out += " CLUSTER BY (" + PrintNames(n.cluster_by) + ")";
  if (n.buckets) {
    out += " CLUSTERED BY (" + PrintIdentifiers(n.buckets->columns) + ")";
    if (!n.buckets->sorted_by.empty())
      out += " SORTED BY (" + PrintIdentifiers(n.buckets->sorted_by) + ")";
    out += " INTO " + std::to_string(n.buckets->count) + " BUCKETS";
  }
  if (n.stored_as) out += " STORED AS " + PrintIdentifier(*n.stored_as);
  if (n.collation) out += " DEFAULT COLLATION " + PrintIdentifier(*n.collation);
  out += Clause("LOCATION", n.location) + Clause("COMMENT", n.comment) +
         Options("TBLPROPERTIES", n.properties);
  return n.query ? out + " AS " + PrintQuery(*n.query) : out;
}

std::string StatementPrinter::operator()(const CreateView& n) {
  constexpr std::string_view kScopes[] = {"", "TEMPORARY ", "GLOBAL TEMPORARY "};
  std::string out = std::string("CREATE ") + (n.or_replace ? "OR REPLACE " : "") +
                    std::string(kScopes[static_cast<size_t>(n.scope)]) + "VIEW " +
                    IfNotExists(n.if_not_exists) + PrintName(n.name);
  if (!n.columns.empty()) {
    out += " (" +
           PrintList(n.columns,
                     [](const ViewColumn& column) {
                       return PrintIdentifier(column.name) + Clause("COMMENT", column.comment);
                     }) +
           ")";
  }
  out += Clause("COMMENT", n.comment);
  if (!n.schema_mode.empty()) out += " WITH SCHEMA " + n.schema_mode;
  return out + Options("TBLPROPERTIES", n.properties) + " AS " + PrintQuery(*n.query);
}

}  // namespace

std::string PrintStatement(const Statement& statement) {
  return std::visit(StatementPrinter(), statement.node);
}

std::string PrintProperties(const PropertyMap& properties) {
  return "(" +
         PrintList(properties,
                   [](const auto& property) {
                     return PrintString(property.first) + " = " + PrintString(property.second);
                   }) +
         ")";
}

std::string PrintPartition(const PartitionSpec& spec) {
  return "PARTITION (" +
         PrintList(spec,
                   [](const PartitionValue& entry) {
                     return PrintIdentifier(entry.name) +
                            (entry.value ? " = " + PrintExpression(*entry.value) : "");
                   }) +
         ")";
}

std::string PrintColumns(const std::vector<ColumnDefinition>& columns) {
  return PrintList(columns, [](const ColumnDefinition& column) {
    std::string out = PrintName(column.name) + " " + column.type.SqlString();
    if (column.not_null) out += " NOT NULL";
    if (column.default_value) out += " DEFAULT " + PrintExpression(*column.default_value->expr);
    if (column.generated)
      out += " GENERATED ALWAYS AS (" + PrintExpression(*column.generated->expr) + ")";
    if (column.identity) out += " GENERATED ALWAYS AS IDENTITY";
    out += Clause("COMMENT", column.comment);
    if (column.position)
      out += column.position->after.empty() ? " FIRST"
                                            : " AFTER " + PrintIdentifier(column.position->after);
    return out;
  });
}

}  // namespace iceblink::sql
