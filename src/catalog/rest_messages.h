// What travels between an Iceberg REST catalog and its clients, as plain values with JSON both
// ways. The client (rest_catalog.h) and the server speak with the same types. Names are those of
// the OpenAPI document. Messages of scan planning are in the server, which alone has them.
//
// A parser reads what the document allows and ignores members it does not know; it fails with
// kCorrupt and the member's name (base/json.h), and with the specification's errors inside
// metadata, updates and requirements. Everything is a value: safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "catalog/catalog.h"
#include "spec/updates.h"
#include "spec/view_metadata.h"

namespace iceblink::catalog::rest {

// ---- names in paths ------------------------------------------------------------------------

// Between the levels of a namespace, as it stands in a path. A server may choose another one with
// the setting namespace-separator, which is in this form too ("%2E").
inline constexpr std::string_view kNamespaceSeparator = "%1F";

// One path segment: all bytes but letters, digits and -._~ become %XX. A space is %20, which
// decoders of forms and of paths read alike.
std::string EncodeSegment(std::string_view text);
// Inverse; '+' is a space as for java.net.URLDecoder when `plus_is_space`.
std::string DecodeSegment(std::string_view text, bool plus_is_space = true);
// Levels, each encoded, with `separator` between.
std::string EncodeNamespace(const Namespace& ns, std::string_view separator = kNamespaceSeparator);
// Inverse, of a segment that is still encoded. What has a %1F is split there, whatever the
// separator.
Namespace DecodeNamespace(std::string_view segment,
                          std::string_view separator = kNamespaceSeparator);
// The same for a query parameter, whose text the query's encoding wraps as a whole: there the
// separator stands decoded.
std::string NamespaceToParameter(const Namespace& ns,
                                 std::string_view separator = kNamespaceSeparator);
Namespace NamespaceFromParameter(std::string_view text,
                                 std::string_view separator = kNamespaceSeparator);

// ---- errors --------------------------------------------------------------------------------

// {"error": {"message", "type", "code", "stack"}}
struct ErrorMessage {
  int32_t code = 0;  // the HTTP status
  std::string type;  // Java's simple class name: clients decide by it
  std::string message;
  std::vector<std::string> stack;
};
Json ToJson(const ErrorMessage& error);
Result<ErrorMessage> ErrorMessageFromJson(const Json& json);

// {"error", "error_description"}: errors of the token endpoint.
struct OAuthError {
  std::string error;  // invalid_client, invalid_scope ...
  std::string description;
};
Json ToJson(const OAuthError& error);
Result<OAuthError> OAuthErrorFromJson(const Json& json);

// ---- configuration and tokens --------------------------------------------------------------

struct ConfigResponse {
  Properties defaults;
  Properties overrides;
  std::optional<std::vector<std::string>> endpoints;    // "GET /v1/{prefix}/namespaces"
  std::optional<std::string> idempotency_key_lifetime;  // ISO 8601, "PT30M"
};
Json ToJson(const ConfigResponse& response);
Result<ConfigResponse> ConfigResponseFromJson(const Json& json);

struct OAuthTokenResponse {
  std::string access_token;
  std::string token_type = "bearer";
  std::optional<int64_t> expires_in;  // seconds
  std::optional<std::string> issued_token_type;
  std::optional<std::string> refresh_token;
  std::optional<std::string> scope;
};
Json ToJson(const OAuthTokenResponse& response);
Result<OAuthTokenResponse> OAuthTokenResponseFromJson(const Json& json);

// ---- identifiers and lists -----------------------------------------------------------------

Json ToJson(const TableIdentifier& id);
Result<TableIdentifier> TableIdentifierFromJson(const Json& json);

struct ListNamespacesResponse {
  std::vector<Namespace> namespaces;
  std::optional<std::string> next_page_token;
};
Json ToJson(const ListNamespacesResponse& response);
Result<ListNamespacesResponse> ListNamespacesResponseFromJson(const Json& json);

// Of tables and of views.
struct ListTablesResponse {
  std::vector<TableIdentifier> identifiers;
  std::optional<std::string> next_page_token;
};
Json ToJson(const ListTablesResponse& response);
Result<ListTablesResponse> ListTablesResponseFromJson(const Json& json);

struct RenameRequest {  // of a table or a view
  TableIdentifier source;
  TableIdentifier destination;
};
Json ToJson(const RenameRequest& request);
Result<RenameRequest> RenameRequestFromJson(const Json& json);

// ---- namespaces ----------------------------------------------------------------------------

// CreateNamespaceRequest, CreateNamespaceResponse and GetNamespaceResponse.
struct NamespaceMessage {
  Namespace ns;
  Properties properties;
};
Json ToJson(const NamespaceMessage& message);
Result<NamespaceMessage> NamespaceMessageFromJson(const Json& json);

struct UpdatePropertiesRequest {
  std::vector<std::string> removals;
  Properties updates;
};
Json ToJson(const UpdatePropertiesRequest& request);
Result<UpdatePropertiesRequest> UpdatePropertiesRequestFromJson(const Json& json);

struct UpdatePropertiesResponse {
  std::vector<std::string> updated;
  std::vector<std::string> removed;
  std::vector<std::string> missing;
};
Json ToJson(const UpdatePropertiesResponse& response);
Result<UpdatePropertiesResponse> UpdatePropertiesResponseFromJson(const Json& json);

// ---- tables --------------------------------------------------------------------------------

// Credentials for every location that starts with `prefix`; the longest prefix wins.
struct StorageCredential {
  std::string prefix;
  Properties config;
};
Json ToJson(const StorageCredential& credential);
Result<StorageCredential> StorageCredentialFromJson(const Json& json);

struct LoadCredentialsResponse {
  std::vector<StorageCredential> credentials;
};
Json ToJson(const LoadCredentialsResponse& response);
Result<LoadCredentialsResponse> LoadCredentialsResponseFromJson(const Json& json);

// Answer of load, create and register. Also CommitTableResponse, which has the first two alone.
struct LoadTableResult {
  std::string metadata_location;  // empty for a staged table
  spec::TableMetadataPtr metadata;
  Properties config;
  std::vector<StorageCredential> credentials;
};
Json ToJson(const LoadTableResult& result);
// The same message around metadata that is JSON text already (as its file has it).
std::string LoadTableResultText(const LoadTableResult& result, std::string_view metadata_json);
Result<LoadTableResult> LoadTableResultFromJson(const Json& json);
// {"metadata-location", "metadata"}
Json CommitTableResponseToJson(const LoadTableResult& result);

struct CreateTableRequest {
  std::string name;
  std::optional<std::string> location;
  spec::Schema schema;
  std::optional<spec::PartitionSpec> spec;
  std::optional<spec::SortOrder> order;
  bool stage_create = false;
  Properties properties;
};
Json ToJson(const CreateTableRequest& request);
Result<CreateTableRequest> CreateTableRequestFromJson(const Json& json);

// Of a table or a view (`overwrite` for tables alone).
struct RegisterRequest {
  std::string name;
  std::string metadata_location;
  bool overwrite = false;
};
Json ToJson(const RegisterRequest& request);
Result<RegisterRequest> RegisterRequestFromJson(const Json& json);

struct CommitTableRequest {
  std::optional<TableIdentifier> identifier;
  std::vector<spec::TableRequirement> requirements;
  std::vector<spec::TableUpdate> updates;
};
Json ToJson(const CommitTableRequest& request);
Result<CommitTableRequest> CommitTableRequestFromJson(const Json& json);

struct CommitTransactionRequest {
  std::vector<CommitTableRequest> table_changes;  // each with its identifier
};
Json ToJson(const CommitTransactionRequest& request);
Result<CommitTransactionRequest> CommitTransactionRequestFromJson(const Json& json);

// ---- views ---------------------------------------------------------------------------------

struct LoadViewResult {
  std::string metadata_location;
  std::shared_ptr<const spec::ViewMetadata> metadata;
  Properties config;
};
Json ToJson(const LoadViewResult& result);
Result<LoadViewResult> LoadViewResultFromJson(const Json& json);

struct CreateViewRequest {
  std::string name;
  std::optional<std::string> location;
  spec::Schema schema;
  spec::ViewVersion version;
  Properties properties;
};
Json ToJson(const CreateViewRequest& request);
Result<CreateViewRequest> CreateViewRequestFromJson(const Json& json);

struct CommitViewRequest {
  std::optional<TableIdentifier> identifier;
  std::optional<std::string> required_uuid;  // the requirement assert-view-uuid
  std::vector<spec::ViewUpdate> updates;
};
Json ToJson(const CommitViewRequest& request);
Result<CommitViewRequest> CommitViewRequestFromJson(const Json& json);

// ---- remote signing ------------------------------------------------------------------------

using MultiHeaders = std::map<std::string, std::vector<std::string>>;

struct RemoteSignRequest {
  std::string region;
  std::string uri;
  std::string method;
  MultiHeaders headers;
  Properties properties;
  std::optional<std::string> body;
  std::optional<std::string> provider;
};
Json ToJson(const RemoteSignRequest& request);
Result<RemoteSignRequest> RemoteSignRequestFromJson(const Json& json);

struct RemoteSignResult {
  std::string uri;
  MultiHeaders headers;
};
Json ToJson(const RemoteSignResult& result);
Result<RemoteSignResult> RemoteSignResultFromJson(const Json& json);

}  // namespace iceblink::catalog::rest
