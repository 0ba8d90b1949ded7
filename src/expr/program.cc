// Compilation of filters to flat programs.
#include <algorithm>

#include "expr/evaluate.h"

namespace iceblink::expr::internal {
namespace {

// Returns the positions that lead from the root struct to the field; empty when a list or map lies
// between.
std::vector<int32_t> PathTo(const spec::Schema& schema, int32_t field_id) {
  std::vector<int32_t> ids = {field_id};
  for (auto parent = schema.ParentId(field_id); parent; parent = schema.ParentId(*parent))
    ids.push_back(*parent);
  std::vector<int32_t> path;
  const std::vector<spec::NestedField>* level = &schema.fields();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    auto it = std::find_if(level->begin(), level->end(),
                           [&](const spec::NestedField& f) { return f.id == *id; });
    if (it == level->end()) return {};
    path.push_back(static_cast<int32_t>(it - level->begin()));
    if (*id == field_id) return path;
    if (!it->type.Is(spec::TypeKind::kStruct)) return {};
    level = &it->type.AsStruct().fields;
  }
  return path;
}

int32_t Add(const Expression& e, const spec::Schema& schema, Program& program) {
  Step step;
  step.op = e.op();
  if (e.op() == Op::kAnd || e.op() == Op::kOr) {
    step.left = Add(e.left(), schema, program);
    step.right = Add(e.right(), schema, program);
  } else if (e.is_predicate()) {
    const Term& term = e.term();
    step.field_id = term.field_id;
    step.path = PathTo(schema, term.field_id);
    step.transform = term.transform;
    step.source_type = term.source_type;
    step.type = term.type;
    step.required = term.required;
    step.literals = e.literals();
    std::sort(step.literals.begin(), step.literals.end(),
              [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
  }
  program.steps.push_back(std::move(step));
  return static_cast<int32_t>(program.steps.size()) - 1;
}

}  // namespace

Result<Program> Compile(const Expression& filter, const spec::Schema& schema, bool case_sensitive) {
  ASSIGN_OR_RETURN(Expression bound, Bind(RewriteNot(filter), schema, case_sensitive));
  Program program;
  Add(bound, schema, program);
  return program;
}

}  // namespace iceblink::expr::internal
