// ALTER TABLE, ALTER VIEW, ALTER NAMESPACE of Spark itself; the Iceberg extensions have their own
// parser.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

StatementParser::Node StatementParser::AlterStatement() {
  Take();
  if (AtAny({Word::kNamespace, Word::kDatabase, Word::kSchema})) return AlterNamespaceStatement();
  if (At(Word::kView)) return AlterViewStatement();
  RETURN_IF_ERROR(Expect(Word::kTable));
  return AlterTableStatement();
}

StatementParser::Node StatementParser::AlterTableStatement() {
  const size_t first = at_;
  AlterTable alter;
  ASSIGN_OR_RETURN(alter.table, IdentifierReference());
  alter.table_position = Span(first);
  if (At(Word::kPartition) && At(Tok::kLeftParen, 1))
    return AlterPartitionStatement(std::move(alter));
  ASSIGN_OR_RETURN(alter.change, TableChangeClause());
  return alter;
}

// ALTER TABLE t PARTITION (...) RENAME TO PARTITION (...) | SET LOCATION ...
StatementParser::Node StatementParser::AlterPartitionStatement(AlterTable alter) {
  ASSIGN_OR_RETURN(PartitionSpec spec, RequiredPartitionSpec());
  if (AcceptWords({Word::kRename, Word::kTo})) {
    ASSIGN_OR_RETURN(PartitionSpec to, RequiredPartitionSpec());
    alter.change = RenamePartition{std::move(spec), std::move(to)};
    return alter;
  }
  RETURN_IF_ERROR(Expect(Word::kSet));
  RETURN_IF_ERROR(Expect(Word::kLocation));
  ASSIGN_OR_RETURN(std::string location, StringLiteral());
  alter.change = SetLocation{std::move(spec), std::move(location)};
  return alter;
}

Result<TableChange> StatementParser::TableChangeClause() {
  const Word word = Peek().word;
  switch (word) {
    case Word::kAdd:
      return AddClause();
    case Word::kDrop:
      return DropClause();
    case Word::kSet:
      return SetClause();
    case Word::kUnset:
      return UnsetClause();
    case Word::kAlter:
    case Word::kChange:
      return AlterColumnsClause();
    case Word::kRename: {
      Take();
      if (Accept(Word::kTo)) {
        ASSIGN_OR_RETURN(Name to, MultipartIdentifier());
        return RenameTo{std::move(to)};
      }
      RETURN_IF_ERROR(Expect(Word::kColumn));
      RenameColumn rename;
      ASSIGN_OR_RETURN(rename.column, MultipartIdentifier());
      RETURN_IF_ERROR(Expect(Word::kTo));
      ASSIGN_OR_RETURN(rename.to, CapturingIdentifier());
      return rename;
    }
    case Word::kReplace: {
      Take();
      RETURN_IF_ERROR(Expect(Word::kColumns));
      RETURN_IF_ERROR(Expect(Tok::kLeftParen));
      ReplaceColumns replace;
      ASSIGN_OR_RETURN(replace.columns, QualifiedColumns());
      RETURN_IF_ERROR(Expect(Tok::kRightParen));
      return replace;
    }
    case Word::kRecover:
      RETURN_IF_ERROR(ExpectWords({Word::kRecover, Word::kPartitions}));
      return RecoverPartitions{};
    case Word::kCluster: {
      RETURN_IF_ERROR(ExpectWords({Word::kCluster, Word::kBy}));
      ClusterBy cluster;
      if (Accept(Word::kNone)) return cluster;
      RETURN_IF_ERROR(Expect(Tok::kLeftParen));
      ASSIGN_OR_RETURN(cluster.columns, MultipartIdentifierList());
      RETURN_IF_ERROR(Expect(Tok::kRightParen));
      return cluster;
    }
    default:
      return SyntaxError();
  }
}

// a.b type options, ...
Result<std::vector<ColumnDefinition>> StatementParser::QualifiedColumns() {
  std::vector<ColumnDefinition> columns;
  std::vector<std::string> constraints;
  do {
    ColumnDefinition column;
    ASSIGN_OR_RETURN(column.name, MultipartIdentifier());
    ASSIGN_OR_RETURN(column.type, Type());
    RETURN_IF_ERROR(ColumnOptions(column, constraints, true));
    columns.push_back(std::move(column));
  } while (Accept(Tok::kComma));
  return columns;
}

// ADD COLUMN[S] ..., ADD [IF NOT EXISTS] PARTITION (...) [LOCATION '...'] ...
Result<TableChange> StatementParser::AddClause() {
  Take();
  if (AtAny({Word::kColumn, Word::kColumns})) {
    Take();
    AddColumns add;
    const bool parenthesized = Accept(Tok::kLeftParen);
    ASSIGN_OR_RETURN(add.columns, QualifiedColumns());
    if (parenthesized) RETURN_IF_ERROR(Expect(Tok::kRightParen));
    return add;
  }
  AddPartitions add;
  add.if_not_exists = AcceptIfNotExists();
  if (!At(Word::kPartition)) return SyntaxError();
  while (At(Word::kPartition)) {
    AddPartitions::Entry entry;
    ASSIGN_OR_RETURN(entry.partition, RequiredPartitionSpec());
    if (Accept(Word::kLocation)) {
      ASSIGN_OR_RETURN(entry.location, StringLiteral());
    }
    add.partitions.push_back(std::move(entry));
  }
  return add;
}

// DROP COLUMN[S] [IF EXISTS] ..., DROP [IF EXISTS] PARTITION (...), ... [PURGE]
Result<TableChange> StatementParser::DropClause() {
  Take();
  if (AtAny({Word::kColumn, Word::kColumns})) {
    Take();
    DropColumns drop;
    drop.if_exists = AcceptIfExists();
    const bool parenthesized = Accept(Tok::kLeftParen);
    ASSIGN_OR_RETURN(drop.columns, MultipartIdentifierList());
    if (parenthesized) RETURN_IF_ERROR(Expect(Tok::kRightParen));
    return drop;
  }
  DropPartitions drop;
  drop.if_exists = AcceptIfExists();
  do {
    ASSIGN_OR_RETURN(PartitionSpec spec, RequiredPartitionSpec());
    drop.partitions.push_back(std::move(spec));
  } while (Accept(Tok::kComma));
  drop.purge = Accept(Word::kPurge);
  return drop;
}

Result<TableChange> StatementParser::SetClause() {
  Take();
  if (Accept(Word::kTblproperties)) {
    SetProperties set;
    ASSIGN_OR_RETURN(set.properties, PropertyList());
    if (AtEnd()) RETURN_IF_ERROR(CheckReserved(set.properties, 0));
    return set;
  }
  if (Accept(Word::kLocation)) {
    ASSIGN_OR_RETURN(std::string location, StringLiteral());
    return SetLocation{{}, std::move(location)};
  }
  if (AtAny({Word::kSerde, Word::kSerdeproperties})) {
    return Fail(ErrorCode::kUnsupported, "ALTER TABLE SET SERDE is not supported",
                "UnsupportedOperationException");
  }
  return SyntaxError();
}

Result<TableChange> StatementParser::UnsetClause() {
  Take();
  RETURN_IF_ERROR(Expect(Word::kTblproperties));
  UnsetProperties unset;
  unset.if_exists = AcceptIfExists();
  ASSIGN_OR_RETURN(unset.keys, PropertyKeys());
  PropertyMap keys;
  for (const std::string& key : unset.keys) keys.emplace_back(key, "");
  if (AtEnd()) RETURN_IF_ERROR(CheckReserved(keys, 0));
  return unset;
}

Status StatementParser::CheckReserved(const PropertyMap& properties, size_t first) const {
  struct Row {
    std::string_view key;
    std::string_view advice;
  };
  constexpr Row kReserved[] = {
      {"provider", "please use the USING clause to specify it"},
      {"location", "please use the LOCATION clause to specify it"},
      {"owner", "it will be set to the current user"},
      {"external", "please use CREATE EXTERNAL TABLE"},
  };
  for (const auto& property : properties) {
    for (const Row& row : kReserved) {
      if (property.first != row.key) continue;
      return CheckError("UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "0A000",
                        "The feature is not supported: " + property.first +
                            " is a reserved table property, " + std::string(row.advice) + ".",
                        Span(first));
    }
  }
  return {};
}

// ALTER [COLUMN] c action, ...; CHANGE [COLUMN] old new type ... of Hive changes the type only.
Result<TableChange> StatementParser::AlterColumnsClause() {
  const bool change = Take().word == Word::kChange;
  if (At(Word::kColumn) && AtIdentifier(1)) Take();
  AlterColumns alter;
  do {
    const size_t first = at_;
    ColumnChange column;
    ASSIGN_OR_RETURN(column.column, MultipartIdentifier());
    column.column_position = Span(first);
    const bool hive =
        change && AtIdentifier() && AtIdentifier(1) &&
        !AtAny({Word::kType, Word::kComment, Word::kFirst, Word::kAfter, Word::kSet, Word::kDrop});
    if (hive) {
      RETURN_IF_ERROR(HiveColumnChange(column, first));
    } else {
      RETURN_IF_ERROR(AlterColumnAction(column, first));
    }
    alter.changes.push_back(std::move(column));
  } while (Accept(Tok::kComma));
  return alter;
}

Status StatementParser::HiveColumnChange(ColumnChange& column, size_t first) {
  ASSIGN_OR_RETURN(StructField field, ColumnType(false));
  column.type = std::move(field.type);
  column.comment = std::move(field.comment);
  if (Accept(Word::kFirst)) {
    column.position = ColumnPosition{};
  } else if (Accept(Word::kAfter)) {
    column.position.emplace();
    ASSIGN_OR_RETURN(column.position->after, CapturingIdentifier());
  }
  if (EqualsIgnoreCase(column.column.back(), field.name)) return {};
  return NotAllowed(
      "Renaming column is not supported in Hive-style ALTER COLUMN, please run RENAME COLUMN "
      "instead",
      Span(first));
}

Status StatementParser::AlterColumnAction(ColumnChange& change, size_t first) {
  if (Accept(Word::kType)) {
    ASSIGN_OR_RETURN(change.type, Type());
  } else if (Accept(Word::kComment)) {
    ASSIGN_OR_RETURN(change.comment, StringLiteral());
  } else if (Accept(Word::kFirst)) {
    change.position = ColumnPosition{};
  } else if (Accept(Word::kAfter)) {
    change.position.emplace();
    ASSIGN_OR_RETURN(change.position->after, CapturingIdentifier());
  } else if (At(Word::kSet) && At(Word::kDefault, 1)) {
    at_ += 2;
    ASSIGN_OR_RETURN(change.set_default, DefaultText());
  } else if (AcceptWords({Word::kDrop, Word::kDefault})) {
    change.drop_default = true;
  } else if (AtAny({Word::kSet, Word::kDrop})) {
    change.not_null = Take().word == Word::kSet;
    if (!AcceptNot()) return SyntaxError();
    RETURN_IF_ERROR(Expect(Word::kNull));
  } else if (AtEnd()) {
    return NotAllowed(
        "ALTER TABLE table ALTER COLUMN requires a TYPE, a SET/DROP, a COMMENT, or a FIRST/AFTER",
        Span(first));
  } else {
    return SyntaxError();
  }
  return {};
}

StatementParser::Node StatementParser::AlterViewStatement() {
  Take();
  AlterView alter;
  ASSIGN_OR_RETURN(alter.name, IdentifierReference());
  if (AcceptWords({Word::kRename, Word::kTo})) {
    ASSIGN_OR_RETURN(Name to, MultipartIdentifier());
    alter.change = RenameTo{std::move(to)};
  } else if (AcceptWords({Word::kSet, Word::kTblproperties})) {
    SetProperties set;
    ASSIGN_OR_RETURN(set.properties, PropertyList());
    if (AtEnd()) RETURN_IF_ERROR(CheckReserved(set.properties, 0));
    alter.change = std::move(set);
  } else if (AcceptWords({Word::kUnset, Word::kTblproperties})) {
    UnsetProperties unset;
    unset.if_exists = AcceptIfExists();
    ASSIGN_OR_RETURN(unset.keys, PropertyKeys());
    alter.change = std::move(unset);
  } else if (AtWords({Word::kWith, Word::kSchema})) {
    AlterViewSchemaMode mode;
    ASSIGN_OR_RETURN(mode.schema_mode, SchemaMode());
    alter.change = std::move(mode);
  } else {
    Accept(Word::kAs);
    const int32_t start = Peek().start;
    AlterViewAs as;
    ASSIGN_OR_RETURN(as.query, QueryExpression());
    as.query_text = TextBetween(start, LastStop());
    alter.change = std::move(as);
  }
  return alter;
}

StatementParser::Node StatementParser::AlterNamespaceStatement() {
  Take();
  AlterNamespace alter;
  ASSIGN_OR_RETURN(alter.name, IdentifierReference());
  const bool unset = At(Word::kUnset);
  if (!unset && !At(Word::kSet)) return SyntaxError();
  Take();
  if (!unset && Accept(Word::kLocation)) {
    ASSIGN_OR_RETURN(alter.location, StringLiteral());
    return alter;
  }
  if (!AtAny({Word::kProperties, Word::kDbproperties})) return SyntaxError();
  Take();
  if (unset) {
    ASSIGN_OR_RETURN(alter.unset, PropertyKeys());
    return alter;
  }
  ASSIGN_OR_RETURN(alter.set, PropertyList());
  if (AtEnd()) RETURN_IF_ERROR(CheckReservedNamespace(alter.set));
  return alter;
}

Status StatementParser::CheckReservedNamespace(const PropertyMap& properties) const {
  for (const auto& property : properties) {
    const bool location = property.first == "location";
    if (!location && property.first != "owner") continue;
    return CheckError("UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", "0A000",
                      "The feature is not supported: " + property.first +
                          " is a reserved namespace property, " +
                          (location ? "please use the LOCATION clause to specify it."
                                    : "it will be set to the current user."),
                      Span(0));
  }
  return {};
}

}  // namespace iceblink::sql
