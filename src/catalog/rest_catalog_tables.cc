// RestCatalog: tables.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/strings.h"
#include "catalog/errors.h"
#include "catalog/rest_catalog.h"

namespace iceblink::catalog::rest {
namespace {

constexpr size_t kMaxKnownTables = 32;
constexpr int64_t kCredentialMarginMs = 300'000;  // fresh ones are asked for so long before the end

// Properties of a table's configuration that say how its files are reached.
bool IsStorageProperty(std::string_view key) {
  constexpr std::string_view kPrefixes[] = {"s3.", "client.", "gcs.", "adls.", "io-impl"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return key.starts_with(prefix); });
}

// The moment at which credentials expire, when they say so.
std::optional<int64_t> ExpiryOf(const Properties& properties) {
  std::optional<int64_t> earliest;
  for (const auto& [key, value] : properties) {
    if (!key.ends_with("expires-at-ms") && !key.ends_with("token-expires-at")) continue;
    const auto at = ParseInt64(value);
    if (at && (!earliest || *at < *earliest)) earliest = at;
  }
  return earliest;
}

// The earliest moment at which one of the result's credentials expires.
std::optional<int64_t> ExpiryOf(const LoadTableResult& result) {
  std::optional<int64_t> earliest = ExpiryOf(result.config);
  for (const StorageCredential& credential : result.credentials) {
    const auto at = ExpiryOf(credential.config);
    if (at && (!earliest || *at < *earliest)) earliest = at;
  }
  return earliest;
}

std::vector<spec::TableRequirement> Requirements(const LoadedTable& base,
                                                 const std::vector<spec::TableUpdate>& updates) {
  if (base.metadata == nullptr) return spec::RequirementsForCreate(updates);
  return spec::RequirementsForUpdate(*base.metadata, updates);
}

CommitTableRequest CommitRequest(const TableIdentifier& id, const LoadedTable& base,
                                 const spec::TableMetadata& updated) {
  CommitTableRequest request{id, {}, {}};
  request.updates = base.metadata == nullptr ? spec::UpdatesForCreate(updated)
                                             : spec::UpdatesForReplace(*base.metadata, updated);
  request.requirements = Requirements(base, request.updates);
  return request;
}

}  // namespace

Result<std::vector<TableIdentifier>> RestCatalog::ListTables(const Namespace& ns) {
  RETURN_IF_ERROR(Require(Endpoint::kListTables));
  RETURN_IF_ERROR(RequireNamespaceName(ns));
  return ListIdentifiers(Subject::kNamespace, NamespacePath(ns, "/tables"));
}

Result<bool> RestCatalog::TableExists(const TableIdentifier& id) {
  if (id.ns.empty()) return false;
  return Exists(Subject::kTable, TablePath(id), Endpoint::kTableExists);
}

Result<LoadTableResult> RestCatalog::SendForTable(const Call& call, std::string* etag) {
  ASSIGN_OR_RETURN(const io::HttpResponse response, client_->Send(call));
  if (response.status == 304) return LoadTableResult();
  if (etag != nullptr) *etag = response.Header("etag");
  auto json = ParseJson(response.body, "response");
  auto result = json ? LoadTableResultFromJson(*json) : Result<LoadTableResult>(Fail(json.error()));
  if (result) return result;
  Error error = std::move(result).error();
  error.message = "Received a success response code of " + std::to_string(response.status) +
                  ", but failed to parse response body: " + error.message;
  if (IsCommit(call.subject)) return CommitStateUnknown(error);
  return Fail(ErrorCode::kCorrupt, std::move(error.message), "RESTException");
}

Result<LoadedTable> RestCatalog::LoadTable(const TableIdentifier& id) {
  RETURN_IF_ERROR(Require(Endpoint::kLoadTable));
  RETURN_IF_ERROR(RequireTableName(id));
  Call call{.subject = Subject::kTable, .path = TablePath(id)};
  const std::optional<Known> known = FindKnown(id);
  if (known) call.headers.emplace_back("If-None-Match", known->etag);
  std::string etag;
  auto result = SendForTable(call, &etag);
  if (!result) {
    Forget(id);
    return Fail(std::move(result).error());
  }
  if (result->metadata == nullptr) return known->table;  // 304
  return Accept(id, std::move(*result), etag);
}

LoadedTable RestCatalog::Accept(const TableIdentifier& id, LoadTableResult result,
                                const std::string& etag) {
  HandOutCredentials(id, result);
  LoadedTable table{result.metadata_location, result.metadata};
  if (etag.empty())
    Forget(id);
  else
    Keep({id, etag, table, ExpiryOf(result)});
  return table;
}

void RestCatalog::HandOut(const TableIdentifier& id, const std::string& prefix,
                          const Properties& properties) {
  options_.set_credentials(prefix, properties, ExpiryOf(properties), [weak = weak_from_this(), id] {
    const auto catalog = weak.lock();
    if (catalog == nullptr) return;
    const Status renewed = catalog->RenewCredentials(id);
    if (!renewed)
      LogWarn("Cannot renew the credentials of " + id.ToString() + ": " + renewed.error().message);
  });
}

void RestCatalog::HandOutCredentials(const TableIdentifier& id, const LoadTableResult& result) {
  if (!options_.set_credentials) return;
  Properties own;
  for (const auto& [key, value] : result.config) {
    if (IsStorageProperty(key)) own[key] = value;
  }
  if (!own.empty()) HandOut(id, result.metadata->location, own);
  for (const StorageCredential& credential : result.credentials) {
    Properties all = own;
    for (const auto& [key, value] : credential.config) all[key] = value;
    HandOut(id, credential.prefix, all);
  }
}

Status RestCatalog::RenewCredentials(const TableIdentifier& id) {
  if (!endpoints_.Has(Endpoint::kLoadCredentials)) {
    Forget(id);  // so that the answer is whole
    RETURN_IF_ERROR(LoadTable(id));
    return {};
  }
  ASSIGN_OR_RETURN(const Json json, client_->SendForJson({.subject = Subject::kTable,
                                                          .path = TablePath(id) + "/credentials"}));
  ASSIGN_OR_RETURN(const LoadCredentialsResponse answer, LoadCredentialsResponseFromJson(json));
  for (const StorageCredential& credential : answer.credentials)
    HandOut(id, credential.prefix, credential.config);
  return {};
}

Result<LoadTableResult> RestCatalog::PostCreate(const TableIdentifier& id,
                                                const spec::TableMetadata& metadata, bool stage) {
  RETURN_IF_ERROR(Require(Endpoint::kCreateTable));
  RETURN_IF_ERROR(RequireTableName(id));
  CreateTableRequest request;
  request.name = id.name;
  if (!metadata.location.empty()) request.location = metadata.location;
  request.schema = metadata.schema();
  request.spec = metadata.spec();
  request.order = metadata.sort_order();
  request.stage_create = stage;
  request.properties = metadata.properties;
  if (metadata.format_version != spec::kDefaultFormatVersion)
    request.properties["format-version"] = std::to_string(metadata.format_version);
  return SendForTable(
      {Subject::kTable, "POST", NamespacePath(id.ns, "/tables"), {}, DumpJson(ToJson(request)), {}},
      nullptr);
}

Result<spec::TableMetadata> RestCatalog::StageTable(const TableIdentifier& id, spec::NewTable table,
                                                    int64_t now_ms) {
  ASSIGN_OR_RETURN(const spec::TableMetadata wanted, spec::NewTableMetadata(table, now_ms));
  ASSIGN_OR_RETURN(const LoadTableResult staged, PostCreate(id, wanted, true));
  HandOutCredentials(id, staged);
  return *staged.metadata;
}

Result<LoadedTable> RestCatalog::CreateTable(const TableIdentifier& id,
                                             spec::TableMetadata metadata) {
  if (metadata.snapshots.empty()) {
    ASSIGN_OR_RETURN(LoadTableResult created, PostCreate(id, metadata, false));
    return Accept(id, std::move(created), {});
  }
  RETURN_IF_ERROR(Require(Endpoint::kUpdateTable));
  std::string etag;
  ASSIGN_OR_RETURN(LoadTableResult created,
                   SendForTable({Subject::kTableCreation,
                                 "POST",
                                 TablePath(id),
                                 {},
                                 DumpJson(ToJson(CommitRequest(id, {}, metadata))),
                                 {}},
                                &etag));
  return Accept(id, std::move(created), etag);
}

Result<LoadedTable> RestCatalog::CommitTable(const TableIdentifier& id, const LoadedTable& base,
                                             spec::TableMetadata updated) {
  RETURN_IF_ERROR(Require(Endpoint::kUpdateTable));
  const CommitTableRequest request = CommitRequest(id, base, updated);
  if (request.updates.empty()) return base;
  const std::optional<Known> known = FindKnown(id);
  std::string etag;
  auto result = SendForTable(
      {Subject::kTableCommit, "POST", TablePath(id), {}, DumpJson(ToJson(request)), {}}, &etag);
  Forget(id);
  if (!result) return Fail(std::move(result).error());
  LoadedTable committed{result->metadata_location, result->metadata};
  // A commit brings no credentials; those of the load before it stay good as long as they were.
  if (known && !etag.empty()) Keep({id, etag, committed, known->expires_ms});
  return committed;
}

Status RestCatalog::CommitTables(std::vector<TableChange> changes) {
  RETURN_IF_ERROR(Require(Endpoint::kCommitTransaction));
  CommitTransactionRequest request;
  for (const TableChange& change : changes) {
    CommitTableRequest part = CommitRequest(change.id, change.base, change.updated);
    if (!part.updates.empty()) request.table_changes.push_back(std::move(part));
    Forget(change.id);
  }
  if (request.table_changes.empty()) return {};
  return Post(Subject::kTableCommit, Path("transactions/commit"), ToJson(request));
}

Status RestCatalog::Drop(const TableIdentifier& id, bool purge) {
  RETURN_IF_ERROR(Require(Endpoint::kDropTable));
  RETURN_IF_ERROR(RequireTableName(id));
  Forget(id);
  return Delete(Subject::kTable, TablePath(id), {{"purgeRequested", purge ? "true" : "false"}});
}

Status RestCatalog::DropTable(const TableIdentifier& id) { return Drop(id, false); }

Result<bool> RestCatalog::DropAndPurgeTable(const TableIdentifier& id) {
  RETURN_IF_ERROR(Drop(id, true));
  return true;
}

Status RestCatalog::RenameTable(const TableIdentifier& from, const TableIdentifier& to) {
  RETURN_IF_ERROR(Require(Endpoint::kRenameTable));
  Forget(from);
  return Post(Subject::kTable, Path("tables/rename"), ToJson(RenameRequest{from, to}));
}

Result<LoadedTable> RestCatalog::RegisterTable(const TableIdentifier& id,
                                               const std::string& metadata_location) {
  RETURN_IF_ERROR(Require(Endpoint::kRegisterTable));
  const RegisterRequest request{id.name, metadata_location};
  std::string etag;
  ASSIGN_OR_RETURN(LoadTableResult registered, SendForTable({Subject::kTable,
                                                             "POST",
                                                             NamespacePath(id.ns, "/register"),
                                                             {},
                                                             DumpJson(ToJson(request)),
                                                             {}},
                                                            &etag));
  return Accept(id, std::move(registered), etag);
}

std::optional<RestCatalog::Known> RestCatalog::FindKnown(const TableIdentifier& id) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(known_.begin(), known_.end(),
                               [&](const Known& known) { return known.id == id; });
  if (at == known_.end()) return std::nullopt;
  // An answer 304 would bring no fresh credentials.
  if (at->expires_ms && options_.clock->NowMillis() > *at->expires_ms - kCredentialMarginMs)
    return std::nullopt;
  known_.splice(known_.begin(), known_, at);
  return known_.front();
}

void RestCatalog::Keep(Known known) {
  const std::lock_guard lock(mutex_);
  known_.remove_if([&](const Known& other) { return other.id == known.id; });
  known_.push_front(std::move(known));
  if (known_.size() > kMaxKnownTables) known_.pop_back();
}

void RestCatalog::Forget(const TableIdentifier& id) {
  const std::lock_guard lock(mutex_);
  known_.remove_if([&](const Known& known) { return known.id == id; });
}

}  // namespace iceblink::catalog::rest
