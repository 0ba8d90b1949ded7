// Tables: their registration, metadata locations and names.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/uuid.h"
#include "catalog/metadata_file.h"
#include "server/s3tables_handlers.h"
#include "server/s3tables_schema.h"

namespace iceblink::server::s3tables {
namespace {

Result<Json> Describe(const S3Tables& tables, const S3Table& table) {
  ASSIGN_OR_RETURN(const auto bucket, tables.store().FindBucket(table.bucket));
  ASSIGN_OR_RETURN(const auto ns, tables.store().FindNamespace(table.bucket, table.ns));
  Json out = {{"name", table.name},
              {"type", "customer"},
              {"tableARN", tables.TableArn(table)},
              {"namespace", Json::array({table.ns})},
              {"namespaceId", ns ? ns->id : ""},
              {"versionToken", table.version_token}};
  if (table.metadata_location) out["metadataLocation"] = *table.metadata_location;
  out["warehouseLocation"] = table.warehouse_location;
  out["createdAt"] = Iso8601(table.created_ms);
  out["createdBy"] = tables.options.account_id;
  out["modifiedAt"] = Iso8601(table.modified_ms);
  out["modifiedBy"] = tables.options.account_id;
  out["ownerAccountId"] = tables.options.account_id;
  out["format"] = "ICEBERG";
  out["tableBucketId"] = bucket ? bucket->id : "";
  return out;
}

Json Summary(const S3Tables& tables, const S3Table& table) {
  return {{"namespace", Json::array({table.ns})},
          {"name", table.name},
          {"type", "customer"},
          {"tableARN", tables.TableArn(table)},
          {"createdAt", Iso8601(table.created_ms)},
          {"modifiedAt", Iso8601(table.modified_ms)}};
}

Result<HttpResponse> CreateTable(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  ASSIGN_OR_RETURN(const S3TableNamespace ns, NamespaceOf(call, bucket));
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  ASSIGN_OR_RETURN(const std::string format, RequiredText(body, "format"));
  if (format != "ICEBERG") return BadRequest("The specified table format is not valid.");
  S3Table table{bucket.name, ns.name};
  ASSIGN_OR_RETURN(table.name, RequiredText(body, "name"));
  RETURN_IF_ERROR(CheckS3TablesName("table", table.name));
  ASSIGN_OR_RETURN(const auto taken,
                   call.tables.store().FindTable(bucket.name, ns.name, table.name));
  const auto exists = [] {
    return Conflict("A table with an identical name already exists in the namespace.");
  };
  if (taken) return exists();
  table.id = NewUuid();
  table.created_ms = table.modified_ms = call.tables.now_ms();
  table.version_token = NewVersionToken();
  table.warehouse_location = NewTableStorage(call.tables.storage());
  Json settings = Json::object();
  for (const char* key : {"encryptionConfiguration", "storageClassConfiguration", "tags"}) {
    if (const Json* value = json::Find(body, key)) settings[key] = *value;
  }
  table.settings = DumpJson(settings);
  io::FileSystem& files = *call.tables.storage().files;
  if (const Json* metadata = json::Find(body, "metadata")) {
    ASSIGN_OR_RETURN(const spec::TableMetadata first,
                     MetadataOfRequest(*metadata, table.warehouse_location, table.created_ms));
    ASSIGN_OR_RETURN(table.metadata_location, catalog::NewMetadataLocation(first, 0));
    RETURN_IF_ERROR(catalog::WriteTableMetadata(files, *table.metadata_location, first));
  }
  ASSIGN_OR_RETURN(const bool added, call.tables.store().Add(table));
  if (!added) {
    if (table.metadata_location) (void)files.Delete(*table.metadata_location);
    return exists();
  }
  return Answer({{"tableARN", call.tables.TableArn(table)}, {"versionToken", table.version_token}});
}

Result<HttpResponse> ListTables(Call& call) {
  ASSIGN_OR_RETURN(const S3TableBucket bucket, BucketOf(call));
  const std::string* ns = call.request.Query("namespace");
  if (ns != nullptr && !ns->empty()) {
    ASSIGN_OR_RETURN(const auto row, call.tables.store().FindNamespace(bucket.name, *ns));
    if (!row) return NotFound("The specified namespace does not exist.");
  }
  ASSIGN_OR_RETURN(auto all, call.tables.store().Tables(bucket.name, ns == nullptr ? "" : *ns));
  std::optional<std::string> token;
  ASSIGN_OR_RETURN(const auto page,
                   CutPage(
                       call.request, "maxTables", std::move(all),
                       [](const S3Table& t) { return t.ns + "." + t.name; }, token));
  Json list = Json::array();
  for (const S3Table& table : page) list.push_back(Summary(call.tables, table));
  Json out = {{"tables", std::move(list)}};
  if (token) out["continuationToken"] = *token;
  return Answer(out);
}

Result<HttpResponse> GetTable(Call& call) {
  ASSIGN_OR_RETURN(const S3Table table, TableOf(call));
  ASSIGN_OR_RETURN(const Json description, Describe(call.tables, table));
  return Answer(description);
}

// By tableArn, or by tableBucketARN, namespace and name.
Result<HttpResponse> GetTableByQuery(Call& call) {
  if (const std::string* arn = call.request.Query("tableArn")) {
    ASSIGN_OR_RETURN(const S3Table table, call.tables.TableOfArn(*arn));
    ASSIGN_OR_RETURN(const Json description, Describe(call.tables, table));
    return Answer(description);
  }
  for (const char* name : {"tableBucketARN", "namespace", "name"}) {
    const std::string* value = call.request.Query(name);
    if (value == nullptr) return BadRequest(fmt::format("{} is missing.", name));
    call.request.parameters[name] = *value;
  }
  return GetTable(call);
}

Status CheckToken(const S3Table& table, const std::optional<std::string>& token) {
  if (!token || *token == table.version_token) return {};
  return Conflict("Provided version token does not match the table version token.");
}

// The rows go first: files without a table are garbage, a table without files is broken.
Result<HttpResponse> DeleteTable(Call& call) {
  ASSIGN_OR_RETURN(const S3Table table, TableOf(call));
  const std::string* token = call.request.Query("versionToken");
  RETURN_IF_ERROR(CheckToken(table, token == nullptr ? std::nullopt : std::optional(*token)));
  ASSIGN_OR_RETURN(const bool removed, call.tables.store().RemoveTable(table));
  if (!removed) return Conflict("The table has changed meanwhile.");
  const Status deleted = call.tables.storage().files->DeleteDirectory(table.warehouse_location);
  if (!deleted) {
    LogWarn(fmt::format("Files of the deleted table {}.{} stay at {}: {}", table.ns, table.name,
                        table.warehouse_location, deleted.error().message));
  }
  return HttpResponse::Empty();
}

Result<HttpResponse> GetMetadataLocation(Call& call) {
  ASSIGN_OR_RETURN(const S3Table table, TableOf(call));
  Json out = {{"versionToken", table.version_token}};
  if (table.metadata_location) out["metadataLocation"] = *table.metadata_location;
  out["warehouseLocation"] = table.warehouse_location;
  return Answer(out);
}

bool IsMetadataOf(const S3Table& table, const std::string& location) {
  return location.starts_with(table.warehouse_location + "/") &&
         (location.ends_with(".metadata.json") || location.ends_with(".metadata.json.gz"));
}

Result<HttpResponse> UpdateMetadataLocation(Call& call) {
  ASSIGN_OR_RETURN(const S3Table table, TableOf(call));
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  ASSIGN_OR_RETURN(const std::string token, RequiredText(body, "versionToken"));
  ASSIGN_OR_RETURN(const std::string location, RequiredText(body, "metadataLocation"));
  if (!IsMetadataOf(table, location))
    return BadRequest("The specified metadata location is not valid.");
  RETURN_IF_ERROR(CheckToken(table, token));
  ASSIGN_OR_RETURN(const bool swapped,
                   call.tables.store().SwapMetadata(table, location, call.tables.now_ms()));
  if (!swapped) return Conflict("Provided version token does not match the table version token.");
  ASSIGN_OR_RETURN(const S3Table now, TableOf(call));
  return Answer({{"name", now.name},
                 {"tableARN", call.tables.TableArn(now)},
                 {"namespace", Json::array({now.ns})},
                 {"versionToken", now.version_token},
                 {"metadataLocation", location}});
}

Result<HttpResponse> RenameTable(Call& call) {
  ASSIGN_OR_RETURN(const S3Table table, TableOf(call));
  ASSIGN_OR_RETURN(const Json body, BodyOf(call.request));
  const auto text = [&](const char* key) {
    auto value = json::FindString(body, key);
    return value ? *value : std::nullopt;
  };
  const auto ns = text("newNamespaceName"), name = text("newName");
  if (!ns && !name)
    return BadRequest("Neither a new namespace name nor a new table name is specified.");
  RETURN_IF_ERROR(CheckToken(table, text("versionToken")));
  const std::string to_ns = ns.value_or(table.ns), to_name = name.value_or(table.name);
  RETURN_IF_ERROR(CheckS3TablesName("table", to_name));
  ASSIGN_OR_RETURN(const auto target, call.tables.store().FindNamespace(table.bucket, to_ns));
  if (!target) return NotFound("The specified destination namespace does not exist.");
  const auto renamed = call.tables.store().Rename(table, to_ns, to_name);
  if (!renamed && renamed.error().code == ErrorCode::kAlreadyExists)
    return Conflict("A table with an identical name already exists in the namespace.");
  if (!renamed) return Fail(renamed.error());
  if (!*renamed) return NotFound("The specified table does not exist.");
  return HttpResponse::Empty();
}

}  // namespace

const std::vector<Operation>& TableOperations() {
  static const std::vector<Operation> operations = {
      {"GET", "/tables/{tableBucketARN}", ListTables},
      {"PUT", "/tables/{tableBucketARN}/{namespace}", CreateTable},
      {"GET", "/get-table", GetTableByQuery},
      {"GET", "/tables/{tableBucketARN}/{namespace}/{name}", GetTable},  // of older SDKs
      {"DELETE", "/tables/{tableBucketARN}/{namespace}/{name}", DeleteTable},
      {"GET", "/tables/{tableBucketARN}/{namespace}/{name}/metadata-location", GetMetadataLocation},
      {"PUT", "/tables/{tableBucketARN}/{namespace}/{name}/metadata-location",
       UpdateMetadataLocation},
      {"PUT", "/tables/{tableBucketARN}/{namespace}/{name}/rename", RenameTable},
  };
  return operations;
}

}  // namespace iceblink::server::s3tables
