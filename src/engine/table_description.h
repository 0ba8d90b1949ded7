// What DESCRIBE, SHOW TBLPROPERTIES and SHOW CREATE TABLE tell of a table, as plain data.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "spec/table_metadata.h"
#include "spec/view_metadata.h"

namespace iceblink::engine {

// The properties that Spark shows: stored ones, without those Spark keeps to itself (owner, comment
// ...), and the derived ones: format, format-version, current-snapshot-id, sort-order,
// identifier-fields. `snapshot_id` is the state shown.
std::map<std::string, std::string> VisibleProperties(const spec::TableMetadata& metadata,
                                                     std::optional<int64_t> snapshot_id);

// Likewise of a view: location, provider and format-version, and the user's own.
std::map<std::string, std::string> VisibleViewProperties(const spec::ViewMetadata& view);

// CREATE VIEW text.
std::string CreateViewText(const std::string& name, const spec::ViewMetadata& view);

// Whether a LIKE pattern of SHOW statements matches: * is any text, | separates alternatives, case
// does not count.
bool MatchesShowPattern(std::string_view text, std::string_view pattern);

// Spark's printSchema text of a schema.
std::string SchemaTree(const spec::Schema& schema);

// CREATE TABLE text.
std::string CreateTableText(const std::string& name, const spec::TableMetadata& metadata);

// ` |-- id: long (nullable = true)` needs Spark's typeName of a type: integer, long, timestamp ...
std::string TypeName(const spec::Type& type);

}  // namespace iceblink::engine
