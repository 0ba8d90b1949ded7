// In which order rewrite_data_files writes rows: as they are, by a sort order, or by Z-order. A
// plain value that the procedure's arguments choose and that sorts a plan of a table's rows.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/procedures.h"
#include "engine/rewrite_planning.h"
#include "plan/logical_plan.h"
#include "spec/sort_order.h"

namespace iceblink::engine {

struct AsTheyAre {};
struct Zorder {
  std::vector<std::string> columns;  // as written; identity partition columns left out
};
using RewriteOrder = std::variant<AsTheyAre, spec::SortOrder, Zorder>;

// Reads `strategy` and `sort_order`. Errors: IllegalArgumentException "unsupported strategy: ...",
// "Cannot set rewrite mode, ...", "Cannot sort data without a valid sort order, ...", "Unable to
// parse sortOrder: ...", those of a Z-order's columns.
Result<RewriteOrder> ChooseRewriteOrder(const ProcedureCall& call, const TableHandle& table);

// As messages name it: BIN-PACK, SORT, Z-ORDER.
std::string_view RewriterName(const RewriteOrder& order);

// Sorts `scan`, whose columns are the schema's. Errors: FIELD_NOT_FOUND and "Cannot use column ...
// in ZOrdering, the type is unsupported" for a Z-order's columns.
Result<plan::PlanPtr> Sorted(plan::PlanPtr scan, const RewriteOrder& order,
                             const RewriteOptions& options, const spec::Schema& schema);

}  // namespace iceblink::engine
