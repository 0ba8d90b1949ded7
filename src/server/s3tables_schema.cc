#include "server/s3tables_schema.h"

#include <nlohmann/json.hpp>

#include "base/uuid.h"
#include "server/s3tables_handlers.h"
#include "spec/json.h"
#include "spec/updates.h"

namespace iceblink::server::s3tables {
namespace {

// Iceberg's own form of `schema` (ids and `required` may be missing) or `schemaV2`.
Json SchemaJson(const Json& iceberg) {
  const Json* given = json::Find(iceberg, "schemaV2");
  if (given == nullptr) given = json::Find(iceberg, "schema");
  Json schema = {{"type", "struct"}, {"schema-id", 0}, {"fields", Json::array()}};
  if (given == nullptr) return schema;
  if (const Json* ids = json::Find(*given, "identifier-field-ids"))
    schema["identifier-field-ids"] = *ids;
  const Json* fields = json::Find(*given, "fields");
  int32_t next_id = 1;
  for (const Json& field : fields == nullptr ? Json::array() : *fields) {
    Json out = field;
    if (!json::Has(out, "id")) out["id"] = next_id;
    if (!json::Has(out, "required")) out["required"] = false;
    next_id++;
    schema["fields"].push_back(std::move(out));
  }
  return schema;
}

// Field ids may be missing.
Json SpecJson(Json spec) {
  if (!json::Has(spec, "spec-id")) spec["spec-id"] = 0;
  if (!json::Has(spec, "fields")) spec["fields"] = Json::array();
  int32_t next_id = 1000;
  for (Json& field : spec["fields"]) {
    if (!json::Has(field, "field-id")) field["field-id"] = next_id;
    next_id++;
  }
  return spec;
}

Result<spec::NewTable> TableOfRequest(const Json& iceberg) {
  spec::NewTable table;
  ASSIGN_OR_RETURN(table.schema, spec::SchemaFromJson(SchemaJson(iceberg)));
  if (const Json* spec = json::Find(iceberg, "partitionSpec")) {
    ASSIGN_OR_RETURN(table.spec, spec::PartitionSpecFromJson(SpecJson(*spec)));
  }
  if (const Json* order = json::Find(iceberg, "writeOrder")) {
    ASSIGN_OR_RETURN(table.sort_order, spec::SortOrderFromJson(*order));
  }
  if (json::Has(iceberg, "properties")) {
    ASSIGN_OR_RETURN(table.properties, json::GetStringMap(iceberg, "properties"));
  }
  return table;
}

}  // namespace

Result<spec::TableMetadata> MetadataOfRequest(const Json& metadata, const std::string& location,
                                              int64_t now_ms) {
  const Json* iceberg = json::Find(metadata, "iceberg");
  if (iceberg == nullptr) return BadRequest("The specified metadata is not valid.");
  auto table = TableOfRequest(*iceberg);
  if (!table || table->schema.fields().empty()) {
    return BadRequest("The specified metadata is not valid" +
                      (table ? std::string(".") : ": " + table.error().message));
  }
  table->location = location;
  table->uuid = NewUuid();
  auto made = spec::NewTableMetadata(*table, now_ms);
  if (!made) return BadRequest("The specified metadata is not valid: " + made.error().message);
  return made;
}

}  // namespace iceblink::server::s3tables
