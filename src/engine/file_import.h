// Data files of other tables and folders as files of an Iceberg table, where they are: what
// add_files, snapshot and migrate share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/name_resolver.h"
#include "engine/statement_scope.h"

namespace iceblink::engine {

// A Parquet file to import with the text of its partition values; absent: null.
struct SourceFile {
  std::string path;
  std::map<std::string, std::optional<std::string>> partition;
};

struct FileSource {
  std::vector<std::string> partition_columns;
  std::vector<SourceFile> files;  // sorted by path
};

// The Parquet files below a folder, with the partition columns of its `name=value` folders. Names
// that begin with _ or . are hidden, as in Spark.
Result<FileSource> ListFolder(io::FileSystem& files, const std::string& folder);
// The files of a table of the session catalog that was made USING parquet. Error: kUnsupported for
// a table whose rows are not just those of its files.
Result<FileSource> ListTable(StatementScope& scope, const TableHandle& table);

// Makes data files of the source's: metrics from their footers, partition tuples of `spec`, whose
// fields are identities of the source's partition columns.
Result<std::vector<spec::DataFile>> DescribeSource(const TableHandle& target,
                                                   const spec::PartitionSpec& spec,
                                                   const FileSource& source);

// Gives the table a name mapping of its schema where it has none, in a commit of its own.
Status EnsureNameMapping(TableHandle& table);

// Appends the files: partitioned ones by a manifest of their own, as Spark's import does.
Status AppendImported(StatementScope& scope, const TableHandle& target,
                      const spec::PartitionSpec& spec, std::vector<spec::DataFile> files);

}  // namespace iceblink::engine
