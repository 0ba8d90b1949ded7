// Messages of server-side scan planning as plain values with JSON: filters, content files, scan
// tasks. Names are those of the OpenAPI document; content files are written as Java's
// ContentFileParser does (bounds as hexadecimal text of their binary form).
//
// Everything is a value: safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "expr/expression.h"
#include "spec/manifest.h"
#include "spec/partition_spec.h"
#include "spec/schema.h"

namespace iceblink::catalog::rest {

// {"type": "eq", "term": "id", "value": 5}, {"type": "and", "left": ..., "right": ...}, true.
// Literals keep the form that JSON has; Bind converts them. kCorrupt names what does not parse.
Result<expr::Expression> ExpressionFromJson(const Json& json);
// Of an unbound or bound expression; literals as single values of the term's type where bound.
Json ToJson(const expr::Expression& expression);

struct PlanTableScanRequest {
  std::optional<int64_t> snapshot_id;
  std::optional<int64_t> start_snapshot_id;  // exclusive
  std::optional<int64_t> end_snapshot_id;    // inclusive
  std::vector<std::string> select;
  expr::Expression filter;
  bool case_sensitive = true;
  bool use_snapshot_schema = false;
  std::vector<std::string> stats_fields;
};
// kCorrupt also for snapshot ids that exclude each other.
Result<PlanTableScanRequest> PlanTableScanRequestFromJson(const Json& json);

// `schema` gives the types of partition values.
Json ContentFileToJson(const spec::DataFile& file, const spec::PartitionSpec& spec,
                       const spec::Schema& schema);

}  // namespace iceblink::catalog::rest
