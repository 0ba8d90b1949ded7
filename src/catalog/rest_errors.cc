#include "catalog/rest_errors.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"
#include "catalog/errors.h"
#include "catalog/rest_messages.h"

namespace iceblink::catalog::rest {
namespace {

constexpr size_t kMaxShownBody = 300;

// One row of Java's ErrorHandlers. The first that fits decides; rows of kOther fit every subject.
struct Rule {
  Subject subject;
  int status;
  std::string_view type;  // of the server's error; "" fits all, "*" all but none
  ErrorCode code;
  const char* exception;
  const char* prefix = "";  // of the server's words
};

constexpr Rule kRules[] = {
    {Subject::kConfig, 404, "*", ErrorCode::kNotFound, "NoSuchWarehouseException"},
    {Subject::kNamespace, 400, "NamespaceNotEmptyException", ErrorCode::kNotEmpty,
     "NamespaceNotEmptyException"},
    {Subject::kNamespace, 404, "", ErrorCode::kNotFound, "NoSuchNamespaceException"},
    {Subject::kNamespace, 409, "", ErrorCode::kAlreadyExists, "AlreadyExistsException"},
    {Subject::kNamespace, 422, "", ErrorCode::kInvalidArgument, "RESTException",
     "Unable to process: "},
    {Subject::kDropNamespace, 400, "NamespaceNotEmptyException", ErrorCode::kNotEmpty,
     "NamespaceNotEmptyException"},
    {Subject::kDropNamespace, 404, "", ErrorCode::kNotFound, "NoSuchNamespaceException"},
    {Subject::kDropNamespace, 409, "", ErrorCode::kNotEmpty, "NamespaceNotEmptyException"},
    {Subject::kTable, 404, "NoSuchNamespaceException", ErrorCode::kNotFound,
     "NoSuchNamespaceException"},
    {Subject::kTable, 404, "NotFoundException", ErrorCode::kNotFound, "NotFoundException"},
    {Subject::kTable, 404, "", ErrorCode::kNotFound, "NoSuchTableException"},
    {Subject::kTable, 409, "", ErrorCode::kAlreadyExists, "AlreadyExistsException"},
    {Subject::kTableCommit, 404, "", ErrorCode::kNotFound, "NoSuchTableException"},
    {Subject::kTableCommit, 409, "", ErrorCode::kConflict, "CommitFailedException",
     "Commit failed: "},
    {Subject::kTableCreation, 404, "NoSuchNamespaceException", ErrorCode::kNotFound,
     "NoSuchNamespaceException"},
    {Subject::kTableCreation, 404, "", ErrorCode::kNotFound, "NoSuchTableException"},
    {Subject::kTableCreation, 409, "", ErrorCode::kAlreadyExists, "AlreadyExistsException"},
    {Subject::kView, 404, "NoSuchNamespaceException", ErrorCode::kNotFound,
     "NoSuchNamespaceException"},
    {Subject::kView, 404, "", ErrorCode::kNotFound, "NoSuchViewException"},
    {Subject::kView, 409, "", ErrorCode::kAlreadyExists, "AlreadyExistsException"},
    {Subject::kViewCommit, 404, "", ErrorCode::kNotFound, "NoSuchViewException"},
    {Subject::kViewCommit, 409, "", ErrorCode::kConflict, "CommitFailedException",
     "Commit failed: "},
    {Subject::kOther, 400, "IllegalArgumentException", ErrorCode::kInvalidArgument,
     "IllegalArgumentException"},
    {Subject::kOther, 400, "", ErrorCode::kInvalidArgument, "BadRequestException",
     "Malformed request: "},
    {Subject::kOther, 401, "", ErrorCode::kUnauthenticated, "NotAuthorizedException",
     "Not authorized: "},
    {Subject::kOther, 403, "", ErrorCode::kForbidden, "ForbiddenException", "Forbidden: "},
    {Subject::kOther, 404, "", ErrorCode::kNotFound, "RESTException", "Unable to process: "},
    {Subject::kOther, 405, "", ErrorCode::kUnsupported, "UnsupportedOperationException"},
    {Subject::kOther, 406, "", ErrorCode::kUnsupported, "UnsupportedOperationException"},
    {Subject::kOther, 419, "", ErrorCode::kUnauthenticated, "NotAuthorizedException",
     "Not authorized: "},
    {Subject::kOther, 429, "", ErrorCode::kUnavailable, "RESTException", "Unable to process: "},
    {Subject::kOther, 501, "", ErrorCode::kUnsupported, "UnsupportedOperationException"},
    {Subject::kOther, 502, "", ErrorCode::kUnavailable, "RESTException", "Unable to process: "},
    {Subject::kOther, 503, "", ErrorCode::kUnavailable, "ServiceUnavailableException",
     "Service unavailable: "},
    {Subject::kOther, 504, "", ErrorCode::kUnavailable, "RESTException", "Unable to process: "},
};

bool Fits(const Rule& rule, Subject subject, const ErrorMessage& error) {
  if (rule.subject != Subject::kOther && rule.subject != subject) return false;
  if (rule.status != error.code) return false;
  return rule.type.empty() || rule.type == error.type || (rule.type == "*" && !error.type.empty());
}

// The server's words, or what stands for them when it has none or is no REST catalog.
ErrorMessage MessageOf(const io::HttpResponse& response) {
  ErrorMessage error;
  if (const auto json = ParseJson(response.body, "error response")) {
    if (auto parsed = ErrorMessageFromJson(*json)) error = std::move(*parsed);
  }
  if (error.message.empty()) {
    error.message = response.body.empty()
                        ? fmt::format("the server answered {} without a message", response.status)
                        : response.body.substr(0, kMaxShownBody);
  }
  error.code = response.status;
  return error;
}

// Whether the server may have done what it was asked for, though it did not say so.
bool OutcomeUnknown(int status) {
  return status == 500 || status == 502 || status == 503 || status == 504;
}

}  // namespace

bool IsCommit(Subject subject) {
  return subject == Subject::kTableCommit || subject == Subject::kTableCreation ||
         subject == Subject::kViewCommit;
}

Error ErrorOfResponse(const io::HttpResponse& response, Subject subject) {
  const ErrorMessage error = MessageOf(response);
  if (IsCommit(subject) && OutcomeUnknown(error.code)) {
    return CommitStateUnknown(
               Error::Make(ErrorCode::kIo,
                           fmt::format("Service failed: {}: {}", error.code, error.message),
                           "ServiceFailureException"))
        .value();
  }
  for (const Rule& rule : kRules) {
    if (!Fits(rule, subject, error)) continue;
    Error out = Error::Make(rule.code, rule.prefix + error.message, rule.exception);
    out.retryable = rule.code == ErrorCode::kConflict;
    return out;
  }
  if (error.code == 500) {
    return Error::Make(ErrorCode::kIo,
                       fmt::format("Server error: {}: {}", error.type, error.message),
                       "ServiceFailureException");
  }
  return Error::Make(error.code >= 500 ? ErrorCode::kIo : ErrorCode::kInvalidArgument,
                     "Unable to process: " + error.message, "RESTException");
}

}  // namespace iceblink::catalog::rest
