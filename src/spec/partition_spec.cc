#include "spec/partition_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "spec/single_value.h"

namespace iceblink::spec {
namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}
auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

// Names of one spec: not empty, not twice, and not a schema column unless it is the field's own
// source.
Status CheckName(const PartitionField& field, const Schema& schema, std::set<std::string>& names,
                 bool case_sensitive) {
  const NestedField* column = schema.FindField(field.name, case_sensitive);
  if (column != nullptr && column->id != field.source_id) {
    return field.transform.is_identity()
               ? Invalid(
                     "Cannot create identity partition sourced from different field in schema: " +
                     field.name)
               : Invalid("Cannot create partition from name that exists in schema: " + field.name);
  }
  if (field.name.empty()) return Invalid("Cannot use empty partition name: ");
  if (!names.insert(field.name).second)
    return Invalid("Cannot use partition name more than once: " + field.name);
  return {};
}

Status CheckSource(const PartitionField& field, const Schema& schema) {
  const Type* source = schema.FindType(field.source_id);
  if (source == nullptr)
    return NotValid("Cannot find source column for partition field: " + field.ToString());
  if (!source->is_primitive())
    return NotValid("Cannot partition by non-primitive source field: " + source->ToString());
  if (!field.transform.CanTransform(*source)) {
    return NotValid(fmt::format("Invalid source type {} for transform: {}", source->ToString(),
                                field.transform.ToString()));
  }
  for (auto parent = schema.ParentId(field.source_id); parent; parent = schema.ParentId(*parent)) {
    const Type* type = schema.FindType(*parent);
    if (!type->Is(TypeKind::kStruct))
      return NotValid("Invalid partition field parent: " + type->ToString());
  }
  return {};
}

bool Equivalent(const PartitionField& a, const PartitionField& b) {
  return a.field_id == b.field_id && a.source_id == b.source_id &&
         (a.transform == b.transform || a.transform.is_void() || b.transform.is_void());
}

// Builds the struct of the wanted field ids over all specs, newest names first.
Result<StructType> Project(std::string_view what, const Schema& schema,
                           std::span<const PartitionSpec> specs, const std::set<int32_t>& wanted) {
  struct Seen {
    PartitionField field;
    NestedField column;
  };
  std::map<int32_t, Seen> seen;
  std::vector<const PartitionSpec*> newest_first;
  for (const PartitionSpec& spec : specs) newest_first.push_back(&spec);
  std::stable_sort(newest_first.begin(), newest_first.end(),
                   [](const auto* a, const auto* b) { return a->spec_id > b->spec_id; });
  for (const PartitionSpec* spec : newest_first) {
    StructType type = PartitionType(*spec, schema);
    for (size_t i = 0; i < spec->fields.size(); ++i) {
      const PartitionField& field = spec->fields[i];
      if (field.transform.Is(TransformKind::kUnknown)) {
        return NotValid(fmt::format("Cannot build {} type, unknown transforms: [{}]", what,
                                    field.transform.ToString()));
      }
      if (!wanted.contains(field.field_id)) continue;
      auto [it, fresh] = seen.try_emplace(field.field_id, Seen{field, type.fields[i]});
      if (fresh) continue;
      if (!Equivalent(field, it->second.field)) {
        return NotValid(fmt::format("Conflicting partition fields: ['{}', '{}']", field.ToString(),
                                    it->second.field.ToString()));
      }
      if (it->second.field.transform.is_void() && !field.transform.is_void()) {
        it->second.field = field;
        it->second.column.type = type.fields[i].type;
      }
    }
  }
  StructType out;
  for (auto& [id, entry] : seen) out.fields.push_back(std::move(entry.column));
  return out;
}

}  // namespace

std::string PartitionField::ToString() const {
  return fmt::format("{}: {}: {}({})", field_id, name, transform.ToString(), source_id);
}

bool PartitionSpec::is_unpartitioned() const {
  return std::all_of(fields.begin(), fields.end(),
                     [](const PartitionField& f) { return f.transform.is_void(); });
}

int32_t PartitionSpec::LastAssignedFieldId() const {
  int32_t last = kPartitionDataIdStart - 1;
  for (const PartitionField& field : fields) last = std::max(last, field.field_id);
  return last;
}

bool PartitionSpec::CompatibleWith(const PartitionSpec& other) const {
  return std::equal(fields.begin(), fields.end(), other.fields.begin(), other.fields.end(),
                    [](const PartitionField& a, const PartitionField& b) {
                      return a.source_id == b.source_id && a.transform == b.transform &&
                             a.name == b.name;
                    });
}

const PartitionField* PartitionSpec::FieldById(int32_t field_id) const {
  auto it = std::find_if(fields.begin(), fields.end(),
                         [&](const auto& f) { return f.field_id == field_id; });
  return it == fields.end() ? nullptr : &*it;
}

std::string PartitionSpec::ToString() const {
  std::string text = "[";
  for (const PartitionField& field : fields) text += "\n  " + field.ToString();
  return text + (fields.empty() ? "]" : "\n]");
}

StructType PartitionType(const PartitionSpec& spec, const Schema& schema) {
  StructType out;
  for (const PartitionField& field : spec.fields) {
    const Type* source = schema.FindType(field.source_id);
    Type type = source == nullptr ? Type::Unknown() : field.transform.ResultType(*source);
    out.fields.push_back(NestedField::Optional(field.field_id, field.name, std::move(type)));
  }
  return out;
}

std::string PartitionPath(const PartitionSpec& spec, const Schema& schema,
                          std::span<const Value> partition) {
  std::string path;
  for (size_t i = 0; i < spec.fields.size() && i < partition.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    const Type* source = schema.FindType(field.source_id);
    std::string text =
        field.transform.ToHumanString(source == nullptr ? Type::Unknown() : *source, partition[i]);
    if (i > 0) path += '/';
    path += FormUrlEncode(field.name) + "=" + FormUrlEncode(text);
  }
  return path;
}

Result<std::vector<Value>> ParsePartitionPath(const PartitionSpec& spec, const Schema& schema,
                                              std::string_view path) {
  std::vector<std::string> parts = Split(path, '/');
  if (parts.size() != spec.fields.size()) {
    return Invalid(fmt::format("Invalid partition data, {} fields (expecting {}): {}",
                               parts.size() > spec.fields.size() ? "too many" : "not enough",
                               spec.fields.size(), path));
  }
  StructType type = PartitionType(spec, schema);
  std::vector<Value> out;
  for (size_t i = 0; i < parts.size(); ++i) {
    size_t equals = parts[i].find('=');
    if (equals == std::string::npos || parts[i].substr(0, equals) != spec.fields[i].name) {
      return Invalid("Invalid partition: " + parts[i]);
    }
    ASSIGN_OR_RETURN(Value value,
                     FromPartitionString(type.fields[i].type, parts[i].substr(equals + 1)));
    out.push_back(std::move(value));
  }
  return out;
}

Result<StructType> UnionPartitionType(const Schema& schema, std::span<const PartitionSpec> specs) {
  std::set<int32_t> ids;
  for (const PartitionSpec& spec : specs) {
    for (const PartitionField& field : spec.fields) {
      if (schema.FindField(field.source_id) != nullptr) ids.insert(field.field_id);
    }
  }
  return Project("table partition", schema, specs, ids);
}

Result<StructType> GroupingKeyType(const Schema& schema, std::span<const PartitionSpec> specs) {
  std::map<int32_t, size_t> counts;
  for (const PartitionSpec& spec : specs) {
    for (const PartitionField& field : spec.fields) {
      if (!field.transform.is_void() && schema.FindField(field.source_id) != nullptr)
        ++counts[field.field_id];
    }
  }
  std::set<int32_t> ids;
  for (const auto& [id, count] : counts) {
    if (count == specs.size()) ids.insert(id);
  }
  return Project("grouping key", schema, specs, ids);
}

Status CheckPartitionSpec(const PartitionSpec& spec, const Schema& schema, bool allow_missing) {
  std::set<std::string> names;
  for (const PartitionField& field : spec.fields) {
    if (!allow_missing) RETURN_IF_ERROR(CheckName(field, schema, names, true));
    if (allow_missing && schema.FindType(field.source_id) == nullptr) continue;
    if (!field.transform.is_void()) RETURN_IF_ERROR(CheckSource(field, schema));
  }
  return {};
}

Status CheckPartitionSources(const PartitionSpec& spec, const Schema& schema) {
  for (const PartitionField& field : spec.fields) {
    if (!field.transform.is_void()) RETURN_IF_ERROR(CheckSource(field, schema));
  }
  return {};
}

std::string AutomaticPartitionName(std::string_view column, const Transform& transform,
                                   bool with_param) {
  std::string suffix = with_param ? fmt::format("_{}", transform.param()) : "";
  switch (transform.kind()) {
    case TransformKind::kIdentity:
      return std::string(column);
    case TransformKind::kBucket:
      return fmt::format("{}_bucket{}", column, suffix);
    case TransformKind::kTruncate:
      return fmt::format("{}_trunc{}", column, suffix);
    case TransformKind::kVoid:
      return fmt::format("{}_null", column);
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
    case TransformKind::kUnknown:
      return fmt::format("{}_{}", column, transform.ToString());
  }
  return {};
}

Result<PartitionSpec> BuildPartitionSpec(const Schema& schema, std::span<const PartitionTerm> terms,
                                         int32_t spec_id, bool case_sensitive) {
  PartitionSpec spec{spec_id, {}};
  std::set<std::string> names;
  std::map<std::pair<int32_t, std::string>, PartitionField> dedup;
  for (const PartitionTerm& term : terms) {
    const NestedField* source = schema.FindField(term.column, case_sensitive);
    if (source == nullptr) return Invalid("Cannot find source column: " + term.column);
    const std::string& column = schema.FullName(source->id);
    std::string name =
        term.name.empty() ? AutomaticPartitionName(column, term.transform, false) : term.name;
    int32_t id = kPartitionDataIdStart + static_cast<int32_t>(spec.fields.size());
    PartitionField field{source->id, id, std::move(name), term.transform};
    RETURN_IF_ERROR(CheckName(field, schema, names, case_sensitive));
    if (term.transform.is_identity() || term.transform.is_time()) {
      auto [it, fresh] = dedup.try_emplace({source->id, term.transform.DedupName()}, field);
      if (!fresh) {
        return Invalid(fmt::format("Cannot add redundant partition: {} conflicts with {}",
                                   it->second.ToString(), field.ToString()));
      }
    }
    spec.fields.push_back(std::move(field));
  }
  RETURN_IF_ERROR(CheckPartitionSpec(spec, schema));
  return spec;
}

}  // namespace iceblink::spec
