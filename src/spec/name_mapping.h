// Name mapping (`schema.name-mapping.default`): field ids for data files that carry none. Plain
// values.
#pragma once

#include <map>

#include "spec/schema.h"

namespace iceblink::spec {

struct MappedField {
  std::optional<int32_t> id;
  std::vector<std::string> names;
  std::vector<MappedField> fields;
  friend bool operator==(const MappedField&, const MappedField&) = default;
};

struct NameMapping {
  std::vector<MappedField> fields;

  // Returns the field reached by one step per name ("element", "key", "value" below lists and
  // maps), or null.
  const MappedField* Find(std::span<const std::string> path) const;
  friend bool operator==(const NameMapping&, const NameMapping&) = default;
};

Result<NameMapping> ParseNameMapping(std::string_view json);
std::string SerializeNameMapping(const NameMapping& mapping);

// Returns the mapping of a schema's current names.
NameMapping CreateNameMapping(const Schema& schema);

// Returns the mapping after a schema change: `updates` are the renamed fields by id, `adds` the
// added ones by parent id (kRootParent for the top level). Old names keep mapping; a new field
// takes an old name over.
inline constexpr int32_t kRootParent = -1;
NameMapping UpdateNameMapping(const NameMapping& mapping,
                              const std::map<int32_t, NestedField>& updates,
                              const std::map<int32_t, std::vector<NestedField>>& adds);

}  // namespace iceblink::spec
