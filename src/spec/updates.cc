#include "spec/updates.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "base/uuid.h"
#include "spec/metadata_builder.h"
#include "spec/properties.h"

namespace iceblink::spec {
namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}

Result<int32_t> RequestedVersion(const Properties& properties, int32_t otherwise) {
  auto it = properties.find(std::string(property::kFormatVersion));
  if (it == properties.end()) return otherwise;
  auto version = ParseInt32(it->second);
  if (!version) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("For input string: \"{}\"", it->second),
                "NumberFormatException");
  }
  if (*version < 1 || *version > kMaxFormatVersion) {
    return Invalid(fmt::format("Unsupported format version: v{} (supported: v{})", *version,
                               kMaxFormatVersion));
  }
  return *version;
}

// Properties that the table stores: no reserved ones, and the codec that is the default of new
// tables.
Properties PersistedProperties(const Properties& properties) {
  Properties out = {{std::string(property::kParquetCompression), "zstd"}};
  for (const auto& [key, value] : properties) {
    if (!IsReservedProperty(key)) out[key] = value;
  }
  return out;
}

// Returns the spec over the fresh schema, source columns found by name; field ids count from 1000.
Result<PartitionSpec> FreshSpec(const PartitionSpec& spec, const Schema& old_schema,
                                const Schema& fresh) {
  PartitionSpec out;
  for (const PartitionField& field : spec.fields) {
    const NestedField* source = fresh.FindField(old_schema.FullName(field.source_id));
    if (source == nullptr)
      return Invalid(fmt::format("Cannot find source column: {}", field.source_id));
    int32_t id = kPartitionDataIdStart + static_cast<int32_t>(out.fields.size());
    out.fields.push_back(PartitionField{source->id, id, field.name, field.transform});
  }
  return out;
}

Result<SortOrder> FreshSortOrder(const SortOrder& order, const Schema& old_schema,
                                 const Schema& fresh) {
  SortOrder out{order.is_unsorted() ? 0 : 1, {}};
  for (SortField field : order.fields) {
    const NestedField* source = fresh.FindField(old_schema.FullName(field.source_id));
    if (source == nullptr)
      return Invalid(fmt::format("Cannot find source column: {}", field.source_id));
    field.source_id = source->id;
    out.fields.push_back(std::move(field));
  }
  return out;
}

using SourceTransform = std::pair<int32_t, std::string>;
SourceTransform KeyOf(const PartitionField& field) {
  return {field.source_id, field.transform.ToString()};
}

// Version 2 on: fields that any historical spec had get their ids again, the largest where several
// did.
PartitionSpec ReuseFieldIds(const TableMetadata& base, PartitionSpec spec) {
  std::map<SourceTransform, int32_t> ids;
  for (const PartitionSpec& known : base.specs) {
    for (const PartitionField& field : known.fields) {
      int32_t& id = ids[KeyOf(field)];
      id = std::max(id, field.field_id);
    }
  }
  int32_t last = base.last_partition_id;
  for (PartitionField& field : spec.fields) {
    auto [it, fresh] = ids.try_emplace(KeyOf(field), 0);
    if (fresh) it->second = ++last;
    field.field_id = it->second;
  }
  return spec;
}

// Version 1: every field of the current spec stays, as void where the new spec lacks it.
PartitionSpec CarryFields(const TableMetadata& base, const PartitionSpec& spec) {
  std::vector<PartitionField> fresh = spec.fields;
  PartitionSpec out;
  for (const PartitionField& field : base.spec().fields) {
    auto it = std::find_if(fresh.begin(), fresh.end(),
                           [&](const auto& f) { return KeyOf(f) == KeyOf(field); });
    if (it != fresh.end()) {
      out.fields.push_back(PartitionField{it->source_id, field.field_id, it->name, it->transform});
      fresh.erase(it);
      continue;
    }
    bool taken = std::any_of(spec.fields.begin(), spec.fields.end(),
                             [&](const auto& f) { return f.name == field.name; });
    std::string name = taken ? fmt::format("{}_{}", field.name, field.field_id) : field.name;
    out.fields.push_back(
        PartitionField{field.source_id, field.field_id, std::move(name), Transform::Void()});
  }
  int32_t last = base.last_partition_id;
  for (PartitionField& field : fresh) {
    field.field_id = ++last;
    out.fields.push_back(std::move(field));
  }
  return out;
}

Status Upgrade(MetadataBuilder& builder, int32_t version) {
  return builder.Apply(update::UpgradeFormatVersion{version});
}

}  // namespace

Result<TableMetadata> ApplyUpdates(const TableMetadata& base, std::span<const TableUpdate> updates,
                                   int64_t now_ms) {
  MetadataBuilder builder(&base, now_ms);
  for (const TableUpdate& update : updates) RETURN_IF_ERROR(builder.Apply(update));
  return builder.Build();
}

Result<TableMetadata> ApplyCreateUpdates(std::span<const TableUpdate> updates, int64_t now_ms) {
  int32_t version = kDefaultFormatVersion;
  for (const TableUpdate& update : updates) {
    if (const auto* upgrade = std::get_if<update::UpgradeFormatVersion>(&update))
      version = upgrade->format_version;
  }
  if (version < 1 || version > kMaxFormatVersion) {
    return Invalid(fmt::format("Unsupported format version: v{} (supported: v{})", version,
                               kMaxFormatVersion));
  }
  MetadataBuilder builder(nullptr, now_ms, version);
  for (const TableUpdate& update : updates) {
    if (!std::holds_alternative<update::UpgradeFormatVersion>(update))
      RETURN_IF_ERROR(builder.Apply(update));
  }
  ASSIGN_OR_RETURN(TableMetadata metadata, builder.Build());
  if (metadata.uuid.empty()) metadata.uuid = NewUuid();
  return metadata;
}

Result<TableMetadata> NewTableMetadata(const NewTable& table, int64_t now_ms) {
  ASSIGN_OR_RETURN(int32_t version, RequestedVersion(table.properties, table.format_version));
  int32_t last_id = 0;
  Schema schema = AssignFreshIds(table.schema, [&] { return ++last_id; });
  ASSIGN_OR_RETURN(PartitionSpec spec, FreshSpec(table.spec, table.schema, schema));
  ASSIGN_OR_RETURN(SortOrder order, FreshSortOrder(table.sort_order, table.schema, schema));
  Properties properties = PersistedProperties(table.properties);
  RETURN_IF_ERROR(CheckMetricsProperties(schema, properties));
  RETURN_IF_ERROR(CheckCommitProperties(properties));
  MetadataBuilder builder(nullptr, now_ms, version);
  RETURN_IF_ERROR(builder.Apply(update::AssignUuid{table.uuid.empty() ? NewUuid() : table.uuid}));
  RETURN_IF_ERROR(builder.SetCurrentSchema(schema, last_id));
  RETURN_IF_ERROR(builder.SetDefaultSpec(spec));
  RETURN_IF_ERROR(builder.SetDefaultSortOrder(order));
  RETURN_IF_ERROR(builder.Apply(update::SetLocation{table.location}));
  RETURN_IF_ERROR(builder.Apply(update::SetProperties{properties}));
  return builder.Build();
}

Result<TableMetadata> ReplaceTableMetadata(const TableMetadata& base, const NewTable& table,
                                           int64_t now_ms) {
  ASSIGN_OR_RETURN(int32_t version, RequestedVersion(table.properties, base.format_version));
  int32_t last_id = base.last_column_id;
  Schema schema = AssignFreshIds(table.schema, base.schema(), [&] { return ++last_id; });
  ASSIGN_OR_RETURN(PartitionSpec spec, FreshSpec(table.spec, table.schema, schema));
  ASSIGN_OR_RETURN(SortOrder order, FreshSortOrder(table.sort_order, table.schema, schema));
  spec = base.format_version > 1 ? ReuseFieldIds(base, std::move(spec)) : CarryFields(base, spec);
  MetadataBuilder builder(&base, now_ms);
  RETURN_IF_ERROR(Upgrade(builder, version));
  RETURN_IF_ERROR(builder.Apply(update::RemoveSnapshotRef{kMainBranch}));
  RETURN_IF_ERROR(builder.SetCurrentSchema(schema, last_id));
  RETURN_IF_ERROR(builder.SetDefaultSpec(spec));
  RETURN_IF_ERROR(builder.SetDefaultSortOrder(order));
  if (!table.location.empty()) RETURN_IF_ERROR(builder.Apply(update::SetLocation{table.location}));
  RETURN_IF_ERROR(builder.Apply(update::SetProperties{PersistedProperties(table.properties)}));
  return builder.Build();
}

bool IsReservedProperty(std::string_view key) {
  static constexpr std::string_view kReserved[] = {
      "format-version",           "uuid",
      "snapshot-count",           "current-snapshot-id",
      "current-snapshot-summary", "current-snapshot-timestamp-ms",
      "current-schema",           "default-partition-spec",
      "default-sort-order"};
  return std::find(std::begin(kReserved), std::end(kReserved), key) != std::end(kReserved);
}

}  // namespace iceblink::spec
