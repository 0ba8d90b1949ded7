// A row filter compiled against every spec of a table: which manifests and files can hold rows that
// match, and which files hold nothing else.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "expr/evaluate.h"
#include "table/partition_types.h"

namespace iceblink::commit {

// Safe from several threads after Make.
class EntryMatcher {
 public:
  // `types` outlives the matcher. Error: ValidationException of binding the filter.
  static Result<std::unique_ptr<EntryMatcher>> Make(const expr::Expression& filter,
                                                    const spec::Schema& schema,
                                                    const table::PartitionTypes& types,
                                                    bool case_sensitive);

  const expr::Expression& filter() const { return filter_; }
  // The columns whose metrics MayMatch and MustMatch read.
  const std::set<int32_t>& field_ids() const { return field_ids_; }

  // Returns false only when no file of the manifest can match.
  Result<bool> ManifestMayMatch(const spec::ManifestFile& manifest) const;
  // Returns false only when no row of the file can match; by partition tuple, then by metrics.
  Result<bool> MayMatch(const spec::DataFile& file) const;
  // Returns true only when all rows of the file match.
  Result<bool> MustMatch(const spec::DataFile& file) const;

 private:
  struct Residual {
    expr::InclusiveMetricsEvaluator inclusive;
    expr::StrictMetricsEvaluator strict;
  };
  struct PerSpec {
    expr::ManifestEvaluator manifest;
    expr::ResidualEvaluator residual;
  };
  EntryMatcher(expr::Expression filter, spec::Schema schema, bool case_sensitive)
      : filter_(std::move(filter)), schema_(std::move(schema)), case_sensitive_(case_sensitive) {}
  Result<const PerSpec*> SpecOf(int32_t spec_id) const;
  Result<const Residual*> ResidualOf(const spec::DataFile& file) const;

  expr::Expression filter_;
  spec::Schema schema_;
  bool case_sensitive_;
  std::set<int32_t> field_ids_;
  std::map<int32_t, PerSpec> specs_;
  mutable std::mutex mutex_;  // guards the map only; its nodes stay
  mutable std::unordered_map<std::string, Residual> residuals_;
};

}  // namespace iceblink::commit
