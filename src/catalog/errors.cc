#include "catalog/errors.h"

#include <fmt/format.h>

namespace iceblink::catalog {

tl::unexpected<Error> NoSuchTable(const TableIdentifier& id) {
  return Fail(ErrorCode::kNotFound, fmt::format("Table does not exist: {}", id.ToString()),
              "NoSuchTableException");
}

tl::unexpected<Error> NoSuchView(const TableIdentifier& id) {
  return Fail(ErrorCode::kNotFound, fmt::format("View does not exist: {}", id.ToString()),
              "NoSuchViewException");
}

tl::unexpected<Error> NoSuchNamespace(const Namespace& ns) {
  return Fail(ErrorCode::kNotFound,
              fmt::format("Namespace does not exist: {}", NamespaceToString(ns)),
              "NoSuchNamespaceException");
}

tl::unexpected<Error> TableExistsAlready(const TableIdentifier& id) {
  return AlreadyExists(fmt::format("Table already exists: {}", id.ToString()));
}

tl::unexpected<Error> AlreadyExists(std::string message) {
  return Fail(ErrorCode::kAlreadyExists, std::move(message), "AlreadyExistsException");
}

tl::unexpected<Error> NotEmpty(std::string message) {
  return Fail(ErrorCode::kNotEmpty, std::move(message), "NamespaceNotEmptyException");
}

tl::unexpected<Error> CommitFailed(std::string message) {
  Error error = Error::Make(ErrorCode::kConflict, std::move(message), "CommitFailedException");
  error.retryable = true;
  return Fail(std::move(error));
}

tl::unexpected<Error> CommitStateUnknown(const Error& cause) {
  return Fail(
      ErrorCode::kCommitUnknown,
      fmt::format(
          "{}\nCannot determine whether the commit was successful or not, the underlying data "
          "files may "
          "or may not be needed. Manual intervention via the Remove Orphan Files Action can remove "
          "these "
          "files when a connection to the Catalog can be re-established if the commit was actually "
          "unsuccessful.",
          cause.message),
      "CommitStateUnknownException");
}

tl::unexpected<Error> NotSupported(std::string message) {
  return Fail(ErrorCode::kUnsupported, std::move(message), "UnsupportedOperationException");
}

}  // namespace iceblink::catalog
