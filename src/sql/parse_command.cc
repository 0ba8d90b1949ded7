// The statement rule, and the statements about namespaces, views, sessions and variables.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

StatementParser::Node StatementParser::StatementBody() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  if (std::optional<Error> refused = HiveNativeCommand()) return Fail(*std::move(refused));
  if (std::optional<UnsupportedStatement> named = Unsupported()) return *std::move(named);
  switch (Peek().word) {
    case Word::kSelect:
    case Word::kWith:
    case Word::kFrom:
    case Word::kValues:
    case Word::kTable:
      return QueryOrDml();
    case Word::kInsert:
    case Word::kDelete:
    case Word::kUpdate:
    case Word::kMerge:
      return DmlStatement({});
    case Word::kTruncate:
      return TruncateStatement();
    case Word::kCall:
      return CallStatement();
    case Word::kCreate:
    case Word::kReplace:
      return CreateStatement();
    case Word::kAlter:
      return AlterStatement();
    case Word::kDrop:
      return DropStatement();
    case Word::kShow:
      return ShowStatement();
    case Word::kDesc:
    case Word::kDescribe:
      return DescribeStatement();
    case Word::kExplain:
      return ExplainStatement();
    case Word::kUse:
      return UseStatement();
    case Word::kComment:
      return CommentStatement();
    case Word::kCache:
    case Word::kUncache:
    case Word::kClear:
      return CacheStatement();
    case Word::kAnalyze:
      return AnalyzeStatement();
    case Word::kRefresh:
      return RefreshStatement();
    case Word::kSet:
      return SetStatement();
    case Word::kReset:
      return ResetStatement();
    case Word::kDeclare:
      return DeclareStatement();
    case Word::kExecute:
      return ExecuteStatement();
    default:
      return At(Tok::kLeftParen) ? QueryOrDml() : SyntaxError();
  }
}

// A query, or after WITH or FROM perhaps an INSERT, MERGE, UPDATE or DELETE.
StatementParser::Node StatementParser::QueryOrDml() {
  const size_t first = at_;
  if (At(Word::kWith)) {
    bool recursive = false;
    ASSIGN_OR_RETURN(std::vector<Cte> ctes, Ctes(recursive));
    const bool dml = AtAny({Word::kInsert, Word::kDelete, Word::kUpdate, Word::kMerge});
    if (dml || (At(Word::kFrom) && FromInserts(at_))) {
      ASSIGN_OR_RETURN(StatementNode node, DmlStatement(ctes));
      RETURN_IF_ERROR(CheckDuplicateCtes(ctes, first));
      return node;
    }
    at_ = first;
    parameters_ = 0;
  }
  if (At(Word::kFrom) && FromInserts(at_)) return DmlStatement({});
  ASSIGN_OR_RETURN(QueryPtr query, QueryExpression());
  return QueryStatement{std::move(query)};
}

// Whether the FROM at `index` feeds INSERTs: one stands before any SELECT outside of parentheses.
bool StatementParser::FromInserts(size_t index) const {
  for (; index + 1 < tokens_.size(); ++index) {
    if (tokens_[index].kind == Tok::kLeftParen) index = matching_[index];
    if (tokens_[index].word == Word::kSelect || tokens_[index].kind == Tok::kPipeOperator)
      return false;
    const Word next = tokens_[std::min(index + 1, tokens_.size() - 1)].word;
    if (tokens_[index].word == Word::kInsert && (next == Word::kInto || next == Word::kOverwrite))
      return true;
  }
  return false;
}

// --- namespaces and views ------------------------------------------------------------------------

StatementParser::Node StatementParser::NamespaceCreate() {
  at_ += 2;
  CreateNamespace create;
  create.if_not_exists = AcceptIfNotExists();
  ASSIGN_OR_RETURN(create.name, IdentifierReference());
  while (!AtEnd()) {
    if (Accept(Word::kComment)) {
      ASSIGN_OR_RETURN(create.comment, StringLiteral());
    } else if (Accept(Word::kLocation)) {
      ASSIGN_OR_RETURN(create.location, StringLiteral());
    } else if (At(Word::kWith) && AtAny({Word::kProperties, Word::kDbproperties}, 1)) {
      at_ += 2;
      ASSIGN_OR_RETURN(create.properties, PropertyList());
      RETURN_IF_ERROR(CheckReservedNamespace(create.properties));
    } else if (AcceptWords({Word::kDefault, Word::kCollation})) {
      RETURN_IF_ERROR(Identifier());
    } else {
      return SyntaxError();
    }
  }
  return create;
}

// The cursor is behind CREATE [OR REPLACE].
StatementParser::Node StatementParser::ViewCreate(bool or_replace) {
  CreateView view;
  view.or_replace = or_replace;
  const bool global = Accept(Word::kGlobal);
  const bool temporary = Accept(Word::kTemporary);
  view.scope = global      ? CreateView::Scope::kGlobalTemporary
               : temporary ? CreateView::Scope::kTemporary
                           : CreateView::Scope::kCatalog;
  RETURN_IF_ERROR(Expect(Word::kView));
  view.if_not_exists = AcceptIfNotExists();
  ASSIGN_OR_RETURN(view.name, IdentifierReference());
  const size_t after_columns = At(Tok::kLeftParen) ? AfterMatching(at_) : at_;
  if (temporary && tokens_[after_columns].word == Word::kUsing) {
    return TempViewUsing({std::move(view.name), global, or_replace, {}, "", {}});
  }
  if (Accept(Tok::kLeftParen)) {
    do {
      ViewColumn column;
      ASSIGN_OR_RETURN(column.name, Identifier());
      if (Accept(Word::kComment)) {
        ASSIGN_OR_RETURN(column.comment, StringLiteral());
      }
      view.columns.push_back(std::move(column));
    } while (Accept(Tok::kComma));
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  RETURN_IF_ERROR(ViewClauses(view));
  RETURN_IF_ERROR(Expect(Word::kAs));
  const int32_t start = Peek().start;
  ASSIGN_OR_RETURN(view.query, QueryExpression());
  view.query_text = TextBetween(start, LastStop());
  if (!AtEnd()) return view;
  if (view.if_not_exists && temporary) {
    return CheckError("_LEGACY_ERROR_TEMP_0053", "",
                      "It is not allowed to define a TEMPORARY view with IF NOT EXISTS.", Span(0));
  }
  if (view.if_not_exists && or_replace) {
    return CheckError("_LEGACY_ERROR_TEMP_0052", "",
                      "CREATE VIEW with both IF NOT EXISTS and REPLACE is not allowed.", Span(0));
  }
  return view;
}

Status StatementParser::ViewClauses(CreateView& view) {
  while (true) {
    if (At(Word::kComment)) {
      Take();
      ASSIGN_OR_RETURN(view.comment, StringLiteral());
    } else if (Accept(Word::kTblproperties)) {
      ASSIGN_OR_RETURN(view.properties, PropertyList());
    } else if (AtWords({Word::kWith, Word::kSchema})) {
      ASSIGN_OR_RETURN(view.schema_mode, SchemaMode());
    } else if (AcceptWords({Word::kDefault, Word::kCollation})) {
      RETURN_IF_ERROR(Identifier());
    } else if (AcceptWords({Word::kPartitioned, Word::kOn})) {
      RETURN_IF_ERROR(IdentifierList());
    } else {
      return {};
    }
  }
}

// WITH SCHEMA (BINDING | COMPENSATION | [TYPE] EVOLUTION).
Result<std::string> StatementParser::SchemaMode() {
  at_ += 2;
  const bool type = Accept(Word::kType);
  if (!At(Word::kEvolution) && (type || !AtAny({Word::kBinding, Word::kCompensation})))
    return SyntaxError();
  return (type ? "TYPE " : "") + std::string(WordText(Take().word));
}

StatementParser::Node StatementParser::TempViewUsing(CreateTempViewUsing create) {
  if (Accept(Tok::kLeftParen)) {
    do {
      ASSIGN_OR_RETURN(StructField field, ColumnType(false));
      ColumnDefinition column;
      column.name = {std::move(field.name)};
      column.type = std::move(field.type);
      column.not_null = !field.nullable;
      column.comment = std::move(field.comment);
      create.columns.push_back(std::move(column));
    } while (Accept(Tok::kComma));
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  RETURN_IF_ERROR(Expect(Word::kUsing));
  ASSIGN_OR_RETURN(Name provider, MultipartIdentifier());
  create.provider = iceblink::Join(provider, ".");
  if (Accept(Word::kOptions)) {
    ASSIGN_OR_RETURN(create.options, PropertyList());
  }
  return create;
}

StatementParser::Node StatementParser::DropStatement() {
  Take();
  if (AtAny({Word::kNamespace, Word::kDatabase, Word::kSchema})) {
    Take();
    DropNamespace drop;
    drop.if_exists = AcceptIfExists();
    ASSIGN_OR_RETURN(drop.name, IdentifierReference());
    drop.cascade = At(Word::kCascade);
    if (AtAny({Word::kCascade, Word::kRestrict})) Take();
    return drop;
  }
  if (Accept(Word::kTable)) {
    DropTable drop;
    drop.if_exists = AcceptIfExists();
    const size_t name = at_;
    ASSIGN_OR_RETURN(drop.table, IdentifierReference());
    drop.table_position = Span(name);
    drop.purge = Accept(Word::kPurge);
    return drop;
  }
  if (Accept(Word::kView)) {
    DropView drop;
    drop.if_exists = AcceptIfExists();
    ASSIGN_OR_RETURN(drop.name, IdentifierReference());
    return drop;
  }
  if (At(Word::kTemporary) && AtAny({Word::kVariable, Word::kVar}, 1)) {
    at_ += 2;
    DropVariable drop;
    drop.if_exists = AcceptIfExists();
    ASSIGN_OR_RETURN(drop.name, IdentifierReference());
    return drop;
  }
  return SyntaxError();
}

// --- session -------------------------------------------------------------------------------------

StatementParser::Node StatementParser::ExplainStatement() {
  Take();
  Explain explain;
  switch (Peek().word) {
    case Word::kLogical:
      explain.mode = Explain::Mode::kLogical;
      break;
    case Word::kExtended:
      explain.mode = Explain::Mode::kExtended;
      break;
    case Word::kFormatted:
      explain.mode = Explain::Mode::kFormatted;
      break;
    case Word::kCodegen:
      explain.mode = Explain::Mode::kCodegen;
      break;
    case Word::kCost:
      explain.mode = Explain::Mode::kCost;
      break;
    default:
      break;
  }
  if (explain.mode != Explain::Mode::kSimple) Take();
  ASSIGN_OR_RETURN(StatementNode node, StatementBody());
  explain.statement =
      std::make_shared<const Statement>(Statement{std::move(node), std::string(text_)});
  return explain;
}

StatementParser::Node StatementParser::UseStatement() {
  Take();
  Use use;
  use.is_namespace = AtAny({Word::kNamespace, Word::kDatabase, Word::kSchema}) && AtIdentifier(1);
  if (use.is_namespace) Take();
  ASSIGN_OR_RETURN(use.name, IdentifierReference());
  return use;
}

// COMMENT ON (NAMESPACE | TABLE) name IS ('text' | NULL).
StatementParser::Node StatementParser::CommentStatement() {
  Take();
  RETURN_IF_ERROR(Expect(Word::kOn));
  CommentOn comment;
  if (AtAny({Word::kNamespace, Word::kDatabase, Word::kSchema})) {
    comment.object = CommentOn::Object::kNamespace;
  } else if (!At(Word::kTable)) {
    return SyntaxError();
  }
  Take();
  ASSIGN_OR_RETURN(comment.name, IdentifierReference());
  RETURN_IF_ERROR(Expect(Word::kIs));
  if (Accept(Word::kNull)) return comment;
  ASSIGN_OR_RETURN(comment.comment, StringLiteral());
  return comment;
}

StatementParser::Node StatementParser::CacheStatement() {
  const Word word = Take().word;
  if (word == Word::kClear) {
    RETURN_IF_ERROR(Expect(Word::kCache));
    return ClearCache{};
  }
  if (word == Word::kUncache) {
    RETURN_IF_ERROR(Expect(Word::kTable));
    UncacheTable uncache;
    uncache.if_exists = AcceptIfExists();
    ASSIGN_OR_RETURN(uncache.table, IdentifierReference());
    return uncache;
  }
  CacheTable cache;
  cache.lazy = Accept(Word::kLazy);
  RETURN_IF_ERROR(Expect(Word::kTable));
  ASSIGN_OR_RETURN(cache.table, IdentifierReference());
  if (Accept(Word::kOptions)) {
    ASSIGN_OR_RETURN(cache.options, PropertyList());
  }
  if (Accept(Word::kAs) || AtQuery(at_)) {
    ASSIGN_OR_RETURN(cache.query, QueryExpression());
  }
  return cache;
}

StatementParser::Node StatementParser::AnalyzeStatement() {
  Take();
  RETURN_IF_ERROR(Expect(Word::kTable));
  AnalyzeTable analyze;
  ASSIGN_OR_RETURN(analyze.table, IdentifierReference());
  ASSIGN_OR_RETURN(analyze.partition, OptionalPartitionSpec());
  RETURN_IF_ERROR(ExpectWords({Word::kCompute, Word::kStatistics}));
  if (AcceptWords({Word::kFor, Word::kAll, Word::kColumns})) {
    analyze.all_columns = true;
  } else if (AcceptWords({Word::kFor, Word::kColumns})) {
    do {
      ASSIGN_OR_RETURN(std::string column, CapturingIdentifier());
      analyze.columns.push_back(std::move(column));
    } while (Accept(Tok::kComma));
  } else if (AtIdentifier()) {
    ASSIGN_OR_RETURN(std::string mode, Identifier());
    analyze.mode = AsciiUpper(mode);
  }
  return analyze;
}

StatementParser::Node StatementParser::RefreshStatement() {
  Take();
  if (At(Word::kTable) && AtIdentifier(1)) {
    Take();
    RefreshTable refresh;
    ASSIGN_OR_RETURN(refresh.table, IdentifierReference());
    return refresh;
  }
  at_ = tokens_.size() - 1;
  return UnsupportedStatement{"REFRESH"};
}

// DECLARE [OR REPLACE] [VARIABLE] a, b [type] [(DEFAULT | =) expr].
StatementParser::Node StatementParser::DeclareStatement() {
  Take();
  DeclareVariable declare;
  declare.or_replace = AcceptWords({Word::kOr, Word::kReplace});
  if (AtAny({Word::kVariable, Word::kVar}) && AtIdentifier(1)) Take();
  do {
    ASSIGN_OR_RETURN(Name name, IdentifierReference());
    declare.names.push_back(std::move(name));
  } while (Accept(Tok::kComma));
  if (AtIdentifier() && !At(Word::kDefault)) {
    ASSIGN_OR_RETURN(declare.type, Type());
  }
  if (Accept(Word::kDefault) || Accept(Tok::kEq)) {
    ASSIGN_OR_RETURN(declare.value, DefaultText());
  }
  return declare;
}

StatementParser::Node StatementParser::ExecuteStatement() {
  Take();
  RETURN_IF_ERROR(Expect(Word::kImmediate));
  ExecuteImmediate execute;
  ASSIGN_OR_RETURN(execute.text, Expression());
  if (Accept(Word::kInto)) {
    ASSIGN_OR_RETURN(execute.into, MultipartIdentifierList());
  }
  if (Accept(Word::kUsing)) {
    const bool parenthesized = At(Tok::kLeftParen) &&
                               tokens_[AfterMatching(at_)].kind == Tok::kEnd &&
                               Accept(Tok::kLeftParen);
    ASSIGN_OR_RETURN(execute.arguments, NamedExpressions());
    if (parenthesized) RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  return execute;
}

}  // namespace iceblink::sql
