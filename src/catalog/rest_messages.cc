// Names in paths, errors, configuration, lists, namespaces and remote signing.
#include "catalog/rest_messages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "catalog/rest_json.h"

namespace iceblink::catalog::rest {

std::string EncodeSegment(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string DecodeSegment(std::string_view text, bool plus_is_space) {
  if (plus_is_space) return FormUrlDecode(text);
  return FormUrlDecode(ReplaceAll(text, "+", "%2B"));
}

namespace {

// Split at every `separator`, which may be of several characters; empty text has no parts.
std::vector<std::string> SplitAt(std::string_view text, std::string_view separator) {
  if (text.empty()) return {};
  if (separator.empty()) return {std::string(text)};
  std::vector<std::string> parts;
  for (size_t at; (at = text.find(separator)) != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.emplace_back(text);
  return parts;
}

}  // namespace

std::string EncodeNamespace(const Namespace& ns, std::string_view separator) {
  std::vector<std::string> levels;
  for (const std::string& level : ns) levels.push_back(EncodeSegment(level));
  return Join(levels, separator);
}

Namespace DecodeNamespace(std::string_view segment, std::string_view separator) {
  const std::string text = ReplaceAll(segment, "%1f", kNamespaceSeparator);
  if (text.find(kNamespaceSeparator) != std::string::npos) separator = kNamespaceSeparator;
  Namespace ns;
  for (const std::string& level : SplitAt(text, separator)) ns.push_back(DecodeSegment(level));
  return ns;
}

std::string NamespaceToParameter(const Namespace& ns, std::string_view separator) {
  return Join(ns, DecodeSegment(separator));
}

Namespace NamespaceFromParameter(std::string_view text, std::string_view separator) {
  const bool standard = text.find('\x1f') != std::string_view::npos;
  return SplitAt(text, standard ? "\x1f" : DecodeSegment(separator));
}

Json ToJson(const ErrorMessage& error) {
  Json inner = {{"message", error.message}, {"type", error.type}, {"code", error.code}};
  if (!error.stack.empty()) inner["stack"] = error.stack;
  return {{"error", std::move(inner)}};
}

Result<ErrorMessage> ErrorMessageFromJson(const Json& json) {
  ASSIGN_OR_RETURN(const Json* inner, json::GetObject(json, "error"));
  ErrorMessage error;
  ASSIGN_OR_RETURN(const auto code, json::FindInt(*inner, "code"));
  ASSIGN_OR_RETURN(const auto type, json::FindString(*inner, "type"));
  ASSIGN_OR_RETURN(const auto message, json::FindString(*inner, "message"));
  error.code = code.value_or(0);
  error.type = type.value_or("");
  error.message = message.value_or("");
  if (json::Has(*inner, "stack")) {
    ASSIGN_OR_RETURN(error.stack, json::GetStringList(*inner, "stack"));
  }
  return error;
}

Json ToJson(const OAuthError& error) {
  Json json = {{"error", error.error}};
  if (!error.description.empty()) json["error_description"] = error.description;
  return json;
}

Result<OAuthError> OAuthErrorFromJson(const Json& json) {
  OAuthError error;
  ASSIGN_OR_RETURN(error.error, json::GetString(json, "error"));
  ASSIGN_OR_RETURN(const auto description, json::FindString(json, "error_description"));
  error.description = description.value_or("");
  return error;
}

Json ToJson(const ConfigResponse& response) {
  Json json = {{"defaults", PropertiesToJson(response.defaults)},
               {"overrides", PropertiesToJson(response.overrides)}};
  if (response.endpoints) json["endpoints"] = *response.endpoints;
  if (response.idempotency_key_lifetime)
    json["idempotency-key-lifetime"] = *response.idempotency_key_lifetime;
  return json;
}

Result<ConfigResponse> ConfigResponseFromJson(const Json& json) {
  ConfigResponse response;
  ASSIGN_OR_RETURN(response.defaults, FindProperties(json, "defaults"));
  ASSIGN_OR_RETURN(response.overrides, FindProperties(json, "overrides"));
  if (json::Has(json, "endpoints")) {
    ASSIGN_OR_RETURN(response.endpoints, json::GetStringList(json, "endpoints"));
  }
  ASSIGN_OR_RETURN(response.idempotency_key_lifetime,
                   json::FindString(json, "idempotency-key-lifetime"));
  return response;
}

Json ToJson(const OAuthTokenResponse& response) {
  Json json = {{"access_token", response.access_token}, {"token_type", response.token_type}};
  if (response.expires_in) json["expires_in"] = *response.expires_in;
  if (response.issued_token_type) json["issued_token_type"] = *response.issued_token_type;
  if (response.refresh_token) json["refresh_token"] = *response.refresh_token;
  if (response.scope) json["scope"] = *response.scope;
  return json;
}

Result<OAuthTokenResponse> OAuthTokenResponseFromJson(const Json& json) {
  OAuthTokenResponse response;
  ASSIGN_OR_RETURN(response.access_token, json::GetString(json, "access_token"));
  ASSIGN_OR_RETURN(const auto type, json::FindString(json, "token_type"));
  response.token_type = type.value_or("bearer");
  ASSIGN_OR_RETURN(response.expires_in, json::FindLong(json, "expires_in"));
  ASSIGN_OR_RETURN(response.issued_token_type, json::FindString(json, "issued_token_type"));
  ASSIGN_OR_RETURN(response.refresh_token, json::FindString(json, "refresh_token"));
  ASSIGN_OR_RETURN(response.scope, json::FindString(json, "scope"));
  return response;
}

Json ToJson(const TableIdentifier& id) { return {{"namespace", id.ns}, {"name", id.name}}; }

Result<TableIdentifier> TableIdentifierFromJson(const Json& json) {
  TableIdentifier id;
  ASSIGN_OR_RETURN(id.ns, json::GetStringList(json, "namespace"));
  ASSIGN_OR_RETURN(id.name, json::GetString(json, "name"));
  return id;
}

Json ToJson(const ListNamespacesResponse& response) {
  Json json = {{"namespaces", Json(response.namespaces)}};
  json["next-page-token"] = OrNull(response.next_page_token);
  return json;
}

Result<ListNamespacesResponse> ListNamespacesResponseFromJson(const Json& json) {
  ListNamespacesResponse response;
  ASSIGN_OR_RETURN(response.namespaces, ReadList(json, "namespaces", StringListFromJson));
  ASSIGN_OR_RETURN(response.next_page_token, json::FindString(json, "next-page-token"));
  return response;
}

Json ToJson(const ListTablesResponse& response) {
  Json json = {{"identifiers", WriteList(response.identifiers)}};
  json["next-page-token"] = OrNull(response.next_page_token);
  return json;
}

Result<ListTablesResponse> ListTablesResponseFromJson(const Json& json) {
  ListTablesResponse response;
  ASSIGN_OR_RETURN(response.identifiers, ReadList(json, "identifiers", TableIdentifierFromJson));
  ASSIGN_OR_RETURN(response.next_page_token, json::FindString(json, "next-page-token"));
  return response;
}

Json ToJson(const RenameRequest& request) {
  return {{"source", ToJson(request.source)}, {"destination", ToJson(request.destination)}};
}

Result<RenameRequest> RenameRequestFromJson(const Json& json) {
  ASSIGN_OR_RETURN(const Json* source, json::GetObject(json, "source"));
  ASSIGN_OR_RETURN(const Json* destination, json::GetObject(json, "destination"));
  RenameRequest request;
  ASSIGN_OR_RETURN(request.source, TableIdentifierFromJson(*source));
  ASSIGN_OR_RETURN(request.destination, TableIdentifierFromJson(*destination));
  return request;
}

Json ToJson(const NamespaceMessage& message) {
  return {{"namespace", message.ns}, {"properties", PropertiesToJson(message.properties)}};
}

Result<NamespaceMessage> NamespaceMessageFromJson(const Json& json) {
  NamespaceMessage message;
  ASSIGN_OR_RETURN(message.ns, json::GetStringList(json, "namespace"));
  ASSIGN_OR_RETURN(message.properties, FindProperties(json, "properties"));
  return message;
}

Json ToJson(const UpdatePropertiesRequest& request) {
  return {{"removals", request.removals}, {"updates", PropertiesToJson(request.updates)}};
}

Result<UpdatePropertiesRequest> UpdatePropertiesRequestFromJson(const Json& json) {
  UpdatePropertiesRequest request;
  ASSIGN_OR_RETURN(request.removals, FindStringList(json, "removals"));
  ASSIGN_OR_RETURN(request.updates, FindProperties(json, "updates"));
  return request;
}

Json ToJson(const UpdatePropertiesResponse& response) {
  return {
      {"updated", response.updated}, {"removed", response.removed}, {"missing", response.missing}};
}

Result<UpdatePropertiesResponse> UpdatePropertiesResponseFromJson(const Json& json) {
  UpdatePropertiesResponse response;
  ASSIGN_OR_RETURN(response.updated, FindStringList(json, "updated"));
  ASSIGN_OR_RETURN(response.removed, FindStringList(json, "removed"));
  ASSIGN_OR_RETURN(response.missing, FindStringList(json, "missing"));
  return response;
}

namespace {

Result<MultiHeaders> HeadersFromJson(const Json& json) {
  ASSIGN_OR_RETURN(const Json* members, json::GetObject(json, "headers"));
  MultiHeaders headers;
  for (const auto& [name, values] : members->items()) {
    ASSIGN_OR_RETURN(headers[name], StringListFromJson(values));
  }
  return headers;
}

Json HeadersToJson(const MultiHeaders& headers) {
  Json json = Json::object();
  for (const auto& [name, values] : headers) json[name] = values;
  return json;
}

}  // namespace

Json ToJson(const RemoteSignRequest& request) {
  Json json = {{"region", request.region},
               {"method", request.method},
               {"uri", request.uri},
               {"headers", HeadersToJson(request.headers)}};
  if (!request.properties.empty()) json["properties"] = PropertiesToJson(request.properties);
  if (request.body) json["body"] = *request.body;
  if (request.provider) json["provider"] = *request.provider;
  return json;
}

Result<RemoteSignRequest> RemoteSignRequestFromJson(const Json& json) {
  RemoteSignRequest request;
  ASSIGN_OR_RETURN(request.region, json::GetString(json, "region"));
  ASSIGN_OR_RETURN(request.method, json::GetString(json, "method"));
  ASSIGN_OR_RETURN(request.uri, json::GetString(json, "uri"));
  ASSIGN_OR_RETURN(request.headers, HeadersFromJson(json));
  ASSIGN_OR_RETURN(request.properties, FindProperties(json, "properties"));
  ASSIGN_OR_RETURN(request.body, json::FindString(json, "body"));
  ASSIGN_OR_RETURN(request.provider, json::FindString(json, "provider"));
  return request;
}

Json ToJson(const RemoteSignResult& result) {
  return {{"uri", result.uri}, {"headers", HeadersToJson(result.headers)}};
}

Result<RemoteSignResult> RemoteSignResultFromJson(const Json& json) {
  RemoteSignResult result;
  ASSIGN_OR_RETURN(result.uri, json::GetString(json, "uri"));
  ASSIGN_OR_RETURN(result.headers, HeadersFromJson(json));
  return result;
}

}  // namespace iceblink::catalog::rest
