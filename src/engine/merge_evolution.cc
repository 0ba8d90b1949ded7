#include "engine/merge_evolution.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "commit/table_changes.h"
#include "engine/table_schema.h"

namespace iceblink::engine {
namespace {

using spec::NestedField;
using spec::Type;
using spec::TypeKind;

bool TakesWholeRows(const sql::Merge& merge) {
  return std::any_of(merge.clauses.begin(), merge.clauses.end(),
                     [](const sql::MergeClause& clause) {
                       return clause.action == sql::MergeClause::Action::kUpdateAll ||
                              clause.action == sql::MergeClause::Action::kInsertAll;
                     });
}

bool IsAssigned(const sql::Merge& merge, const std::string& column) {
  for (const sql::MergeClause& clause : merge.clauses) {
    for (const sql::Assignment& assignment : clause.assignments) {
      if (EqualsIgnoreCase(assignment.column.back(), column)) return true;
    }
  }
  return false;
}

// What is missing or too narrow, found by walking both schemas side by side.
class Evolution {
 public:
  struct Addition {
    std::string parent, name;
    Type type;
  };
  struct Widening {
    std::string name;
    Type type;
  };

  void CompareFields(const std::vector<NestedField>& target, const std::vector<NestedField>& source,
                     const std::string& parent) {
    for (const NestedField& field : source) {
      auto at = std::find_if(target.begin(), target.end(), [&](const NestedField& f) {
        return EqualsIgnoreCase(f.name, field.name);
      });
      if (at == target.end()) {
        additions_.push_back({parent, field.name, field.type});
      } else {
        CompareTypes(at->type, field.type, parent.empty() ? at->name : parent + "." + at->name);
      }
    }
  }

  bool empty() const { return additions_.empty() && widenings_.empty(); }

  Status Apply(spec::SchemaUpdate& update) const {
    for (const Addition& added : additions_)
      RETURN_IF_ERROR(update.AddColumn(added.parent, added.name, added.type));
    for (const Widening& widened : widenings_)
      RETURN_IF_ERROR(update.UpdateColumnType(widened.name, widened.type));
    return {};
  }

 private:
  void CompareTypes(const Type& target, const Type& source, const std::string& name) {
    if (target.Is(TypeKind::kStruct) && source.Is(TypeKind::kStruct)) {
      CompareFields(target.AsStruct().fields, source.AsStruct().fields, name);
    } else if (target.Is(TypeKind::kList) && source.Is(TypeKind::kList)) {
      CompareTypes(target.AsList().element.type, source.AsList().element.type, name + ".element");
    } else if (target.Is(TypeKind::kMap) && source.Is(TypeKind::kMap)) {
      CompareTypes(target.AsMap().value.type, source.AsMap().value.type, name + ".value");
    } else if (target != source && spec::IsPromotionAllowed(target, source)) {
      widenings_.push_back({name, source});
    }
  }

  std::vector<Addition> additions_;
  std::vector<Widening> widenings_;
};

}  // namespace

Status EvolveTarget(StatementScope& scope, const sql::Merge& merge) {
  ASSIGN_OR_RETURN(std::optional<TableHandle> target, scope.names.FindTable(merge.table));
  if (!target) return {};  // a branch, or an error that the analyzer will report
  const spec::TableMetadata& metadata = target->metadata();
  if (!EqualsIgnoreCase(metadata.Property("write.spark.auto-schema-evolution.enabled", "true"),
                        "true"))
    return {};
  // The merge itself is analyzed against the new schema: this analyzer only looks at the source.
  plan::Analyzer analyzer(scope.names);
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, analyzer.AnalyzeMergeSource(merge));
  ASSIGN_OR_RETURN(spec::Schema source, SchemaOfQuery(columns));
  std::vector<NestedField> reached = source.fields();
  if (!TakesWholeRows(merge)) {
    std::erase_if(reached,
                  [&](const NestedField& field) { return !IsAssigned(merge, field.name); });
  }
  Evolution evolution;
  evolution.CompareFields(metadata.schema().fields(), reached, "");
  if (evolution.empty()) return {};
  RETURN_IF_ERROR(
      commit::ChangeSchema(*target->catalog, target->id,
                           [&](spec::SchemaUpdate& update) { return evolution.Apply(update); }));
  scope.names.Forget();
  return {};
}

namespace {

bool WantsMergedSchema(StatementScope& scope, const sql::Insert& insert) {
  for (const auto& [key, value] : insert.options) {
    if (EqualsIgnoreCase(key, "mergeSchema") || EqualsIgnoreCase(key, "merge-schema"))
      return EqualsIgnoreCase(value, "true");
  }
  return scope.configuration().GetBool("spark.sql.iceberg.merge-schema", false);
}

}  // namespace

Result<bool> MergeWriteSchema(StatementScope& scope, const sql::Insert& insert) {
  if (!WantsMergedSchema(scope, insert)) return false;
  plan::RelationRequest request{insert.table, {}, {}, {}, true};
  ASSIGN_OR_RETURN(auto relation, scope.names.Resolve(request));
  const auto* data = relation ? std::get_if<plan::DataTable>(&*relation) : nullptr;
  if (data == nullptr) return false;  // an error that the analyzer will report
  const std::string any = data->table.metadata->Property("write.spark.accept-any-schema", "false");
  if (!EqualsIgnoreCase(any, "true")) return false;
  plan::Analyzer analyzer(scope.names);
  ASSIGN_OR_RETURN(plan::PlanPtr source, analyzer.AnalyzeQuery(*insert.query));
  ASSIGN_OR_RETURN(spec::Schema incoming, SchemaOfQuery(source->output));
  ASSIGN_OR_RETURN(TableHandle target, scope.names.HandleOf(data->table));
  RETURN_IF_ERROR(commit::ChangeSchema(*target.catalog, target.id, [&](spec::SchemaUpdate& update) {
    return update.UnionByNameWith(incoming);
  }));
  scope.names.Forget();
  return true;
}

}  // namespace iceblink::engine
