#include "sql/ast.h"

#include <algorithm>
#include <array>

namespace iceblink::sql {

namespace {

bool SameTrees(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameTree<Expr>);
}

constexpr std::array<std::string_view, 22> kBinaryTexts{
    "OR", "AND", "=", "<>",  "<=>", "<", "<=", ">", ">=", "+",  "-",
    "||", "*",   "/", "div", "%",   "&", "|",  "^", "<<", ">>", ">>>"};
constexpr std::array<std::string_view, 4> kUnaryTexts{"NOT", "-", "+", "~"};

}  // namespace

std::string_view OperatorText(BinaryOperator op) { return kBinaryTexts[static_cast<size_t>(op)]; }
std::string_view OperatorText(UnaryOperator op) { return kUnaryTexts[static_cast<size_t>(op)]; }

// Equality passes over positions and texts: two spellings of one meaning are equal.

bool UnaryOp::operator==(const UnaryOp& o) const { return op == o.op && SameTree(child, o.child); }

bool BinaryOp::operator==(const BinaryOp& o) const {
  return op == o.op && SameTree(left, o.left) && SameTree(right, o.right);
}

bool Cast::operator==(const Cast& o) const {
  return SameTree(child, o.child) && type == o.type && is_try == o.is_try;
}

bool WhenClause::operator==(const WhenClause& o) const {
  return SameTree(condition, o.condition) && SameTree(result, o.result);
}

bool Case::operator==(const Case& o) const {
  return SameTree(operand, o.operand) && whens == o.whens && SameTree(otherwise, o.otherwise);
}

bool InList::operator==(const InList& o) const {
  return SameTree(child, o.child) && SameTrees(list, o.list) && negated == o.negated;
}

bool InSubquery::operator==(const InSubquery& o) const {
  return SameTree(child, o.child) && SameTree(query, o.query) && negated == o.negated;
}

bool Between::operator==(const Between& o) const {
  return SameTree(child, o.child) && SameTree(low, o.low) && SameTree(high, o.high) &&
         negated == o.negated;
}

bool Like::operator==(const Like& o) const {
  return kind == o.kind && quantifier == o.quantifier && SameTree(child, o.child) &&
         SameTrees(patterns, o.patterns) && escape == o.escape && negated == o.negated;
}

bool IsNull::operator==(const IsNull& o) const {
  return SameTree(child, o.child) && negated == o.negated;
}

bool IsTruth::operator==(const IsTruth& o) const {
  return SameTree(child, o.child) && truth == o.truth && negated == o.negated;
}

bool IsDistinctFrom::operator==(const IsDistinctFrom& o) const {
  return SameTree(left, o.left) && SameTree(right, o.right) && negated == o.negated;
}

bool Subscript::operator==(const Subscript& o) const {
  return SameTree(child, o.child) && SameTree(index, o.index);
}

bool FieldAccess::operator==(const FieldAccess& o) const {
  return SameTree(child, o.child) && field == o.field;
}

bool VariantPath::operator==(const VariantPath& o) const {
  return SameTree(child, o.child) && path == o.path;
}

bool Collate::operator==(const Collate& o) const {
  return SameTree(child, o.child) && collation == o.collation;
}

bool SortItem::operator==(const SortItem& o) const {
  return SameTree(expr, o.expr) && descending == o.descending && nulls == o.nulls;
}

bool FrameBound::operator==(const FrameBound& o) const {
  return kind == o.kind && SameTree(offset, o.offset);
}

bool WindowSpec::operator==(const WindowSpec& o) const {
  return reference == o.reference && SameTrees(partition_by, o.partition_by) &&
         order_by == o.order_by && frame == o.frame;
}

bool Argument::operator==(const Argument& o) const {
  return name == o.name && SameTree(expr, o.expr);
}

bool FunctionCall::operator==(const FunctionCall& o) const {
  return name == o.name && args == o.args && distinct == o.distinct && nulls == o.nulls &&
         SameTree(filter, o.filter) && within_group == o.within_group && window == o.window;
}

bool Lambda::operator==(const Lambda& o) const {
  return parameters == o.parameters && SameTree(body, o.body);
}

bool NamedExpr::operator==(const NamedExpr& o) const {
  return SameTree(expr, o.expr) && alias == o.alias && aliases == o.aliases;
}

bool StructConstructor::operator==(const StructConstructor& o) const { return fields == o.fields; }

bool Extract::operator==(const Extract& o) const {
  return field == o.field && SameTree(source, o.source);
}

bool Trim::operator==(const Trim& o) const {
  return side == o.side && SameTree(characters, o.characters) && SameTree(source, o.source);
}

bool Overlay::operator==(const Overlay& o) const {
  return SameTree(input, o.input) && SameTree(replacement, o.replacement) &&
         SameTree(position, o.position) && SameTree(length, o.length);
}

bool Exists::operator==(const Exists& o) const { return SameTree(query, o.query); }

bool ScalarSubquery::operator==(const ScalarSubquery& o) const { return SameTree(query, o.query); }

bool TimeTravel::operator==(const TimeTravel& o) const {
  return version == o.version && SameTree(timestamp, o.timestamp);
}

bool InlineTable::operator==(const InlineTable& o) const { return SameTrees(rows, o.rows); }

bool Subquery::operator==(const Subquery& o) const { return SameTree(query, o.query); }

bool Aliased::operator==(const Aliased& o) const {
  return SameTree(child, o.child) && alias == o.alias && columns == o.columns;
}

bool Sampled::operator==(const Sampled& o) const {
  return SameTree(child, o.child) && kind == o.kind && percent == o.percent &&
         SameTree(rows, o.rows) && bucket == o.bucket && buckets == o.buckets && seed == o.seed;
}

bool Join::operator==(const Join& o) const {
  return SameTree(left, o.left) && SameTree(right, o.right) && type == o.type &&
         natural == o.natural && comma == o.comma && lateral == o.lateral &&
         SameTree(condition, o.condition) && using_columns == o.using_columns;
}

bool LateralView::operator==(const LateralView& o) const {
  return SameTree(child, o.child) && generator == o.generator && outer == o.outer &&
         alias == o.alias && columns == o.columns;
}

bool Pivot::operator==(const Pivot& o) const {
  return SameTree(child, o.child) && aggregates == o.aggregates && columns == o.columns &&
         values == o.values;
}

bool Unpivot::operator==(const Unpivot& o) const {
  return SameTree(child, o.child) && include_nulls == o.include_nulls &&
         value_columns == o.value_columns && name_column == o.name_column && sets == o.sets &&
         multi_value == o.multi_value;
}

bool Hint::operator==(const Hint& o) const {
  return name == o.name && SameTrees(parameters, o.parameters);
}

bool GroupingElement::operator==(const GroupingElement& o) const {
  return SameTrees(exprs, o.exprs) && is_set == o.is_set && SameTree(analytics, o.analytics);
}

bool Select::operator==(const Select& o) const {
  return hints == o.hints && distinct == o.distinct && items == o.items && SameTree(from, o.from) &&
         SameTree(where, o.where) && group_by == o.group_by && SameTree(having, o.having) &&
         windows == o.windows;
}

bool SetOperation::operator==(const SetOperation& o) const {
  return op == o.op && all == o.all && SameTree(left, o.left) && SameTree(right, o.right);
}

bool Cte::operator==(const Cte& o) const {
  return name == o.name && columns == o.columns && SameTree(query, o.query) &&
         max_level == o.max_level;
}

bool Query::operator==(const Query& o) const {
  return ctes == o.ctes && recursive == o.recursive && SameTree(body, o.body) &&
         order_by == o.order_by && sort_by == o.sort_by && SameTrees(cluster_by, o.cluster_by) &&
         SameTrees(distribute_by, o.distribute_by) && windows == o.windows &&
         SameTree(limit, o.limit) && SameTree(offset, o.offset);
}

bool Insert::operator==(const Insert& o) const {
  return ctes == o.ctes && table == o.table && overwrite == o.overwrite && options == o.options &&
         partition == o.partition && if_not_exists == o.if_not_exists && by_name == o.by_name &&
         columns == o.columns && SameTree(replace_where, o.replace_where) &&
         SameTree(query, o.query);
}

bool Delete::operator==(const Delete& o) const {
  return ctes == o.ctes && table == o.table && alias == o.alias && SameTree(where, o.where);
}

bool Update::operator==(const Update& o) const {
  return ctes == o.ctes && table == o.table && alias == o.alias && assignments == o.assignments &&
         SameTree(where, o.where);
}

bool MergeClause::operator==(const MergeClause& o) const {
  return match == o.match && action == o.action && SameTree(condition, o.condition) &&
         assignments == o.assignments;
}

bool Merge::operator==(const Merge& o) const {
  return ctes == o.ctes && table == o.table && alias == o.alias &&
         with_schema_evolution == o.with_schema_evolution && SameTree(source, o.source) &&
         SameTree(condition, o.condition) && clauses == o.clauses;
}

bool CreateTable::operator==(const CreateTable& o) const {
  return mode == o.mode && table == o.table && external == o.external &&
         if_not_exists == o.if_not_exists && columns == o.columns && provider == o.provider &&
         options == o.options && partitioning == o.partitioning && cluster_by == o.cluster_by &&
         buckets == o.buckets && location == o.location && comment == o.comment &&
         stored_as == o.stored_as && collation == o.collation && properties == o.properties &&
         constraints == o.constraints && SameTree(query, o.query);
}

bool ColumnChange::operator==(const ColumnChange& o) const {
  return column == o.column && type == o.type && comment == o.comment && position == o.position &&
         not_null == o.not_null && set_default == o.set_default && drop_default == o.drop_default;
}

bool CreateView::operator==(const CreateView& o) const {
  return name == o.name && scope == o.scope && or_replace == o.or_replace &&
         if_not_exists == o.if_not_exists && columns == o.columns && comment == o.comment &&
         schema_mode == o.schema_mode && properties == o.properties && SameTree(query, o.query);
}

bool CacheTable::operator==(const CacheTable& o) const {
  return table == o.table && lazy == o.lazy && options == o.options && SameTree(query, o.query);
}

bool Explain::operator==(const Explain& o) const {
  return mode == o.mode && SameTree(statement, o.statement);
}

bool QueryTerm::operator==(const QueryTerm& other) const {
  if (node.index() != other.node.index()) return false;
  if (const auto* relation = std::get_if<RelationPtr>(&node))
    return SameTree(*relation, std::get<RelationPtr>(other.node));
  if (const auto* query = std::get_if<QueryPtr>(&node))
    return SameTree(*query, std::get<QueryPtr>(other.node));
  return node == other.node;
}

}  // namespace iceblink::sql
