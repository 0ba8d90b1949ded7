// What a client learns of the storage: settings of the object store, and credentials when the
// catalog lends them out.
#pragma once

#include <vector>

#include "catalog/rest_messages.h"
#include "io/sigv4.h"

namespace iceblink::server {

// The catalog's s3.*, client.region ... that say where and how, without any secret.
catalog::Properties StorageSettings(const catalog::Properties& catalog);

// The catalog's own keys; empty where it has none among its properties.
io::AwsCredentials StorageKeys(const catalog::Properties& catalog);

// The catalog's own credentials for a table's location: only when its property
// `vended-credentials-enabled` is true and the client asked ("vended-credentials" in
// X-Iceberg-Access-Delegation). None otherwise.
std::vector<catalog::rest::StorageCredential> VendedCredentials(const catalog::Properties& catalog,
                                                                const std::string& location,
                                                                const std::string* delegation);

}  // namespace iceblink::server
