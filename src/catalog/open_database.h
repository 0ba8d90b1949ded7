// The databases that a SQL catalog's `uri` can name.
#pragma once

#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "catalog/sql_connection.h"

namespace iceblink::catalog {

// Opens jdbc:sqlite:FILE, sqlite:///FILE or jdbc:postgresql://HOST:PORT/DATABASE; the properties
// jdbc.user and jdbc.password are PostgreSQL's. kUnsupported for any other.
Result<std::unique_ptr<SqlConnection>> OpenSqlConnection(const std::string& uri,
                                                         const Properties& properties);

}  // namespace iceblink::catalog
