// The tables of one table bucket as an Iceberg catalog: what its REST endpoint serves. Commits swap
// the metadata location of the same rows that the control plane shows.
//
// As in S3 Tables, namespaces have one level and no properties but an owner, there are no views,
// and a table's files are in a place of its own: <storage>/<uuid>--table-s3.
#pragma once

#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "server/s3tables_store.h"

namespace iceblink::server {

struct S3TablesStorage {
  std::string location;             // of all tables, without a slash at the end
  catalog::Properties properties;   // s3.endpoint ...: how it is reached
  io::FileSystem* files = nullptr;  // outlives the catalogs
};

// `store` is shared.
std::shared_ptr<catalog::Catalog> MakeS3TablesCatalog(const std::string& bucket,
                                                      std::shared_ptr<S3TablesStore> store,
                                                      S3TablesStorage storage);

// A place for a new table's files.
std::string NewTableStorage(const S3TablesStorage& storage);

// kInvalidArgument, BadRequestException, when `name` is none for a namespace or table.
Status CheckS3TablesName(std::string_view what, const std::string& name);

}  // namespace iceblink::server
