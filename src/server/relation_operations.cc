// Connect's relations that change a query: sorts, limits, set operations, changes to columns,
// views.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "server/errors.h"
#include "server/translator.h"
#include "server/types.h"
#include "sql/parser.h"
#include "sql/printer.h"
#include "sql/token.h"

namespace iceblink::server {

using sql::ExprPtr;

namespace {

bool Unlimited(const sql::Query& query) { return !query.limit && !query.offset; }

}  // namespace

// ---- order and limits
// -------------------------------------------------------------------------------------------------

Result<PlanTranslator::Built> PlanTranslator::Sorted(const connect::Sort& sort) {
  std::vector<sql::SortItem> items;
  for (const auto& order : sort.order()) {
    ASSIGN_OR_RETURN(sql::SortItem item, SortOrder(order));
    items.push_back(std::move(item));
  }
  ASSIGN_OR_RETURN(Built built, Build(sort.input()));
  bool global = !sort.has_is_global() || sort.is_global();
  const auto* select = std::get_if<sql::Select>(&built.query.body->node);
  bool open = select != nullptr && !select->distinct && Unlimited(built.query) &&
              built.query.order_by.empty() && built.query.sort_by.empty() &&
              built.query.ctes.empty();
  if (!open) {
    sql::Select outer;
    outer.position = kNoPlace;
    outer.items.push_back(AllColumns());
    outer.from = SubqueryRelation(std::move(built.query), std::move(built.plan_ids));
    built = Built{QueryOf(std::move(outer)), {}};
  }
  (global ? built.query.order_by : built.query.sort_by) = std::move(items);
  return built;
}

Result<PlanTranslator::Built> PlanTranslator::Limited(const Rel& input, int32_t limit) {
  ASSIGN_OR_RETURN(Built built, Build(input));
  if (built.query.limit) {
    sql::Select outer;
    outer.position = kNoPlace;
    outer.items.push_back(AllColumns());
    outer.from = SubqueryRelation(std::move(built.query), std::move(built.plan_ids));
    built = Built{QueryOf(std::move(outer)), {}};
  }
  built.query.limit = IntLiteral(limit);
  return built;
}

Result<PlanTranslator::Built> PlanTranslator::Skipped(const Rel& input, int32_t offset) {
  ASSIGN_OR_RETURN(Built built, Build(input));
  if (!Unlimited(built.query)) {
    sql::Select outer;
    outer.position = kNoPlace;
    outer.items.push_back(AllColumns());
    outer.from = SubqueryRelation(std::move(built.query), std::move(built.plan_ids));
    built = Built{QueryOf(std::move(outer)), {}};
  }
  built.query.offset = IntLiteral(offset);
  return built;
}

Result<PlanTranslator::Built> PlanTranslator::DistinctRows(const connect::Deduplicate& node) {
  if (node.within_watermark()) return Fail(NotSupported("dropDuplicatesWithinWatermark"));
  ASSIGN_OR_RETURN(sql::Select select, SelectFrom(node.input()));
  if (node.all_columns_as_keys() || node.column_names().empty()) {
    select.distinct = true;
    return Built{QueryOf(std::move(select)), {}};
  }
  // The first row of each key: numbered, then the number is dropped.
  constexpr char kNumber[] = "__row_of_key";
  sql::FunctionCall number;
  number.name = {"row_number"};
  sql::WindowSpec window;
  for (const std::string& name : node.column_names())
    window.partition_by.push_back(ColumnNamed(name));
  window.order_by.push_back({ColumnNamed(node.column_names(0)), false, sql::NullOrder::kDefault});
  number.window = std::move(window);
  select.items.push_back({MakeNode(std::move(number)), kNumber, {}});
  sql::Select outer;
  outer.position = kNoPlace;
  auto edit = std::make_shared<sql::StarEdit>();
  edit->drop.push_back(ColumnNamed(kNumber));
  sql::Star star;
  star.edit = std::move(edit);
  outer.items.push_back({MakeNode(std::move(star)), {}, {}});
  outer.from = SubqueryRelation(QueryOf(std::move(select)), {-1});
  outer.where =
      MakeNode(sql::BinaryOp{sql::BinaryOperator::kEq, ColumnNamed(kNumber), IntLiteral(1)});
  return Built{QueryOf(std::move(outer)), {}};
}

Result<PlanTranslator::Built> PlanTranslator::Repartitioned(const Rel& input, std::string_view hint,
                                                            std::vector<ExprPtr> parameters) {
  ASSIGN_OR_RETURN(sql::Select select, SelectFrom(input));
  select.hints.push_back({std::string(hint), std::move(parameters)});
  return Built{QueryOf(std::move(select)), {}};
}

Result<PlanTranslator::Built> PlanTranslator::Hinted(const connect::Hint& hint) {
  ASSIGN_OR_RETURN(std::vector<ExprPtr> parameters, Expressions(hint.parameters()));
  return Repartitioned(hint.input(), hint.name(), std::move(parameters));
}

// ---- set operations
// ---------------------------------------------------------------------------------------------------

Result<sql::QueryTermPtr> PlanTranslator::Term(const Rel& relation,
                                               const std::vector<sql::NamedExpr>* items) {
  auto term = std::make_shared<sql::QueryTerm>();
  if (items != nullptr) {
    sql::Select select;
    select.position = kNoPlace;
    select.items = *items;
    ASSIGN_OR_RETURN(select.from, Source(relation));
    term->node = std::move(select);
    return term;
  }
  ASSIGN_OR_RETURN(sql::QueryPtr query, Query(relation));
  term->node = std::move(query);
  return term;
}

namespace {

// unionByName: the columns of `from` in the order of `names`; absent ones are NULL.
Result<std::vector<sql::NamedExpr>> ByName(const std::vector<std::string>& names,
                                           const std::vector<plan::Column>& from,
                                           bool allow_missing) {
  std::vector<sql::NamedExpr> items;
  for (const std::string& name : names) {
    auto found = std::find_if(from.begin(), from.end(), [&](const plan::Column& c) {
      return EqualsIgnoreCase(c.name, name);
    });
    if (found != from.end()) {
      items.push_back({ColumnNamed(found->name), name, {}});
    } else if (allow_missing) {
      items.push_back({MakeNode(sql::Literal{Value(), sql::DataType()}), name, {}});
    } else {
      std::vector<std::string> known;
      for (const plan::Column& column : from) known.push_back(column.name);
      return Fail(
          ErrorCode::kAnalysis,
          fmt::format("Cannot resolve column name \"{}\" among ({}).", name, Join(known, ", ")),
          "AnalysisException");
    }
  }
  return items;
}

}  // namespace

Result<PlanTranslator::Built> PlanTranslator::SetOp(const connect::SetOperation& operation) {
  sql::SetOperation out;
  switch (operation.set_op_type()) {
    case connect::SetOperation::SET_OP_TYPE_INTERSECT:
      out.op = sql::SetOperator::kIntersect;
      break;
    case connect::SetOperation::SET_OP_TYPE_EXCEPT:
      out.op = sql::SetOperator::kExcept;
      break;
    default:
      out.op = sql::SetOperator::kUnion;
      break;
  }
  out.all = operation.is_all();
  std::vector<sql::NamedExpr> left_items, right_items;
  if (operation.by_name()) {
    ASSIGN_OR_RETURN(sql::QueryPtr left, Query(operation.left_input()));
    ASSIGN_OR_RETURN(sql::QueryPtr right, Query(operation.right_input()));
    ASSIGN_OR_RETURN(std::vector<plan::Column> a, session_.describe(*left));
    ASSIGN_OR_RETURN(std::vector<plan::Column> b, session_.describe(*right));
    std::vector<std::string> names;
    for (const plan::Column& column : a) names.push_back(column.name);
    if (operation.allow_missing_columns()) {
      for (const plan::Column& column : b)
        if (std::none_of(a.begin(), a.end(), [&](const plan::Column& c) {
              return EqualsIgnoreCase(c.name, column.name);
            }))
          names.push_back(column.name);
    }
    ASSIGN_OR_RETURN(left_items, ByName(names, a, true));
    ASSIGN_OR_RETURN(right_items, ByName(names, b, operation.allow_missing_columns()));
  }
  ASSIGN_OR_RETURN(out.left,
                   Term(operation.left_input(), operation.by_name() ? &left_items : nullptr));
  ASSIGN_OR_RETURN(out.right,
                   Term(operation.right_input(), operation.by_name() ? &right_items : nullptr));
  auto term = std::make_shared<sql::QueryTerm>();
  term->node = std::move(out);
  sql::Query query;
  query.body = std::move(term);
  return Built{std::move(query), {}};
}

// ---- columns
// ----------------------------------------------------------------------------------------------------------

Result<PlanTranslator::Built> PlanTranslator::Edited(const Rel& input, sql::StarEdit edit) {
  sql::Select select;
  select.position = kNoPlace;
  ASSIGN_OR_RETURN(select.from, Source(input));
  sql::Star star;
  star.edit = std::make_shared<const sql::StarEdit>(std::move(edit));
  select.items.push_back({MakeNode(std::move(star)), {}, {}});
  return Built{QueryOf(std::move(select)), {}};
}

Result<PlanTranslator::Built> PlanTranslator::WithColumns(const connect::WithColumns& node) {
  sql::StarEdit edit;
  for (const auto& alias : node.aliases()) {
    if (alias.name_size() != 1)
      return Fail(InvalidInput("WithColumns require column name only contains one name part."));
    sql::NamedExpr item;
    ASSIGN_OR_RETURN(item.expr, Expression(alias.expr()));
    item.alias = alias.name(0);
    edit.put.push_back(std::move(item));
  }
  return Edited(node.input(), std::move(edit));
}

Result<PlanTranslator::Built> PlanTranslator::Renamed(const connect::WithColumnsRenamed& node) {
  sql::StarEdit edit;
  for (const auto& rename : node.renames())
    edit.rename.emplace_back(rename.col_name(), rename.new_col_name());
  if (node.renames().empty())
    for (const auto& [from, to] : node.rename_columns_map()) edit.rename.emplace_back(from, to);
  return Edited(node.input(), std::move(edit));
}

Result<PlanTranslator::Built> PlanTranslator::Dropped(const connect::Drop& node) {
  sql::StarEdit edit;
  ASSIGN_OR_RETURN(edit.drop, Expressions(node.columns()));
  for (const std::string& name : node.column_names()) edit.drop.push_back(ColumnNamed(name));
  return Edited(node.input(), std::move(edit));
}

Result<PlanTranslator::Built> PlanTranslator::ToNames(const connect::ToDF& node) {
  sql::Select select;
  select.position = kNoPlace;
  select.items.push_back(AllColumns());
  ASSIGN_OR_RETURN(sql::RelationPtr child, Source(node.input()));
  select.from = MakeRelation(
      sql::Aliased{std::move(child), {}, {node.column_names().begin(), node.column_names().end()}});
  return Built{QueryOf(std::move(select)), {}};
}

Result<PlanTranslator::Built> PlanTranslator::ToSchema(const connect::ToSchema& node) {
  ASSIGN_OR_RETURN(sql::DataType schema, FromMessage(node.schema()));
  sql::Select select;
  select.position = kNoPlace;
  ASSIGN_OR_RETURN(select.from, Source(node.input()));
  for (const sql::StructField& field : schema.fields())
    select.items.push_back(
        {MakeNode(sql::Cast{ColumnNamed(field.name), field.type, false}), field.name, {}});
  return Built{QueryOf(std::move(select)), {}};
}

namespace {

std::string_view PartitionHint(const connect::Repartition& node) {
  return !node.has_shuffle() || node.shuffle() ? "REPARTITION" : "COALESCE";
}

}  // namespace

Result<PlanTranslator::Built> PlanTranslator::RepartitionedTo(const connect::Repartition& node) {
  return Repartitioned(node.input(), PartitionHint(node), {IntLiteral(node.num_partitions())});
}

Result<PlanTranslator::Built> PlanTranslator::RepartitionedBy(
    const connect::RepartitionByExpression& node) {
  ASSIGN_OR_RETURN(std::vector<ExprPtr> parameters, Expressions(node.partition_exprs()));
  if (node.has_num_partitions())
    parameters.insert(parameters.begin(), IntLiteral(node.num_partitions()));
  return Repartitioned(node.input(), "REPARTITION", std::move(parameters));
}

// ---- SQL and views
// ----------------------------------------------------------------------------------------------------

Status PlanTranslator::Bind(const connect::WithRelations& with) {
  for (const Rel& reference : with.references()) {
    if (reference.common().has_plan_id()) references_[reference.common().plan_id()] = &reference;
    if (!reference.has_subquery_alias()) continue;
    sql::Cte cte;
    cte.name = reference.subquery_alias().alias();
    ASSIGN_OR_RETURN(cte.query, Query(reference.subquery_alias().input()));
    views_.push_back(std::move(cte));
  }
  return {};
}

Result<PlanTranslator::Built> PlanTranslator::WithViews(const connect::WithRelations& with) {
  size_t outer = views_.size();
  RETURN_IF_ERROR(Bind(with));
  ASSIGN_OR_RETURN(Built built, Build(with.root()));
  std::vector<sql::Cte> own(views_.begin() + static_cast<ptrdiff_t>(outer), views_.end());
  views_.resize(outer);
  if (own.empty()) return built;
  built.query.ctes.insert(built.query.ctes.begin(), own.begin(), own.end());
  return built;
}

namespace {

struct Place {  // of a parameter marker in the text
  size_t start, stop;
  std::string name;  // empty for ?
};

std::vector<Place> Markers(std::string_view text) {
  std::vector<Place> places;
  sql::TokenList tokens = sql::Tokenize(text);
  for (size_t i = 0; i < tokens.tokens.size(); ++i) {
    const sql::Token& token = tokens.tokens[i];
    if (token.kind == sql::Tok::kQuestion) {
      places.push_back({static_cast<size_t>(token.start), static_cast<size_t>(token.stop), ""});
    } else if (token.kind == sql::Tok::kColon && i + 1 < tokens.tokens.size()) {
      const sql::Token& next = tokens.tokens[i + 1];
      bool after_value = i > 0 && tokens.tokens[i - 1].stop == token.start &&
                         tokens.tokens[i - 1].kind == sql::Tok::kWord;
      if (next.kind == sql::Tok::kWord && next.start == token.stop && !after_value) {
        size_t start = static_cast<size_t>(next.start), stop = static_cast<size_t>(next.stop);
        places.push_back({static_cast<size_t>(token.start), stop,
                          std::string(text.substr(start, stop - start))});
      }
    }
  }
  return places;
}

Error Unbound(const Place& place) {
  Error error =
      Error::Make(ErrorCode::kAnalysis,
                  fmt::format("[UNBOUND_SQL_PARAMETER] Found the unbound parameter: {}. Please, "
                              "fix `args` and provide a "
                              "mapping of the parameter to either a SQL literal or collection "
                              "constructor functions such "
                              "as `map()`, `array()`, `struct()`. SQLSTATE: 42P02",
                              place.name.empty() ? "_" + std::to_string(place.start) : place.name),
                  "ExtendedAnalysisException");
  error.condition = "UNBOUND_SQL_PARAMETER";
  error.sql_state = "42P02";
  return error;
}

}  // namespace

Result<sql::Statement> PlanTranslator::Statement(const connect::SQL& sql) {
  std::map<std::string, std::string> named;
  std::vector<std::string> positional;
  for (const auto& [name, expression] : sql.named_arguments()) {
    ASSIGN_OR_RETURN(ExprPtr expr, Expression(expression));
    named[name] = sql::PrintExpression(*expr);
  }
  for (const auto& [name, literal] : sql.args()) {
    ASSIGN_OR_RETURN(ExprPtr expr, Literal(literal));
    named[name] = sql::PrintExpression(*expr);
  }
  for (const auto& expression : sql.pos_arguments()) {
    ASSIGN_OR_RETURN(ExprPtr expr, Expression(expression));
    positional.push_back(sql::PrintExpression(*expr));
  }
  for (const auto& literal : sql.pos_args()) {
    ASSIGN_OR_RETURN(ExprPtr expr, Literal(literal));
    positional.push_back(sql::PrintExpression(*expr));
  }
  if (named.empty() && positional.empty()) return sql::ParseStatement(sql.query());
  std::string text;
  size_t done = 0, next = 0;
  for (const Place& place : Markers(sql.query())) {
    const std::string* value = nullptr;
    if (!place.name.empty()) {
      if (auto at = named.find(place.name); at != named.end()) value = &at->second;
    } else if (next < positional.size()) {
      value = &positional[next++];
    }
    if (value == nullptr) return Fail(Unbound(place));
    text += sql.query().substr(done, place.start - done);
    text += *value;
    done = place.stop;
  }
  text += sql.query().substr(done);
  return sql::ParseStatement(text);
}

}  // namespace iceblink::server
