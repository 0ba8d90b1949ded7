// The errors of every catalog, in Iceberg's words.
#pragma once

#include "catalog/catalog.h"

namespace iceblink::catalog {

tl::unexpected<Error> NoSuchTable(const TableIdentifier& id);
tl::unexpected<Error> NoSuchView(const TableIdentifier& id);
tl::unexpected<Error> NoSuchNamespace(const Namespace& ns);
tl::unexpected<Error> TableExistsAlready(const TableIdentifier& id);
tl::unexpected<Error> AlreadyExists(std::string message);
tl::unexpected<Error> NotEmpty(std::string message);
// A lost compare-and-swap: another attempt after a refresh can succeed.
tl::unexpected<Error> CommitFailed(std::string message);
tl::unexpected<Error> CommitStateUnknown(const Error& cause);
tl::unexpected<Error> NotSupported(std::string message);

}  // namespace iceblink::catalog
