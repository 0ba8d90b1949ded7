#include "commit/entry_matcher.h"

#include <fmt/format.h>

namespace iceblink::commit {

Result<std::unique_ptr<EntryMatcher>> EntryMatcher::Make(const expr::Expression& filter,
                                                         const spec::Schema& schema,
                                                         const table::PartitionTypes& types,
                                                         bool case_sensitive) {
  std::unique_ptr<EntryMatcher> matcher(new EntryMatcher(filter, schema, case_sensitive));
  matcher->field_ids_ = expr::ReferencedFieldIds(filter, schema, case_sensitive);
  for (const auto& [id, entry] : types.entries()) {
    ASSIGN_OR_RETURN(auto manifest, expr::ManifestEvaluator::ForRowFilter(
                                        filter, schema, entry.spec, case_sensitive));
    ASSIGN_OR_RETURN(auto residual,
                     expr::ResidualEvaluator::Make(filter, schema, entry.spec, case_sensitive));
    matcher->specs_.emplace(id, PerSpec{std::move(manifest), std::move(residual)});
  }
  return matcher;
}

Result<const EntryMatcher::PerSpec*> EntryMatcher::SpecOf(int32_t spec_id) const {
  auto it = specs_.find(spec_id);
  if (it != specs_.end()) return &it->second;
  return Fail(ErrorCode::kCorrupt, fmt::format("Cannot find partition spec with ID {}", spec_id),
              "ValidationException");
}

Result<const EntryMatcher::Residual*> EntryMatcher::ResidualOf(const spec::DataFile& file) const {
  std::string key = table::PartitionKey(file.spec_id, file.partition);
  {
    std::lock_guard lock(mutex_);
    auto it = residuals_.find(key);
    if (it != residuals_.end()) return &it->second;
  }
  ASSIGN_OR_RETURN(const PerSpec* spec, SpecOf(file.spec_id));
  const expr::Expression residual = spec->residual.ResidualFor(file.partition);
  ASSIGN_OR_RETURN(auto inclusive,
                   expr::InclusiveMetricsEvaluator::Make(residual, schema_, case_sensitive_));
  ASSIGN_OR_RETURN(auto strict,
                   expr::StrictMetricsEvaluator::Make(residual, schema_, case_sensitive_));
  std::lock_guard lock(mutex_);
  return &residuals_.emplace(std::move(key), Residual{std::move(inclusive), std::move(strict)})
              .first->second;
}

Result<bool> EntryMatcher::ManifestMayMatch(const spec::ManifestFile& manifest) const {
  ASSIGN_OR_RETURN(const PerSpec* spec, SpecOf(manifest.spec_id));
  return spec->manifest.Eval(manifest);
}

Result<bool> EntryMatcher::MayMatch(const spec::DataFile& file) const {
  ASSIGN_OR_RETURN(const Residual* residual, ResidualOf(file));
  return residual->inclusive.Eval(file);
}

Result<bool> EntryMatcher::MustMatch(const spec::DataFile& file) const {
  ASSIGN_OR_RETURN(const Residual* residual, ResidualOf(file));
  return residual->strict.Eval(file);
}

}  // namespace iceblink::commit
