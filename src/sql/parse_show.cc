// SHOW and DESCRIBE.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

// SHOW (TABLES | VIEWS | NAMESPACES) [IN name] [LIKE 'pattern'].
template <typename Show>
StatementParser::Node StatementParser::ShowListing() {
  Take();
  Show show;
  ASSIGN_OR_RETURN(show.in, OptionalIn());
  ASSIGN_OR_RETURN(show.pattern, OptionalPattern());
  return show;
}

StatementParser::Node StatementParser::ShowCatalogsStatement() {
  Take();
  ShowCatalogs show;
  ASSIGN_OR_RETURN(show.pattern, OptionalPattern());
  return show;
}

StatementParser::Node StatementParser::ShowStatement() {
  Take();
  switch (Peek().word) {
    case Word::kTables:
      return ShowListing<ShowTables>();
    case Word::kViews:
      return ShowListing<ShowViews>();
    case Word::kNamespaces:
    case Word::kDatabases:
    case Word::kSchemas:
      return ShowListing<ShowNamespaces>();
    case Word::kCatalogs:
      return ShowCatalogsStatement();
    case Word::kTable:
      return ShowTableExtendedStatement();
    case Word::kTblproperties: {
      Take();
      ShowTableProperties show;
      ASSIGN_OR_RETURN(show.table, IdentifierReference());
      if (Accept(Tok::kLeftParen)) {
        ASSIGN_OR_RETURN(show.key, PropertyKey());
        RETURN_IF_ERROR(Expect(Tok::kRightParen));
      }
      return show;
    }
    case Word::kColumns:
      return ShowColumnsStatement();
    case Word::kPartitions: {
      Take();
      ShowPartitions show;
      ASSIGN_OR_RETURN(show.table, IdentifierReference());
      ASSIGN_OR_RETURN(show.partition, OptionalPartitionSpec());
      return show;
    }
    case Word::kProcedures: {
      Take();
      ShowProcedures show;
      ASSIGN_OR_RETURN(show.in, OptionalIn());
      return show;
    }
    case Word::kCreate: {
      Take();
      RETURN_IF_ERROR(Expect(Word::kTable));
      ShowCreateTable show;
      ASSIGN_OR_RETURN(show.table, IdentifierReference());
      show.as_serde = AcceptWords({Word::kAs, Word::kSerde});
      return show;
    }
    case Word::kCurrent:
      Take();
      if (!AtAny({Word::kNamespace, Word::kDatabase, Word::kSchema})) return SyntaxError();
      Take();
      return ShowCurrentNamespace{};
    default:
      return ShowFunctionsStatement();
  }
}

// SHOW TABLE EXTENDED [IN name] LIKE 'pattern' [PARTITION (...)].
StatementParser::Node StatementParser::ShowTableExtendedStatement() {
  Take();
  RETURN_IF_ERROR(Expect(Word::kExtended));
  ShowTableExtended show;
  ASSIGN_OR_RETURN(show.in, OptionalIn());
  RETURN_IF_ERROR(Expect(Word::kLike));
  ASSIGN_OR_RETURN(show.pattern, StringLiteral());
  ASSIGN_OR_RETURN(show.partition, OptionalPartitionSpec());
  return show;
}

// SHOW COLUMNS (FROM | IN) table [(FROM | IN) namespace].
StatementParser::Node StatementParser::ShowColumnsStatement() {
  Take();
  if (!AtAny({Word::kFrom, Word::kIn})) return SyntaxError();
  Take();
  ShowColumns show;
  ASSIGN_OR_RETURN(show.table, IdentifierReference());
  if (AtAny({Word::kFrom, Word::kIn})) {
    Take();
    ASSIGN_OR_RETURN(show.in, MultipartIdentifier());
  }
  return show;
}

// SHOW [scope] FUNCTIONS [IN name] [[LIKE] (name | 'pattern')].
StatementParser::Node StatementParser::ShowFunctionsStatement() {
  ShowFunctions show;
  if (!At(Word::kFunctions)) {
    if (!At(Word::kFunctions, 1)) return SyntaxError();
    ASSIGN_OR_RETURN(std::string scope, Identifier());
    show.scope = AsciiUpper(scope);
  }
  RETURN_IF_ERROR(Expect(Word::kFunctions));
  ASSIGN_OR_RETURN(show.in, OptionalIn());
  const bool like = Accept(Word::kLike);
  if (AtString()) {
    ASSIGN_OR_RETURN(show.pattern, StringLiteral());
  } else if (like || AtIdentifier()) {
    ASSIGN_OR_RETURN(Name name, MultipartIdentifier());
    show.pattern = iceblink::Join(name, ".");
  }
  return show;
}

StatementParser::Node StatementParser::DescribeStatement() {
  Take();
  if (At(Word::kFunction) && !AtEndAt(1)) {
    Take();
    DescribeFunction describe;
    describe.extended = At(Word::kExtended) && !AtEndAt(1) && Accept(Word::kExtended);
    if (AtString()) {
      ASSIGN_OR_RETURN(std::string name, StringLiteral());
      describe.name = {std::move(name)};
    } else if (At(Tok::kWord) || At(Tok::kBackquoted)) {
      ASSIGN_OR_RETURN(describe.name, IdentifierReference());
    } else {
      describe.name = {std::string(Text(Take()))};  // an operator
    }
    return describe;
  }
  if (At(Word::kProcedure) && AtIdentifier(1)) {
    Take();
    DescribeProcedure describe;
    ASSIGN_OR_RETURN(describe.name, IdentifierReference());
    return describe;
  }
  if (AtAny({Word::kNamespace, Word::kDatabase, Word::kSchema}) && AtIdentifier(1)) {
    Take();
    DescribeNamespace describe;
    describe.extended = At(Word::kExtended) && AtIdentifier(1) && Accept(Word::kExtended);
    ASSIGN_OR_RETURN(describe.name, IdentifierReference());
    return describe;
  }
  if (At(Word::kQuery) && AtQuery(at_ + 1)) Take();
  if (AtQuery(at_) && !(At(Word::kTable) && AtIdentifier(1))) {
    DescribeQuery describe;
    ASSIGN_OR_RETURN(describe.query, QueryExpression());
    return describe;
  }
  return DescribeTableStatement();
}

// [TABLE] [EXTENDED | FORMATTED] name [PARTITION (...)] [column] [AS JSON].
StatementParser::Node StatementParser::DescribeTableStatement() {
  DescribeTable describe;
  if (At(Word::kTable) && AtIdentifier(1)) Take();
  if (AtAny({Word::kExtended, Word::kFormatted}) && AtIdentifier(1)) {
    Take();
    describe.extended = true;
  }
  const size_t name = at_;
  ASSIGN_OR_RETURN(describe.table, IdentifierReference());
  describe.table_position = Span(name);
  ASSIGN_OR_RETURN(describe.partition, OptionalPartitionSpec());
  if (AtIdentifier() && !AtWords({Word::kAs, Word::kJson})) {
    ASSIGN_OR_RETURN(describe.column, MultipartIdentifier());
  }
  describe.as_json = AcceptWords({Word::kAs, Word::kJson});
  return describe;
}

}  // namespace iceblink::sql
