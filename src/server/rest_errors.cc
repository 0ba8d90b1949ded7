#include "server/rest_errors.h"

#include <nlohmann/json.hpp>

#include "catalog/rest_messages.h"

namespace iceblink::server {
namespace {

struct CodeRow {
  int status;
  std::string_view type;  // where the error names no class
};

CodeRow RowOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kSyntax:
    case ErrorCode::kAnalysis:
      return {400, "BadRequestException"};
    case ErrorCode::kNotFound:
      return {404, "NotFoundException"};
    case ErrorCode::kAlreadyExists:
      return {409, "AlreadyExistsException"};
    case ErrorCode::kNotEmpty:
      return {409, "NamespaceNotEmptyException"};
    case ErrorCode::kConflict:
      return {409, "CommitFailedException"};
    case ErrorCode::kCommitUnknown:
      return {500, "CommitStateUnknownException"};
    case ErrorCode::kUnauthenticated:
      return {401, "NotAuthorizedException"};
    case ErrorCode::kForbidden:
      return {403, "ForbiddenException"};
    case ErrorCode::kUnavailable:
      return {503, "ServiceUnavailableException"};
    case ErrorCode::kUnsupported:
      return {406, "UnsupportedOperationException"};
    case ErrorCode::kCorrupt:
    case ErrorCode::kIo:
    case ErrorCode::kInternal:
      return {500, "InternalServerError"};
  }
  return {500, "InternalServerError"};
}

// Classes whose status is not that of their code, and what clients know them as.
struct ClassRow {
  std::string_view name;
  int status;
  std::string_view type;
};
constexpr ClassRow kClasses[] = {
    {"ValidationException", 400, "ValidationException"},
    {"UnprocessableEntityException", 422, "UnprocessableEntityException"},
    {"MethodNotAllowedException", 405, "UnsupportedOperationException"},
    {"NoSuchRouteException", 404, "NotFoundException"},
};

CodeRow RowOf(const Error& error) {
  for (const ClassRow& row : kClasses) {
    if (row.name == error.exception) return {row.status, row.type};
  }
  CodeRow row = RowOf(error.code);
  if (!error.exception.empty()) row.type = error.exception;
  return row;
}

}  // namespace

HttpResponse RestErrorResponse(const HttpRequest&, const Error& error) {
  const CodeRow row = RowOf(error);
  catalog::rest::ErrorMessage message;
  message.code = row.status;
  message.type = row.type;
  message.message = error.message;
  HttpResponse response = HttpResponse::Json(DumpJson(ToJson(message)), message.code);
  if (message.code == 503) response.headers.emplace_back("Retry-After", "1");
  if (message.code == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

tl::unexpected<Error> BadRequest(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}

}  // namespace iceblink::server
