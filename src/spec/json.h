// JSON of the specification's objects, for metadata files, manifests' key-value metadata and REST
// messages.
//
// Members keep the order in which Java writes them. Parsers return Corrupt
// (IllegalArgumentException) with Java's texts, e.g. "Cannot parse missing int: schema-id".
#pragma once

#include "base/json.h"
#include "spec/updates.h"
#include "spec/view_metadata.h"

namespace iceblink::spec {

Json ToJson(const Type& type);
Json ToJson(const Schema& schema);
Json ToJson(const PartitionSpec& spec);
Json PartitionFieldsToJson(const PartitionSpec& spec);  // the array that manifests store
Json ToJson(const SortOrder& order);
Json ToJson(const Snapshot& snapshot);
Json ToJson(const SnapshotRef& ref);
Json ToJson(const StatisticsFile& file);
Json ToJson(const PartitionStatisticsFile& file);
Json ToJson(const EncryptedKey& key);
Json ToJson(const TableMetadata& metadata);
Json ToJson(const TableUpdate& update);
Json ToJson(const TableRequirement& requirement);
Json ToJson(const ViewVersion& version);
Json ToJson(const ViewMetadata& metadata);
Json ToJson(const ViewUpdate& update);
Json ValueToJson(const Type& type, const Value& value);

Result<Type> TypeFromJson(const Json& json);
Result<Schema> SchemaFromJson(const Json& json);
Result<PartitionSpec> PartitionSpecFromJson(const Json& json);
// Parses the array of fields that manifests and v1 metadata store; missing field ids count from
// 1000.
Result<PartitionSpec> PartitionFieldsFromJson(const Json& json, int32_t spec_id);
Result<SortOrder> SortOrderFromJson(const Json& json);
Result<Snapshot> SnapshotFromJson(const Json& json);
Result<SnapshotRef> SnapshotRefFromJson(const Json& json);
Result<StatisticsFile> StatisticsFileFromJson(const Json& json);
Result<PartitionStatisticsFile> PartitionStatisticsFileFromJson(const Json& json);
Result<EncryptedKey> EncryptedKeyFromJson(const Json& json);
Result<TableMetadata> TableMetadataFromJson(const Json& json,
                                            std::string metadata_file_location = {});
Result<TableUpdate> TableUpdateFromJson(const Json& json);
Result<TableRequirement> TableRequirementFromJson(const Json& json);
Result<ViewVersion> ViewVersionFromJson(const Json& json);
Result<ViewMetadata> ViewMetadataFromJson(const Json& json,
                                          std::string metadata_file_location = {});
Result<ViewUpdate> ViewUpdateFromJson(const Json& json);
Result<Value> ValueFromJson(const Type& type, const Json& json);

// Text forms of the two objects that manifests carry.
std::string SchemaText(const Schema& schema);
Result<Schema> SchemaFromText(std::string_view json);

}  // namespace iceblink::spec
