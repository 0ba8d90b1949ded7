// DataFrame.describe, summary, stat and sampleBy: each is SQL text over the input, which the text
// calls `__input`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "server/errors.h"
#include "server/translator.h"
#include "sql/identifier.h"
#include "sql/parser.h"
#include "sql/printer.h"

namespace iceblink::server {

using R = connect::Relation;
using sql::ExprPtr;
using sql::PrintString;
using sql::QuoteIdentifier;

namespace {

constexpr const char* kInput = "__input";

// `%` stands for the column, `#` for the column as a number.
struct StatisticRow {
  std::string_view name;
  std::string_view sql;
};
constexpr StatisticRow kStatistics[] = {
    {"count", "count(%)"},
    {"count_distinct", "count(DISTINCT %)"},
    {"approx_count_distinct", "approx_count_distinct(%)"},
    {"mean", "avg(#)"},
    {"stddev", "stddev(#)"},
    {"min", "min(%)"},
    {"max", "max(%)"},
};

std::string Filled(std::string_view pattern, const std::string& column, const std::string& number) {
  std::string out;
  for (char c : pattern) {
    if (c == '%')
      out += column;
    else if (c == '#')
      out += number;
    else
      out += c;
  }
  return out;
}

Error Unrecognized(const std::string& statistic) {
  Error error = Error::Make(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "[UNRECOGNIZED_STATISTIC] The statistic '{}' is not recognized. Valid statistics "
          "include `count`, `count_distinct`, `approx_count_distinct`, `mean`, `stddev`, "
          "`min`, `max`, and percentile values. Percentile must be a numeric value followed "
          "by '%', within the range 0% to 100%. SQLSTATE: 42704",
          statistic),
      "SparkIllegalArgumentException");
  error.condition = "UNRECOGNIZED_STATISTIC";
  error.sql_state = "42704";
  return error;
}

// SQL of one statistic of a column. Error: UNRECOGNIZED_STATISTIC.
Result<std::string> StatisticSql(const std::string& statistic, const plan::Column& column) {
  const std::string name = QuoteIdentifier(column.name);
  const std::string number = column.type.is_numeric() ? name : "try_cast(" + name + " AS DOUBLE)";
  for (const StatisticRow& row : kStatistics)
    if (EqualsIgnoreCase(row.name, statistic)) return Filled(row.sql, name, number);
  if (statistic.ends_with('%')) {
    auto percent = ParseDouble(std::string_view(statistic).substr(0, statistic.size() - 1));
    if (!percent || *percent < 0 || *percent > 100) return Fail(Unrecognized(statistic));
    return fmt::format("CAST(percentile_disc({}D) WITHIN GROUP (ORDER BY {}) AS {})",
                       *percent / 100, number,
                       column.type.is_numeric() ? column.type.SqlString() : "DOUBLE");
  }
  return Fail(Unrecognized(statistic));
}

}  // namespace

// ---- templates
// ----------------------------------------------------------------------------------------------------------

Result<PlanTranslator::Built> PlanTranslator::FromText(const std::string& text, const Rel& input) {
  ASSIGN_OR_RETURN(sql::QueryPtr parsed, sql::ParseQuery(text));
  sql::Query query = *parsed;
  sql::Cte cte;
  cte.name = kInput;
  ASSIGN_OR_RETURN(cte.query, Query(input));
  query.ctes.insert(query.ctes.begin(), std::move(cte));
  return Built{std::move(query), {}};
}

Result<std::vector<plan::Column>> PlanTranslator::ColumnsOf(const Rel& input) {
  ASSIGN_OR_RETURN(sql::QueryPtr query, Query(input));
  return session_.describe(*query);
}

Result<std::vector<ValueList>> PlanTranslator::RowsOf(const std::string& text, const Rel& input) {
  ASSIGN_OR_RETURN(Built built, FromText(text, input));
  return session_.rows(built.query);
}

// ---- describe, summary
// --------------------------------------------------------------------------------------------------

// One pass makes an array of rows, one a statistic.
Result<PlanTranslator::Built> PlanTranslator::Summarized(const Rel& input,
                                                         std::vector<std::string> statistics,
                                                         const std::vector<std::string>& names) {
  if (statistics.empty())
    statistics = {"count", "mean", "stddev", "min", "25%", "50%", "75%", "max"};
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, ColumnsOf(input));
  std::vector<const plan::Column*> chosen;
  for (const std::string& name : names) {
    auto found = std::find_if(columns.begin(), columns.end(), [&](const plan::Column& column) {
      return EqualsIgnoreCase(column.name, name);
    });
    if (found == columns.end())
      return FromText("SELECT " + QuoteIdentifier(name) + " FROM __input", input);
    chosen.push_back(&*found);
  }
  if (names.empty())
    for (const plan::Column& column : columns)
      if (column.type.is_numeric() || column.type.is_string()) chosen.push_back(&column);
  std::vector<std::string> rows;
  for (const std::string& statistic : statistics) {
    std::string row = "'summary', " + PrintString(statistic);
    for (const plan::Column* column : chosen) {
      ASSIGN_OR_RETURN(std::string sql, StatisticSql(statistic, *column));
      row += fmt::format(", {}, CAST({} AS STRING)", PrintString(column->name), sql);
    }
    rows.push_back("named_struct(" + row + ")");
  }
  return FromText(fmt::format("SELECT inline(rows) FROM (SELECT array({}) AS rows FROM __input)",
                              Join(rows, ", ")),
                  input);
}

// ---- DataFrame.stat
// --------------------------------------------------------------------------------------------------------------

namespace {

std::string AsText(const std::string& column) {
  return fmt::format("coalesce(CAST({} AS STRING), 'null')", QuoteIdentifier(column));
}

}  // namespace

Result<PlanTranslator::Built> PlanTranslator::CrossTab(const connect::StatCrosstab& node) {
  ASSIGN_OR_RETURN(
      std::vector<ValueList> labels,
      RowsOf(fmt::format("SELECT DISTINCT {} AS v FROM __input ORDER BY v", AsText(node.col2())),
             node.input()));
  std::string items = fmt::format("{} AS {}", AsText(node.col1()),
                                  QuoteIdentifier(node.col1() + "_" + node.col2()));
  for (const ValueList& row : labels) {
    const std::string& label = row[0].As<std::string>();
    items += fmt::format(", count(CASE WHEN {} = {} THEN 1 END) AS {}", AsText(node.col2()),
                         PrintString(label), QuoteIdentifier(label));
  }
  return FromText(fmt::format("SELECT {} FROM __input GROUP BY {}", items, AsText(node.col1())),
                  node.input());
}

Result<PlanTranslator::Built> PlanTranslator::Correlated(const Rel& input,
                                                         std::string_view function,
                                                         std::string_view label,
                                                         const std::string& a,
                                                         const std::string& b) {
  return FromText(
      fmt::format("SELECT {}(CAST({} AS DOUBLE), CAST({} AS DOUBLE)) AS {} FROM __input", function,
                  QuoteIdentifier(a), QuoteIdentifier(b), label),
      input);
}

// Exact, which every relative error allows.
Result<PlanTranslator::Built> PlanTranslator::Quantiles(const connect::StatApproxQuantile& node) {
  std::vector<std::string> columns;
  for (const std::string& name : node.cols()) {
    std::string number = fmt::format("CAST({} AS DOUBLE)", QuoteIdentifier(name));
    std::vector<std::string> points;
    for (double probability : node.probabilities())
      points.push_back(fmt::format(
          "percentile_disc({}D) WITHIN GROUP (ORDER BY CASE WHEN NOT isnan({}) THEN {} END)",
          probability, number, number));
    columns.push_back(fmt::format("CASE WHEN count({}) > 0 THEN array({}) ELSE array() END",
                                  QuoteIdentifier(name), Join(points, ", ")));
  }
  return FromText(
      fmt::format("SELECT array({}) AS approx_quantile FROM __input", Join(columns, ", ")),
      node.input());
}

Result<PlanTranslator::Built> PlanTranslator::FrequentItems(const connect::StatFreqItems& node) {
  const double support = node.has_support() ? node.support() : 0.01;
  if (support < 1e-4 || support > 1)
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("requirement failed: Support must be in [1e-4, 1], but got {}.", support),
        "IllegalArgumentException");
  std::vector<std::string> columns;
  for (const std::string& name : node.cols()) {
    columns.push_back(
        fmt::format("(SELECT collect_list(v) FROM (SELECT {0} AS v FROM __input GROUP BY {0} "
                    "HAVING count(*) >= "
                    "{1}D * (SELECT count(*) FROM __input))) AS {2}",
                    QuoteIdentifier(name), support, QuoteIdentifier(name + "_freqItems")));
  }
  return FromText("SELECT " + Join(columns, ", "), node.input());
}

Result<PlanTranslator::Built> PlanTranslator::SampledBy(const connect::StatSampleBy& node) {
  ASSIGN_OR_RETURN(ExprPtr column, Expression(node.col()));
  sql::Case fraction;
  for (const auto& stratum : node.fractions()) {
    ASSIGN_OR_RETURN(ExprPtr value, Literal(stratum.stratum()));
    fraction.whens.push_back(
        {MakeNode(sql::BinaryOp{sql::BinaryOperator::kEq, column, std::move(value)}),
         MakeNode(sql::Literal{Value(stratum.fraction()), sql::TypeKind::kDouble})});
  }
  fraction.otherwise = MakeNode(sql::Literal{Value(0.0), sql::TypeKind::kDouble});
  sql::FunctionCall random;
  random.name = {"rand"};
  if (node.has_seed())
    random.args.push_back(
        {{},
         MakeNode(sql::Literal{Value(static_cast<int64_t>(node.seed())), sql::TypeKind::kBigInt})});
  ASSIGN_OR_RETURN(sql::Select select, SelectFrom(node.input()));
  select.where = MakeNode(sql::BinaryOp{sql::BinaryOperator::kLt, MakeNode(std::move(random)),
                                        MakeNode(std::move(fraction))});
  return Built{QueryOf(std::move(select)), {}};
}

// Each row as often as a Poisson variable of the fraction says, found from one random number.
Result<PlanTranslator::Built> PlanTranslator::SampledWithReplacement(const connect::Sample& node) {
  const double mean = node.upper_bound() - node.lower_bound();
  double probability = std::exp(-mean), below = probability;
  std::string times = "CASE";
  for (int k = 0; k == 0 || (below < 1 - 1e-9 && k < 100); ++k) {
    times += fmt::format(" WHEN __u < {}D THEN {}", below, k);
    probability *= mean / (k + 1);
    below += probability;
  }
  times += " ELSE 0 END";
  std::string seed = node.has_seed() ? std::to_string(node.seed()) : "";
  return FromText(fmt::format("SELECT * EXCEPT (__u, __one) FROM (SELECT *, rand({}) AS __u FROM "
                              "__input) LATERAL VIEW explode(array_repeat(1, {})) AS __one",
                              seed, times),
                  node.input());
}

// A part of randomSplit: rows in an order of their own, each with a number of its place, so that
// the parts of one seed share no row.
Result<PlanTranslator::Built> PlanTranslator::Split(const connect::Sample& node) {
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, ColumnsOf(node.input()));
  std::vector<std::string> order = {"1"};
  for (const plan::Column& column : columns)
    if (!column.type.is_nested()) order.push_back(QuoteIdentifier(column.name));
  return FromText(
      fmt::format(
          "SELECT * EXCEPT (__u) FROM (SELECT *, pmod(xxhash64(row_number() OVER (ORDER BY "
          "{}), {}L), 9007199254740992L) / 9007199254740992D AS __u FROM __input) WHERE __u "
          ">= {}D AND __u < {}D",
          Join(order, ", "), node.seed(), node.lower_bound(), node.upper_bound()),
      node.input());
}

// Columns become rows; the values of one column, the first by default, name the new columns.
Result<PlanTranslator::Built> PlanTranslator::Transposed(const connect::Transpose& node) {
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, ColumnsOf(node.input()));
  std::string index = columns.empty() ? "" : QuoteIdentifier(columns[0].name);
  if (node.index_columns_size() > 0) {
    ASSIGN_OR_RETURN(ExprPtr named, Expression(node.index_columns(0)));
    index = sql::PrintExpression(*named);
  }
  ASSIGN_OR_RETURN(
      std::vector<ValueList> labels,
      RowsOf(
          fmt::format("SELECT CAST({0} AS STRING) FROM __input WHERE {0} IS NOT NULL ORDER BY {0}",
                      index),
          node.input()));
  std::vector<std::string> rows;
  for (const plan::Column& column : columns) {
    if (QuoteIdentifier(column.name) == index) continue;
    std::string row = "'key', " + PrintString(column.name);
    for (const ValueList& label : labels) {
      std::string text = PrintString(label[0].As<std::string>());
      row += fmt::format(", {}, max(CASE WHEN CAST({} AS STRING) = {} THEN {} END)", text, index,
                         text, QuoteIdentifier(column.name));
    }
    rows.push_back("named_struct(" + row + ")");
  }
  return FromText(fmt::format("SELECT inline(rows) FROM (SELECT array({}) AS rows FROM __input)",
                              Join(rows, ", ")),
                  node.input());
}

Result<PlanTranslator::Built> PlanTranslator::Observed(const R& relation) {
  const connect::CollectMetrics& node = relation.collect_metrics();
  ASSIGN_OR_RETURN(sql::Select metrics, SelectFrom(node.input()));
  ASSIGN_OR_RETURN(metrics.items, Items(node.metrics()));
  observations_.push_back({node.name(), relation.common().plan_id(), QueryOf(std::move(metrics))});
  return Build(node.input());
}

// Of the relations that are left, those that are known.
Result<PlanTranslator::Built> PlanTranslator::Statistic(const Rel& relation) {
  switch (relation.rel_type_case()) {
    case R::kSummary: {
      const auto& given = relation.summary().statistics();
      return Summarized(relation.summary().input(), {given.begin(), given.end()}, {});
    }
    case R::kDescribe: {
      const auto& given = relation.describe().cols();
      return Summarized(relation.describe().input(), {"count", "mean", "stddev", "min", "max"},
                        {given.begin(), given.end()});
    }
    case R::kCrosstab:
      return CrossTab(relation.crosstab());
    case R::kCov:
      return Correlated(relation.cov().input(), "covar_samp", "cov", relation.cov().col1(),
                        relation.cov().col2());
    case R::kCorr:
      return Correlated(relation.corr().input(), "corr", "corr", relation.corr().col1(),
                        relation.corr().col2());
    case R::kApproxQuantile:
      return Quantiles(relation.approx_quantile());
    case R::kFreqItems:
      return FrequentItems(relation.freq_items());
    case R::kSampleBy:
      return SampledBy(relation.sample_by());
    case R::kSample:
      return relation.sample().with_replacement() ? SampledWithReplacement(relation.sample())
                                                  : Split(relation.sample());
    case R::kTranspose:
      return Transposed(relation.transpose());
    case R::kCollectMetrics:
      return Observed(relation);
    case R::kParse:
      return Parsed(relation.parse());
    default:
      break;
  }
  const auto* field =
      relation.GetDescriptor()->FindFieldByNumber(static_cast<int>(relation.rel_type_case()));
  return Fail(NotSupported(field == nullptr ? "this relation" : "the relation " + field->name()));
}

}  // namespace iceblink::server
