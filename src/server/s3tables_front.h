// S3 Tables of `iceblink serve`, made from settings.
//
//   iceblink.s3tables.enabled               true; false leaves the control plane out
//   iceblink.s3tables.access-key-id, .secret-access-key
//                                           the key that signs requests; none: everybody is let in
//   iceblink.s3tables.access-keys.ID        the secret of a further key ID
//   iceblink.s3tables.region, .account-id   of the ARNs: us-east-1, 000000000000
//   iceblink.s3tables.uri                   the database; default: that of the default catalog
//   iceblink.s3tables.warehouse             where tables are stored, "s3://bucket/prefix"; default:
//                                           folder s3tables of the default catalog's warehouse
//   iceblink.s3tables.s3.endpoint ...       how it is reached; default: as the default catalog does
#pragma once

#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "engine/configuration.h"
#include "server/s3tables_service.h"

namespace iceblink::server {

// Null when it is switched off, or when there is no database to keep it in. `defaults` are the
// default catalog's properties.
Result<std::shared_ptr<S3Tables>> MakeS3Tables(const engine::Configuration& configuration,
                                               const catalog::Properties& defaults);

// Adds the control plane and its Iceberg endpoint to a server that has not started.
void MountS3Tables(HttpServer& server, const std::shared_ptr<S3Tables>& tables);

}  // namespace iceblink::server
