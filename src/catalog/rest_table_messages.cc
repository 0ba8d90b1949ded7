// REST messages of tables and views.
#include "catalog/rest_json.h"
#include "catalog/rest_messages.h"
#include "spec/json.h"

namespace iceblink::catalog::rest {

using spec::ToJson;

Json ToJson(const StorageCredential& credential) {
  return {{"prefix", credential.prefix}, {"config", PropertiesToJson(credential.config)}};
}

Result<StorageCredential> StorageCredentialFromJson(const Json& json) {
  StorageCredential credential;
  ASSIGN_OR_RETURN(credential.prefix, json::GetString(json, "prefix"));
  ASSIGN_OR_RETURN(credential.config, FindProperties(json, "config"));
  return credential;
}

Json ToJson(const LoadCredentialsResponse& response) {
  return {{"storage-credentials", WriteList(response.credentials)}};
}

Result<LoadCredentialsResponse> LoadCredentialsResponseFromJson(const Json& json) {
  LoadCredentialsResponse response;
  ASSIGN_OR_RETURN(response.credentials,
                   ReadList(json, "storage-credentials", StorageCredentialFromJson));
  return response;
}

namespace {

// What follows the metadata in a LoadTableResult.
Json Tail(const LoadTableResult& result) {
  Json json = {{"config", PropertiesToJson(result.config)}};
  if (!result.credentials.empty()) json["storage-credentials"] = WriteList(result.credentials);
  return json;
}

Result<spec::TableMetadataPtr> MetadataOf(const Json& json, const std::string& location) {
  ASSIGN_OR_RETURN(const Json* metadata, json::GetObject(json, "metadata"));
  ASSIGN_OR_RETURN(auto parsed, spec::TableMetadataFromJson(*metadata, location));
  return std::make_shared<const spec::TableMetadata>(std::move(parsed));
}

}  // namespace

Json ToJson(const LoadTableResult& result) {
  Json json = CommitTableResponseToJson(result);
  json.update(Tail(result));
  return json;
}

std::string LoadTableResultText(const LoadTableResult& result, std::string_view metadata_json) {
  std::string out = "{";
  if (!result.metadata_location.empty())
    out += "\"metadata-location\":" + DumpJson(Json(result.metadata_location)) + ",";
  out += "\"metadata\":";
  out += metadata_json;
  out += "," + DumpJson(Tail(result)).substr(1);
  return out;
}

Result<LoadTableResult> LoadTableResultFromJson(const Json& json) {
  LoadTableResult result;
  ASSIGN_OR_RETURN(const auto location, json::FindString(json, "metadata-location"));
  result.metadata_location = location.value_or("");
  ASSIGN_OR_RETURN(result.metadata, MetadataOf(json, result.metadata_location));
  ASSIGN_OR_RETURN(result.config, FindProperties(json, "config"));
  if (json::Has(json, "storage-credentials")) {
    ASSIGN_OR_RETURN(result.credentials,
                     ReadList(json, "storage-credentials", StorageCredentialFromJson));
  }
  return result;
}

Json CommitTableResponseToJson(const LoadTableResult& result) {
  Json json = Json::object();
  if (!result.metadata_location.empty()) json["metadata-location"] = result.metadata_location;
  json["metadata"] = ToJson(*result.metadata);
  return json;
}

Json ToJson(const CreateTableRequest& request) {
  Json json = {{"name", request.name}};
  if (request.location) json["location"] = *request.location;
  json["schema"] = ToJson(request.schema);
  if (request.spec) json["partition-spec"] = ToJson(*request.spec);
  if (request.order) json["write-order"] = ToJson(*request.order);
  json["properties"] = PropertiesToJson(request.properties);
  json["stage-create"] = request.stage_create;
  return json;
}

Result<CreateTableRequest> CreateTableRequestFromJson(const Json& json) {
  CreateTableRequest request;
  ASSIGN_OR_RETURN(request.name, json::GetString(json, "name"));
  ASSIGN_OR_RETURN(request.location, json::FindString(json, "location"));
  ASSIGN_OR_RETURN(const Json* schema, json::GetObject(json, "schema"));
  ASSIGN_OR_RETURN(request.schema, spec::SchemaFromJson(*schema));
  if (const Json* spec = json::Find(json, "partition-spec")) {
    ASSIGN_OR_RETURN(request.spec, spec::PartitionSpecFromJson(*spec));
  }
  if (const Json* order = json::Find(json, "write-order")) {
    ASSIGN_OR_RETURN(request.order, spec::SortOrderFromJson(*order));
  }
  ASSIGN_OR_RETURN(const auto stage, json::FindBool(json, "stage-create"));
  request.stage_create = stage.value_or(false);
  ASSIGN_OR_RETURN(request.properties, FindProperties(json, "properties"));
  return request;
}

Json ToJson(const RegisterRequest& request) {
  Json json = {{"name", request.name}, {"metadata-location", request.metadata_location}};
  if (request.overwrite) json["overwrite"] = true;
  return json;
}

Result<RegisterRequest> RegisterRequestFromJson(const Json& json) {
  RegisterRequest request;
  ASSIGN_OR_RETURN(request.name, json::GetString(json, "name"));
  ASSIGN_OR_RETURN(request.metadata_location, json::GetString(json, "metadata-location"));
  ASSIGN_OR_RETURN(const auto overwrite, json::FindBool(json, "overwrite"));
  request.overwrite = overwrite.value_or(false);
  return request;
}

namespace {

// The optional member "identifier".
Result<std::optional<TableIdentifier>> FindIdentifier(const Json& json) {
  const Json* id = json::Find(json, "identifier");
  if (id == nullptr) return std::optional<TableIdentifier>();
  ASSIGN_OR_RETURN(auto identifier, TableIdentifierFromJson(*id));
  return std::optional(std::move(identifier));
}

}  // namespace

Json ToJson(const CommitTableRequest& request) {
  Json json = Json::object();
  if (request.identifier) json["identifier"] = ToJson(*request.identifier);
  json["requirements"] = WriteList(request.requirements);
  json["updates"] = WriteList(request.updates);
  return json;
}

Result<CommitTableRequest> CommitTableRequestFromJson(const Json& json) {
  CommitTableRequest request;
  ASSIGN_OR_RETURN(request.identifier, FindIdentifier(json));
  if (json::Has(json, "requirements")) {
    ASSIGN_OR_RETURN(request.requirements,
                     ReadList(json, "requirements", spec::TableRequirementFromJson));
  }
  if (json::Has(json, "updates")) {
    ASSIGN_OR_RETURN(request.updates, ReadList(json, "updates", spec::TableUpdateFromJson));
  }
  return request;
}

Json ToJson(const CommitTransactionRequest& request) {
  return {{"table-changes", WriteList(request.table_changes)}};
}

Result<CommitTransactionRequest> CommitTransactionRequestFromJson(const Json& json) {
  CommitTransactionRequest request;
  ASSIGN_OR_RETURN(request.table_changes,
                   ReadList(json, "table-changes", CommitTableRequestFromJson));
  for (const CommitTableRequest& change : request.table_changes) {
    if (change.identifier) continue;
    return Fail(ErrorCode::kCorrupt, "Cannot parse missing field: identifier",
                "IllegalArgumentException");
  }
  return request;
}

Json ToJson(const LoadViewResult& result) {
  return {{"metadata-location", result.metadata_location},
          {"metadata", ToJson(*result.metadata)},
          {"config", PropertiesToJson(result.config)}};
}

Result<LoadViewResult> LoadViewResultFromJson(const Json& json) {
  LoadViewResult result;
  ASSIGN_OR_RETURN(result.metadata_location, json::GetString(json, "metadata-location"));
  ASSIGN_OR_RETURN(const Json* metadata, json::GetObject(json, "metadata"));
  ASSIGN_OR_RETURN(auto parsed, spec::ViewMetadataFromJson(*metadata, result.metadata_location));
  result.metadata = std::make_shared<const spec::ViewMetadata>(std::move(parsed));
  ASSIGN_OR_RETURN(result.config, FindProperties(json, "config"));
  return result;
}

Json ToJson(const CreateViewRequest& request) {
  Json json = {{"name", request.name}};
  if (request.location) json["location"] = *request.location;
  json["view-version"] = ToJson(request.version);
  json["schema"] = ToJson(request.schema);
  json["properties"] = PropertiesToJson(request.properties);
  return json;
}

Result<CreateViewRequest> CreateViewRequestFromJson(const Json& json) {
  CreateViewRequest request;
  ASSIGN_OR_RETURN(request.name, json::GetString(json, "name"));
  ASSIGN_OR_RETURN(request.location, json::FindString(json, "location"));
  ASSIGN_OR_RETURN(const Json* version, json::GetObject(json, "view-version"));
  ASSIGN_OR_RETURN(request.version, spec::ViewVersionFromJson(*version));
  ASSIGN_OR_RETURN(const Json* schema, json::GetObject(json, "schema"));
  ASSIGN_OR_RETURN(request.schema, spec::SchemaFromJson(*schema));
  ASSIGN_OR_RETURN(request.properties, FindProperties(json, "properties"));
  return request;
}

Json ToJson(const CommitViewRequest& request) {
  Json json = Json::object();
  if (request.identifier) json["identifier"] = ToJson(*request.identifier);
  json["requirements"] = Json::array();
  if (request.required_uuid) {
    json["requirements"].push_back(
        Json{{"type", "assert-view-uuid"}, {"uuid", *request.required_uuid}});
  }
  json["updates"] = WriteList(request.updates);
  return json;
}

Result<CommitViewRequest> CommitViewRequestFromJson(const Json& json) {
  CommitViewRequest request;
  ASSIGN_OR_RETURN(request.identifier, FindIdentifier(json));
  if (json::Has(json, "requirements")) {
    ASSIGN_OR_RETURN(const Json* requirements, json::GetArray(json, "requirements"));
    for (const Json& requirement : *requirements) {
      ASSIGN_OR_RETURN(const std::string type, json::GetString(requirement, "type"));
      if (type != "assert-view-uuid") {
        return Fail(ErrorCode::kCorrupt, "Cannot parse update requirement. Invalid type: " + type,
                    "IllegalArgumentException");
      }
      ASSIGN_OR_RETURN(request.required_uuid, json::GetString(requirement, "uuid"));
    }
  }
  if (json::Has(json, "updates")) {
    ASSIGN_OR_RETURN(request.updates, ReadList(json, "updates", spec::ViewUpdateFromJson));
  }
  return request;
}

}  // namespace iceblink::catalog::rest
