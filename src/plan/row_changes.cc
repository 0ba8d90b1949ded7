#include "plan/row_changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/filters.h"
#include "plan/optimizer.h"
#include "plan/types.h"
#include "table/metadata_columns.h"

namespace iceblink::plan {

using sql::TypeKind;

RowChangeBuilder::RowChangeBuilder(QueryAnalyzer& analyzer, TableRef target,
                                   const std::string& alias)
    : analyzer_(analyzer), alias_(alias) {
  plan_.target = std::move(target);
  rules_.policy = analyzer.settings().store_assignment;
  rules_.by_name = true;
  rules_.case_sensitive = analyzer.settings().case_sensitive;
  rules_.table = "``";
  qualifier_ = {alias};
  if (alias.empty()) {
    qualifier_ = plan_.target.identifier;
    qualifier_.insert(qualifier_.begin(), plan_.target.catalog);
  }
}

Status RowChangeBuilder::ScanTarget() {
  ASSIGN_OR_RETURN(Relation relation, analyzer_.ScanTable({plan_.target, {}}, qualifier_));
  TableScan scan = *relation.plan->As<TableScan>();
  auto wanted = [](int32_t id) {
    return !table::IsReservedFieldId(id) || id == table::kFilePathId ||
           id == table::kRowPositionId || id == table::kSpecIdId || id == table::kRowIdId ||
           id == table::kLastUpdatedSequenceId;
  };
  std::erase_if(scan.columns, [&](const ScanColumn& column) { return !wanted(column.field_id); });
  std::vector<Column> output;
  for (const ScanColumn& column : scan.columns) output.push_back(column.column);
  for (const ScopeColumn& column : relation.scope.columns) {
    bool scanned = std::any_of(output.begin(), output.end(),
                               [&](const Column& c) { return c.id == column.column.id; });
    if (scanned) target_scope_.columns.push_back(column);
  }
  plan_.target_scan = MakePlan(std::move(scan), std::move(output));
  return {};
}

ExprContext RowChangeBuilder::ContextOver(const Scope& scope, const Env& env) const {
  ExprContext context;
  context.env = &env;
  context.scope = &scope;
  return context;
}

// ---- assignments
// ------------------------------------------------------------------------------------------------------

namespace {

// MERGE reports an unknown name with all columns in alphabetical order, without their qualifiers.
Error PlainUnresolved(const sql::Name& name, const Scope& scope, ErrorPosition at) {
  std::vector<std::string> names;
  for (const ScopeColumn* column : VisibleColumns(scope)) names.push_back(column->column.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<sql::Name> candidates;
  for (const std::string& column : names) candidates.push_back({column});
  return WithoutPlan(
      UnresolvedColumnError(name, candidates, false, sql::Position{at.line, at.column, 0, 0}));
}

bool IsDefault(const sql::ExprPtr& expr) {
  const auto* column = expr->As<sql::NamedColumn>();
  return column != nullptr && column->parts.size() == 1 &&
         EqualsIgnoreCase(column->parts[0], "default");
}

}  // namespace

Result<sql::Name> RowChangeBuilder::FieldPath(const sql::Name& name, const sql::Position& at,
                                              bool plain) const {
  ErrorPosition position = ToErrorPosition(at);
  Scope fields = target_scope_;
  std::erase_if(fields.columns, [](const ScopeColumn& column) { return column.metadata; });
  ASSIGN_OR_RETURN(auto match, analyzer_.names().Find(fields, name, position));
  if (!match)
    return Fail(plain ? PlainUnresolved(name, fields, position)
                      : UnresolvedColumn(name, fields, position));
  sql::Name path = {match->column->column.name};
  const DataType* type = &match->column->column.type;
  for (size_t i = match->used_parts; i < name.size(); ++i) {
    const sql::StructField* found = nullptr;
    if (type->kind() == TypeKind::kStruct)
      for (const sql::StructField& field : type->fields())
        if (analyzer_.names().Same(field.name, name[i])) found = &field;
    if (found == nullptr)
      return Fail(plain ? PlainUnresolved(name, fields, position)
                        : UnresolvedColumn(name, fields, position));
    path.push_back(found->name);
    type = &found->type;
  }
  return path;
}

Result<TypedExpr> RowChangeBuilder::ValueOf(const sql::Assignment& assignment, const Scope& scope,
                                            const Env& env, const Scope* suggestions) {
  auto typed = analyzer_.Expression(*assignment.value, ContextOver(scope, env));
  if (typed) {
    if (ContainsAggregate(typed->expr) || ContainsWindow(typed->expr))
      return Raise("UNSUPPORTED_EXPR_FOR_OPERATOR",
                   {{"invalidExprSqls", InDoubleQuotes(typed->text)}}, ErrorPosition{1, 0});
    return typed;
  }
  const auto* column = assignment.value->As<sql::NamedColumn>();
  if (suggestions == nullptr || column == nullptr ||
      !typed.error().condition.starts_with("UNRESOLVED_COLUMN"))
    return Fail(typed.error());
  return Fail(
      PlainUnresolved(column->parts, *suggestions, ToErrorPosition(assignment.value->position)));
}

Result<RowChangeBuilder::Target> RowChangeBuilder::ResolveTarget(const sql::Assignment& assignment,
                                                                 const Scope& scope, const Env& env,
                                                                 bool plain,
                                                                 const Scope* suggestions) {
  Target target;
  ASSIGN_OR_RETURN(target.path, FieldPath(assignment.column, assignment.position, plain));
  if (IsDefault(assignment.value) && target.path.size() == 1) {
    const spec::NestedField* field = plan_.target.schema->FindField(target.path[0]);
    ASSIGN_OR_RETURN(DataType type, ToSparkType(field->type));
    target.value = field->write_default ? MakeLiteral(*field->write_default, type) : MakeNull(type);
    target.text = "DEFAULT";
    return target;
  }
  ASSIGN_OR_RETURN(TypedExpr value, ValueOf(assignment, scope, env, suggestions));
  target.value = value.expr;
  target.text = value.text;
  return target;
}

Status RowChangeBuilder::CheckConflicts(const std::vector<Target>& targets) const {
  std::vector<std::string> assignments, errors;
  for (const Target& target : targets)
    assignments.push_back(
        InDoubleQuotes(fmt::format("{} = {}", iceblink::Join(target.path, "."), target.text)));
  for (size_t i = 0; i < targets.size(); ++i) {
    std::vector<std::string> values = {targets[i].text};
    bool nested = false;
    for (size_t j = 0; j < targets.size(); ++j) {
      if (j == i) continue;
      const auto &a = targets[i].path, &b = targets[j].path;
      if (a == b && j > i) values.push_back(targets[j].text);
      if (a == b && j < i) values.clear();
      if (a.size() < b.size() && std::equal(a.begin(), a.end(), b.begin())) nested = true;
      if (values.empty()) break;
    }
    std::string name = iceblink::Join(targets[i].path, ".");
    if (values.size() > 1)
      errors.push_back(
          fmt::format("- Multiple assignments for '{}': {}", name, iceblink::Join(values, ", ")));
    if (nested) errors.push_back(fmt::format("- Conflicting assignments for '{}'", name));
  }
  if (errors.empty()) return {};
  return Raise("DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS",
               {{"sqlExpr", iceblink::Join(assignments, ", ")},
                {"errors", "\n" + iceblink::Join(errors, "\n")}});
}

// Puts assignments to fields below `current` (a struct) into a copy of it.
Result<ExprPtr> RowChangeBuilder::Nested(const ExprPtr& current, const DataType& type, size_t depth,
                                         const std::vector<const Target*>& targets) {
  std::vector<ExprPtr> args;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    const sql::StructField& field = type.fields()[i];
    std::vector<const Target*> inside;
    for (const Target* target : targets)
      if (target->path[depth] == field.name) inside.push_back(target);
    ExprPtr value = MakeCall("get_struct_field",
                             {current, MakeInt(static_cast<int32_t>(i)), MakeString(field.name)},
                             field.type, field.nullable || current->nullable);
    if (inside.size() == 1 && inside[0]->path.size() == depth + 1) {
      value = inside[0]->value;
    } else if (!inside.empty()) {
      ASSIGN_OR_RETURN(value, Nested(value, field.type, depth + 1, inside));
    }
    args.push_back(MakeString(field.name));
    args.push_back(std::move(value));
  }
  std::vector<sql::StructField> fields = type.fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i].type = args[i * 2 + 1]->type;
    fields[i].nullable = args[i * 2 + 1]->nullable;
  }
  return MakeCall("named_struct", std::move(args), DataType::Struct(std::move(fields)), false);
}

Result<std::vector<ExprPtr>> RowChangeBuilder::Updated(
    const std::vector<sql::Assignment>& assignments, const Scope& scope, const Env& env,
    const Scope* suggestions) {
  std::vector<Target> targets;
  for (const sql::Assignment& assignment : assignments) {
    ASSIGN_OR_RETURN(Target target,
                     ResolveTarget(assignment, scope, env, suggestions != nullptr, suggestions));
    targets.push_back(std::move(target));
  }
  RETURN_IF_ERROR(CheckConflicts(targets));
  std::vector<ExprPtr> values;
  const auto& fields = plan_.target.schema->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const Column& column = plan_.target_scan->output[i];
    std::vector<const Target*> mine;
    for (const Target& target : targets)
      if (target.path[0] == fields[i].name) mine.push_back(&target);
    if (mine.empty()) {
      values.push_back(MakeColumn(column));
      continue;
    }
    ExprPtr value = mine[0]->value;
    if (mine[0]->path.size() > 1) {
      ASSIGN_OR_RETURN(value, Nested(MakeColumn(column), column.type, 1, mine));
    }
    ASSIGN_OR_RETURN(value, AssignTo(fields[i], value, rules_));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::vector<ExprPtr>> RowChangeBuilder::Inserted(
    const std::vector<sql::Assignment>& assignments, const Scope& scope, const Env& env) {
  std::vector<Target> targets;
  for (const sql::Assignment& assignment : assignments) {
    ASSIGN_OR_RETURN(Target target, ResolveTarget(assignment, scope, env, true, &scope));
    targets.push_back(std::move(target));
  }
  RETURN_IF_ERROR(CheckConflicts(targets));
  std::vector<ExprPtr> values;
  for (const spec::NestedField& field : plan_.target.schema->fields()) {
    auto it = std::find_if(targets.begin(), targets.end(),
                           [&](const Target& t) { return t.path[0] == field.name; });
    if (it == targets.end()) {
      ASSIGN_OR_RETURN(ExprPtr value, DefaultOf(field, rules_));
      values.push_back(std::move(value));
      continue;
    }
    ASSIGN_OR_RETURN(ExprPtr value, AssignTo(field, it->value, rules_));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::vector<ExprPtr>> RowChangeBuilder::FromSource(const Scope& source, Missing missing) {
  std::vector<ExprPtr> values;
  for (const spec::NestedField& field : plan_.target.schema->fields()) {
    ASSIGN_OR_RETURN(auto match, analyzer_.names().Find(source, {field.name}, ErrorPosition{1, 0}));
    if (!match && missing == Missing::kError)
      return Fail(PlainUnresolved({field.name}, source, ErrorPosition{1, 0}));
    ExprPtr own;
    if (missing == Missing::kKeeps) {
      ASSIGN_OR_RETURN(auto found, analyzer_.names().Find(target_scope_, {field.name}, {}));
      if (found) own = MakeColumn(found->column->column);
    }
    if (!match && own) {
      values.push_back(own);
      continue;
    }
    if (!match) {
      ASSIGN_OR_RETURN(ExprPtr value, DefaultOf(field, rules_));
      values.push_back(std::move(value));
      continue;
    }
    ASSIGN_OR_RETURN(ExprPtr value,
                     AssignTo(field, MakeColumn(match->column->column), rules_, own));
    values.push_back(std::move(value));
  }
  return values;
}

// ---- pruning
// ----------------------------------------------------------------------------------------------------------

void RowChangeBuilder::Prune() {
  const auto& scan = *plan_.target_scan->As<TableScan>();
  IcebergFilter filter = ToIcebergFilter(plan_.condition, NamesOf(scan), analyzer_.settings());
  plan_.target_filter = filter.filter;
  plan_.filter_is_exact = filter.exact;
  // A row that no source row matches may still change: then the condition says nothing about which
  // rows are read.
  if (!plan_.not_matched_by_source.empty()) {
    plan_.target_filter = expr::Expression::True();
    plan_.filter_is_exact = false;
  }
  TableScan pruned = scan;
  pruned.filter = plan_.target_filter;
  plan_.target_scan = MakePlan(std::move(pruned), plan_.target_scan->output);
}

void RowChangeBuilder::Finish() {
  const SessionSettings& settings = analyzer_.settings();
  plan_.condition = OptimizeSubqueries(plan_.condition, settings);
  for (auto* clauses : {&plan_.matched, &plan_.not_matched, &plan_.not_matched_by_source})
    for (RowClause& clause : *clauses) {
      clause.condition = OptimizeSubqueries(clause.condition, settings);
      for (ExprPtr& value : clause.values) value = OptimizeSubqueries(value, settings);
    }
  if (!plan_.source) return;
  std::vector<ExprPtr> used;
  auto add = [&](const std::vector<RowClause>& clauses) {
    for (const RowClause& clause : clauses) {
      if (clause.condition) used.push_back(clause.condition);
      used.insert(used.end(), clause.values.begin(), clause.values.end());
    }
  };
  if (plan_.condition) used.push_back(plan_.condition);
  add(plan_.matched);
  add(plan_.not_matched);
  add(plan_.not_matched_by_source);
  if (used.empty()) used.push_back(MakeBool(true));
  plan_.source = Optimize(plan_.source, used, analyzer_.settings());
}

}  // namespace iceblink::plan
