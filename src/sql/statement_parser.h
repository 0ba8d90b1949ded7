// The Spark parser: one class, its rules spread over parse_*.cc by subject. Internal to the room;
// use parser.h.
//
// Each method parses the grammar rule of its name from the current token and leaves the cursor
// behind it. Decisions look ahead instead of backtracking, because nearly every keyword may also be
// a name; the comments say where ANTLR's choice is not the obvious one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/ast.h"
#include "sql/token_reader.h"

namespace iceblink::sql {

class StatementParser : private TokenReader {
 public:
  explicit StatementParser(std::string_view text) : TokenReader(text) {}

  Result<Statement> ParseStatement();
  Result<QueryPtr> ParseQuery();
  Result<NamedExpr> ParseNamedExpression();
  Result<DataType> ParseDataType();
  Result<DataType> ParseTableSchema();
  Result<Name> ParseMultipartIdentifier();

 private:
  using Node = Result<StatementNode>;

  static constexpr int kMaxNesting = 250;     // recursion of the parser
  static constexpr int32_t kMaxDepth = 1000;  // height of the tree

  // Counts one level of recursion for its life.
  class Nested {
   public:
    explicit Nested(int& depth) : depth_(&depth) { ++depth; }
    Nested(Nested&& other) noexcept : depth_(std::exchange(other.depth_, nullptr)) {}
    ~Nested() {
      if (depth_) --*depth_;
    }

   private:
    int* depth_;
  };
  Result<Nested> Nest();
  tl::unexpected<Error> TooComplex() const;

  // --- parser.cc: names and small parts ---
  template <typename T>
  Result<T> Whole(Result<T> parsed);
  Result<std::string> Identifier();           // identifier
  Result<std::string> CapturingIdentifier();  // errorCapturingIdentifier: refuses a-b
  Result<std::string> StrictIdentifier();
  Result<std::string> CheckedWord(const Token& token) const;
  Result<Name> MultipartIdentifier();
  Result<Name> IdentifierReference();  // also IDENTIFIER('a.b')
  Result<Name> IdentifierFunction();
  Result<std::vector<std::string>> IdentifierList();  // (a, b)
  Result<std::vector<Name>> MultipartIdentifierList();
  Result<std::string> StringLiteral();                   // adjacent literals are joined
  Result<std::optional<std::string>> OptionalPattern();  // [LIKE] 'pattern'
  Result<int64_t> IntegerValue();
  Result<PropertyMap> PropertyList(bool expressions = false);
  Result<std::string> PropertyKey();
  Result<std::string> PropertyValue(bool expressions);
  Result<std::vector<std::string>> PropertyKeys();
  Result<PartitionSpec> OptionalPartitionSpec();
  Result<PartitionSpec> RequiredPartitionSpec();
  Result<Name> OptionalIn();  // [(FROM | IN) name]
  bool AcceptIfExists() { return AcceptWords({Word::kIf, Word::kExists}); }
  bool AcceptIfNotExists();
  bool AtNot(size_t ahead = 0) const { return At(Word::kNot, ahead) || At(Tok::kBang, ahead); }
  bool AcceptNot() { return Accept(Word::kNot) || Accept(Tok::kBang); }
  tl::unexpected<Error> InvalidIdentifier(std::string_view identifier,
                                          const Position& position) const;

  // --- parse_expression.cc ---
  Result<ExprPtr> Expression();
  Result<ExprPtr> Disjunction();
  Result<ExprPtr> Conjunction();
  Result<ExprPtr> Negation();
  Result<ExprPtr> Predicated();
  Result<ExprPtr> PredicateTail(ExprPtr child, size_t first);
  Result<ExprPtr> InTail(ExprPtr child, size_t first, bool negated);
  Result<ExprPtr> LikeTail(ExprPtr child, size_t first, bool negated);
  Result<ExprPtr> IsTail(ExprPtr child, size_t first);
  Result<ExprPtr> ValueExpression(int min_precedence = 1);
  Result<ExprPtr> Unary();
  std::optional<std::pair<BinaryOperator, int>> PeekBinaryOperator(size_t& tokens) const;
  ExprPtr Balanced(BinaryOperator op, const std::vector<ExprPtr>& parts, size_t low, size_t high);
  Result<std::vector<ExprPtr>> Expressions();
  Result<NamedExpr> NamedExpression();
  Result<std::vector<NamedExpr>> NamedExpressions();
  bool AtAlias() const;
  bool AtExpressionStart(size_t ahead) const;

  // Makes a node over the tokens from `first` to the last one taken.
  template <typename T>
  ExprPtr Make(T node, size_t first) {
    Expr expr{ExprNode(std::move(node)), Span(first), 1};
    expr.depth = ChildDepth(expr) + 1;
    deepest_ = std::max(deepest_, expr.depth);
    return std::make_shared<const Expr>(std::move(expr));
  }

  // --- parse_primary.cc ---
  Result<ExprPtr> Primary();
  Result<ExprPtr> PrimaryBase();
  Result<ExprPtr> Postfix(ExprPtr base, size_t first);
  std::optional<Result<ExprPtr>> SpecialForm();
  Result<ExprPtr> CaseExpression();
  Result<ExprPtr> CastExpression(bool is_try);
  Result<ExprPtr> StructExpression();
  bool HasWordInside(size_t open, Word word) const;
  Result<ExprPtr> PositionCall();
  Result<ExprPtr> ExtractCall();
  Result<ExprPtr> SubstringCall();
  Result<ExprPtr> TrimCall();
  Result<ExprPtr> OverlayCall();
  bool AtUnitArguments() const;
  Result<ExprPtr> TimestampUnitCall(std::string name);
  Result<ExprPtr> NameOrCall();
  Result<ExprPtr> CallTail(Name name, size_t first);
  Status CallArguments(FunctionCall& call, size_t open);
  Result<Argument> FunctionArgument();
  Status CallSuffix(FunctionCall& call);
  Result<ExprPtr> Parenthesized();
  Result<ExprPtr> LambdaExpression();
  Result<Star> StarTail(Name qualifier);
  Result<ExprPtr> VariantPathTail(ExprPtr base, size_t first);
  Result<WindowSpec> Window();
  Result<WindowFrame> Frame();
  Result<FrameBound> Bound();
  Result<std::vector<SortItem>> SortItems();
  bool AtQuery(size_t index) const;  // a query starts at the token, not a name or an expression

  // --- parse_literal.cc ---
  std::optional<Result<ExprPtr>> Constant();
  Result<ExprPtr> NumberLiteral();
  Result<ExprPtr> TypedLiteral();
  Result<ExprPtr> IntervalExpression();
  Result<Literal> MultiUnitInterval(size_t first);
  Result<Literal> UnitToUnitInterval(size_t first);
  bool AtInterval() const;
  Result<ExprPtr> ParameterMarker();
  Result<ExprPtr> ConstantOnly();  // the grammar's constant

  // --- parse_type.cc ---
  Result<DataType> Type();
  Result<DataType> PrimitiveType();
  Result<DataType> ComplexType();
  Result<DataType> IntervalType();
  Result<DataType> DecimalType();
  Result<DataType> GeoType(bool geometry);
  Result<std::vector<StructField>> StructFields();
  Result<StructField> ColumnType(bool colon_allowed);
  Result<std::vector<int64_t>> OptionalTypeArguments();

  // --- parse_query.cc ---
  Result<QueryPtr> QueryExpression();
  Result<std::vector<Cte>> Ctes(bool& recursive);
  Result<Cte> NamedQuery();
  Status Organization(Query& query);
  Result<QueryTermPtr> Term(int min_precedence);
  Result<QueryTermPtr> TermPrimary();
  Result<QueryTermPtr> SelectTerm(RelationPtr from);
  Status SelectTail(Select& select);
  Result<std::vector<Hint>> Hints();
  Result<GroupBy> GroupByClause();
  Result<GroupingElement> Grouping(bool inside_sets);
  Result<std::vector<GroupingElement>> GroupingList();
  Result<std::vector<NamedWindow>> NamedWindows();
  Result<QueryTermPtr> FromTerm();
  Status CheckDuplicateCtes(const std::vector<Cte>& ctes, size_t first) const;
  QueryTermPtr MakeTerm(std::variant<Select, SetOperation, RelationPtr, QueryPtr> node,
                        size_t first, int32_t depth = 1);

  // --- parse_pipe.cc: `|>` steps become queries over the steps before ---
  Result<QueryTermPtr> PipeStep(QueryTermPtr input, size_t first);
  Result<QueryTermPtr> PipeRelation(RelationPtr input, size_t first);
  Result<QueryTermPtr> PipeAggregate(RelationPtr input, size_t first);
  Result<QueryTermPtr> PipeDrop(RelationPtr input, size_t first);
  Result<QueryTermPtr> SelectAll(RelationPtr from, size_t first);
  RelationPtr AsRelation(const QueryTermPtr& term, size_t first);
  bool AtOrganization() const;
  bool AtClause() const;  // the word begins a clause here rather than naming something
  bool AtSetOperator() const;

  // --- parse_relation.cc ---
  Result<RelationPtr> FromClause();
  Result<RelationPtr> RelationTree();
  Result<RelationPtr> RelationPrimary();
  Result<RelationPtr> TableOrFunction();
  Result<RelationPtr> ParenthesizedRelation();
  Result<RelationPtr> InlineTableRelation();
  Result<RelationPtr> TableAlias(RelationPtr child, size_t first);
  Result<RelationPtr> OptionalSample(RelationPtr child, size_t first);
  Result<std::optional<TimeTravel>> OptionalTimeTravel();
  std::optional<JoinType> AcceptJoin(bool& natural);
  Result<RelationPtr> JoinTail(RelationPtr left, size_t first, JoinType type, bool natural);
  Result<RelationPtr> LateralViews(RelationPtr child, size_t first);
  Result<RelationPtr> PivotClause(RelationPtr child, size_t first);
  Result<RelationPtr> UnpivotClause(RelationPtr child, size_t first);
  Result<Unpivot::Set> UnpivotSet(bool multi_value);
  Result<Argument> TableFunctionArgument();
  bool AtTableAlias() const;
  template <typename T>
  RelationPtr MakeRelation(T node, size_t first) {
    return std::make_shared<const Relation>(Relation{RelationNode(std::move(node)), Span(first)});
  }

  // --- parse_dml.cc ---
  Node DmlStatement(std::vector<Cte> ctes);
  Result<Insert> InsertTarget();
  Node InsertStatement(std::vector<Cte> ctes);
  Node FromInsertStatement(std::vector<Cte> ctes);
  Node DeleteStatement(std::vector<Cte> ctes);
  Node UpdateStatement(std::vector<Cte> ctes);
  Node MergeStatement(std::vector<Cte> ctes);
  Result<RelationPtr> MergeSource();
  Result<MergeClause> MergeWhen();
  Status MergeAction(MergeClause& clause);
  Status MergeInsert(MergeClause& clause);
  Status CheckMerge(const Merge& merge, size_t first) const;
  Result<std::vector<Assignment>> Assignments();
  Result<std::string> DmlAlias(std::string_view statement);
  Node TruncateStatement();
  Node CallStatement();

  // --- parse_table.cc ---
  Node CreateStatement();
  Node CreateTableStatement(CreateTable::Mode mode);
  Status CreateTableClauses(CreateTable& create);
  Status CreateTableClause(CreateTable& create);
  Status TableElements(CreateTable& create);
  Status ColumnOptions(ColumnDefinition& column, std::vector<std::string>& constraints,
                       bool with_position);
  Result<bool> ConstraintText(std::vector<std::string>& constraints,
                              const ColumnDefinition* column);
  Result<DefaultValue> DefaultText();
  Status Generated(ColumnDefinition& column);
  Result<std::vector<PartitioningField>> PartitioningFields();
  Result<PartitioningField> PartitioningEntry();
  Result<Transform> TransformCall(size_t first);
  Status BucketSpec(CreateTable& create);
  Node CreateTableLikeStatement(CreateTable create);
  Status CheckCreate(const CreateTable& create) const;

  // --- parse_alter.cc ---
  Node AlterStatement();
  Node AlterTableStatement();
  Node AlterPartitionStatement(AlterTable alter);
  Result<TableChange> TableChangeClause();
  Result<TableChange> AddClause();
  Result<TableChange> DropClause();
  Result<TableChange> SetClause();
  Result<TableChange> UnsetClause();
  Result<TableChange> AlterColumnsClause();
  Status AlterColumnAction(ColumnChange& change, size_t first);
  Status HiveColumnChange(ColumnChange& column, size_t first);
  Result<std::vector<ColumnDefinition>> QualifiedColumns();
  Status CheckReserved(const PropertyMap& properties, size_t first) const;
  Node AlterViewStatement();
  Node AlterNamespaceStatement();
  Status CheckReservedNamespace(const PropertyMap& properties) const;

  // --- parse_command.cc ---
  Node StatementBody();
  Node QueryOrDml();
  bool FromInserts(size_t index) const;
  Node NamespaceCreate();
  Node ViewCreate(bool or_replace);
  Node TempViewUsing(CreateTempViewUsing create);
  Status ViewClauses(CreateView& view);
  Result<std::string> SchemaMode();
  Node DropStatement();
  Node ShowStatement();
  Node ShowCatalogsStatement();
  Node ShowTableExtendedStatement();
  Node ShowColumnsStatement();
  template <typename Show>
  Node ShowListing();
  Node ShowFunctionsStatement();
  Node DescribeStatement();
  Node DescribeTableStatement();
  Node ExplainStatement();
  Node UseStatement();
  Node CommentStatement();
  Node CacheStatement();
  Node AnalyzeStatement();
  Node RefreshStatement();
  Node DeclareStatement();
  Node ExecuteStatement();

  // --- parse_set.cc ---
  Node SetStatement();
  std::string ConfigText(int32_t start) const;
  Node SetTimeZoneStatement();
  Node SetVariableStatement();
  Node ResetStatement();

  // --- parse_native.cc: what Spark refuses by name, and what Iceblink does not run ---
  std::optional<Error> HiveNativeCommand() const;
  std::optional<UnsupportedStatement> Unsupported();
  bool AtRow(const Word (&row)[3]) const;

  static int32_t ChildDepth(const Expr& expr);

  int depth_ = 0;           // of recursion
  int32_t deepest_ = 0;     // height of the highest tree of the current query
  int32_t parameters_ = 0;  // positional markers so far
};

// Word tests shared by the rules.
bool IsDatetimeUnit(Word word);

}  // namespace iceblink::sql
