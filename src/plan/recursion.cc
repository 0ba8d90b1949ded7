// WITH RECURSIVE: `anchor UNION ALL step`, where the step reads the rows of the round before.
//
// A use of the CTE is analyzed in two parts. While the anchor is, the CTE's own name has no columns
// and is refused; while the step is, it stands for the anchor's columns.
#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {
namespace {

Error Invalid() { return MakeError("INVALID_RECURSIVE_CTE", {}); }

bool IsUnion(const sql::Query& query) {
  const auto* operation = std::get_if<sql::SetOperation>(&query.body->node);
  return operation != nullptr && operation->op == sql::SetOperator::kUnion &&
         query.order_by.empty() && query.sort_by.empty() && query.limit == nullptr &&
         query.offset == nullptr;
}

// Whether rows of the round before reach `plan`; `misplaced` says whether a node between takes them
// as a whole, so that no round could be computed by itself.
bool Reads(const PlanPtr& plan, uint32_t loop, bool& misplaced) {
  if (const auto* read = plan->As<RecursiveRead>()) return read->loop == loop;
  if (const auto* join = plan->As<Join>()) {
    const bool left = Reads(join->left, loop, misplaced);
    const bool right = Reads(join->right, loop, misplaced);
    switch (join->type) {
      case JoinType::kInner:
      case JoinType::kCross:
        break;
      case JoinType::kLeftOuter:
      case JoinType::kLeftSemi:
      case JoinType::kLeftAnti:
        misplaced |= right;
        break;
      case JoinType::kRightOuter:
        misplaced |= left;
        break;
      case JoinType::kFullOuter:
        misplaced |= left || right;
        break;
    }
    return left || right;
  }
  bool any = false;
  for (const PlanPtr& input : Inputs(*plan)) any |= Reads(input, loop, misplaced);
  misplaced |= any && (plan->As<Aggregate>() || plan->As<Window>() || plan->As<Sort>());
  return any;
}

// The step's columns in the anchor's types, which the rounds cannot widen.
Result<std::vector<DataType>> RoundTypes(const PlanPtr& anchor, const PlanPtr& step, bool ansi) {
  if (anchor->output.size() != step->output.size()) {
    return Raise("NUM_COLUMNS_MISMATCH",
                 {{"operator", "UNION"},
                  {"firstNumColumns", std::to_string(anchor->output.size())},
                  {"invalidOrdinalNum", "second"},
                  {"invalidNumColumns", std::to_string(step->output.size())}},
                 ErrorPosition{1, 0});
  }
  std::vector<DataType> types;
  for (size_t i = 0; i < anchor->output.size(); ++i) {
    const DataType &wanted = anchor->output[i].type, &given = step->output[i].type;
    const auto common = CommonType(wanted, given, ansi);
    if (!common || !DataType::EqualsIgnoringNullability(*common, wanted)) {
      return Raise("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
                   {{"left", InDoubleQuotes(wanted.SqlString())},
                    {"right", InDoubleQuotes(given.SqlString())}});
    }
    types.push_back(wanted);
  }
  return types;
}

}  // namespace

Result<PlanPtr> QueryAnalyzer::RecursiveCte(const CteFrame& frame) {
  const sql::Cte& cte = *frame.cte;
  Recursion recursion;
  recursion.loop = NextId();
  Env env = *frame.env;
  env.ctes = std::make_shared<const CteFrame>(
      CteFrame{frame.cte, frame.env, frame.env->ctes, true, &recursion});
  if (!IsUnion(*cte.query)) return Query(*cte.query, env);
  const auto& operation = std::get<sql::SetOperation>(cte.query->body->node);
  ASSIGN_OR_RETURN(const Env inner, WithCtes(cte.query->ctes, env, cte.query->recursive));
  auto side = [&](const sql::QueryTermPtr& term) -> Result<PlanPtr> {
    sql::Query query;
    query.body = term;
    return Query(query, inner);
  };
  ASSIGN_OR_RETURN(const PlanPtr anchor, side(operation.left));
  if (!cte.columns.empty() && cte.columns.size() != anchor->output.size()) {
    return Raise("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(anchor->output.size())},
                                               {"numExpr", std::to_string(cte.columns.size())}});
  }
  recursion.columns = anchor->output;
  for (size_t i = 0; i < cte.columns.size(); ++i) recursion.columns[i].name = cte.columns[i];
  recursion.known = true;
  ASSIGN_OR_RETURN(PlanPtr step, side(operation.right));
  if (!recursion.used) return Query(*cte.query, env);
  if (!operation.all) return Raise("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE", {}, ErrorPosition{1, 0});
  bool misplaced = false;
  Reads(step, recursion.loop, misplaced);
  if (misplaced) return Raise("INVALID_RECURSIVE_REFERENCE.PLACE", {});
  ASSIGN_OR_RETURN(const std::vector<DataType> types, RoundTypes(anchor, step, settings_.ansi));
  std::vector<Column> output;
  for (const Column& column : anchor->output)
    output.push_back(NewColumn(column.name, column.type, true));
  RecursiveUnion rounds{recursion.loop, anchor, CastColumns(step, types, cast_mode()),
                        cte.max_level.value_or(settings_.recursion_levels),
                        settings_.recursion_rows};
  return MakePlan(std::move(rounds), std::move(output));
}

Result<PlanPtr> QueryAnalyzer::ReadRound(Recursion& recursion) {
  if (!recursion.known) return Fail(Invalid());
  recursion.used = true;
  std::vector<Column> output;
  for (const Column& column : recursion.columns)
    output.push_back(NewColumn(column.name, column.type, true));
  return MakePlan(RecursiveRead{recursion.loop}, std::move(output));
}

}  // namespace iceblink::plan
