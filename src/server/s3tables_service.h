// The S3 Tables control plane as an HttpService: table buckets, namespaces, tables, their metadata
// locations, and the settings beside them, in the rest-json protocol that boto3 and the AWS SDKs
// speak; and the bucket's Iceberg REST endpoint.
//
//   auto tables = std::make_shared<S3Tables>(options);
//   http.Mount("", MakeS3TablesService(tables));
//   http.Mount("/iceberg", MakeRestService(MakeS3TablesRestServer(tables, metrics)));
//
// Requests are signed (SigV4, service s3tables) with one of the configured keys; without any key
// configured, everybody may do everything, as on the REST catalog. Managed maintenance is
// configuration only: nothing here runs it, so its jobs say Not_Yet_Run.
//
// Safe from several threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "io/catalog_file_system.h"
#include "server/http_server.h"
#include "server/rest_service.h"
#include "server/s3tables_catalog.h"
#include "server/s3tables_store.h"

namespace iceblink::server {

struct S3TablesOptions {
  std::string region = "us-east-1";
  std::string account_id = "000000000000";
  std::map<std::string, std::string> access_keys;  // secret by id
  std::string storage_location;                    // "s3://bucket/prefix" or a folder
  catalog::Properties storage_properties;          // how it is reached
  std::shared_ptr<S3TablesStore> store;
  const Clock* clock = &SystemClock();
};

class S3Tables {
 public:
  explicit S3Tables(S3TablesOptions given);

  const S3TablesOptions options;
  S3TablesStore& store() const { return *options.store; }
  const S3TablesStorage& storage() const { return storage_; }
  int64_t now_ms() const { return options.clock->NowMillis(); }

  std::string BucketArn(const std::string& bucket) const;
  std::string TableArn(const S3Table& table) const;
  // The bucket of its ARN. Errors: BadRequestException for what is no ARN, NotFoundException.
  Result<S3TableBucket> BucketOfArn(const std::string& arn) const;
  Result<S3Table> TableOfArn(const std::string& arn) const;
  // The bucket's tables as a catalog. Errors: as BucketOfArn.
  Result<std::shared_ptr<catalog::Catalog>> CatalogOfArn(const std::string& arn);

  // Checks the request's signature and sets its principal to the access key.
  Status Authenticate(HttpRequest& request) const;

 private:
  std::unique_ptr<io::CatalogFileSystem> files_;
  S3TablesStorage storage_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<catalog::Catalog>> catalogs_;  // by bucket id
};

HttpService MakeS3TablesService(std::shared_ptr<S3Tables> tables);
std::shared_ptr<RestServer> MakeS3TablesRestServer(std::shared_ptr<S3Tables> tables,
                                                   HttpMetrics& metrics);

}  // namespace iceblink::server
