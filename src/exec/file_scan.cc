// Files in place: csv.`path`, parquet.`path`, json.`path` with Spark's options, and what columns
// they have.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_types.h"
#include "exec/executor_state.h"
#include "exec/lowering.h"
#include "exec/spark_error.h"
#include "io/file_system.h"

namespace iceblink::exec {

namespace {

using duckdb::LogicalTypeId;
using plan::DataType;

std::string Option(const plan::FileScan& scan, std::initializer_list<const char*> names,
                   std::string fallback) {
  for (const char* name : names) {
    auto it = scan.options.find(name);
    if (it != scan.options.end()) return it->second;
  }
  return fallback;
}

bool Flag(const plan::FileScan& scan, const char* name) {
  return ParseBool(Option(scan, {name}, "false")).value_or(false);
}

// The files of a path: itself, or what a folder holds without hidden ones.
Result<std::vector<std::string>> Expand(io::FileSystem& files,
                                        const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    if (path.find_first_of("*?[") != std::string::npos) {
      out.push_back(DuckDbPath(path));
      continue;
    }
    auto info = files.Stat(path);
    if (!info) {
      if (info.error().code != ErrorCode::kNotFound) return Fail(info.error());
      Error error =
          Error::Make(ErrorCode::kNotFound,
                      "[PATH_NOT_FOUND] Path does not exist: " + path + ". SQLSTATE: 42K03",
                      "AnalysisException");
      error.condition = "PATH_NOT_FOUND";
      error.sql_state = "42K03";
      return Fail(error);
    }
    if (!info->is_directory) {
      out.push_back(DuckDbPath(path));
      continue;
    }
    std::vector<std::string> found;
    RETURN_IF_ERROR(files.List(path, true, [&](const io::FileInfo& file) -> Status {
      std::string_view name = io::BaseName(file.path);
      if (!file.is_directory && !name.starts_with('_') && !name.starts_with('.'))
        found.push_back(DuckDbPath(file.path));
      return {};
    }));
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

std::string CsvArguments(const plan::FileScan& scan) {
  std::string out = fmt::format(
      ", header={}, delim={}, quote={}, escape={}, nullstr={}", Flag(scan, "header"),
      QuoteText(Option(scan, {"sep", "delimiter"}, ",")), QuoteText(Option(scan, {"quote"}, "\"")),
      QuoteText(Option(scan, {"escape"}, "\"")), QuoteText(Option(scan, {"nullvalue"}, "")));
  // Column names come from the header or are _c0, _c1 ...; types only on request.
  if (Flag(scan, "inferschema")) {
    out +=
        ", auto_type_candidates=['BOOLEAN', 'INTEGER', 'BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', "
        "'VARCHAR']";
  } else {
    out += ", all_varchar=true";
  }
  if (AsciiUpper(Option(scan, {"mode"}, "PERMISSIVE")) != "FAILFAST") out += ", null_padding=true";
  if (AsciiUpper(Option(scan, {"mode"}, "PERMISSIVE")) == "DROPMALFORMED")
    out += ", ignore_errors=true";
  return out;
}

// One row for each line, or with `wholetext` for each file. The end of the last line is no line.
std::string TextRelation(const plan::FileScan& scan, const std::string& files) {
  if (Flag(scan, "wholetext")) return "(SELECT content AS value FROM read_text(" + files + "))";
  return "(SELECT unnest(string_split(regexp_replace(replace(content, chr(13) || chr(10), "
         "chr(10)), '\\n$', ''), chr(10))) AS value FROM read_text(" +
         files + ") WHERE content <> '')";
}

Result<std::string> Relation(DuckDbSession& session, const plan::FileScan& scan,
                             Extensions* needs) {
  ASSIGN_OR_RETURN(std::vector<std::string> files, Expand(session.files(), scan.paths));
  std::vector<std::string> quoted;
  for (const std::string& file : files) quoted.push_back(QuoteText(file));
  std::string list = "[" + Join(quoted, ", ") + "]";
  if (scan.format == "csv") return "read_csv(" + list + CsvArguments(scan) + ")";
  if (scan.format == "parquet") {
    needs->parquet = true;
    return "read_parquet(" + list + ", union_by_name=true)";
  }
  if (scan.format == "json") {
    needs->json = needs->core_functions = true;
    return "read_json(" + list + ", format='" +
           (Flag(scan, "multiline") ? "auto" : "newline_delimited") + "')";
  }
  if (scan.format == "text") {
    needs->core_functions = true;
    return TextRelation(scan, list);
  }
  return Fail(ErrorCode::kUnsupported, "Cannot read " + scan.format + " files",
              "UnsupportedOperationException");
}

DataType FromLogicalType(const duckdb::LogicalType& type) {
  using sql::TypeKind;
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return TypeKind::kBoolean;
    case LogicalTypeId::TINYINT:
      return TypeKind::kTinyInt;
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::UTINYINT:
      return TypeKind::kSmallInt;
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::USMALLINT:
      return TypeKind::kInt;
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UINTEGER:
      return TypeKind::kBigInt;
    case LogicalTypeId::UBIGINT:
      return DataType::Decimal(20, 0);
    case LogicalTypeId::HUGEINT:
      return DataType::Decimal(38, 0);
    case LogicalTypeId::FLOAT:
      return TypeKind::kFloat;
    case LogicalTypeId::DOUBLE:
      return TypeKind::kDouble;
    case LogicalTypeId::DECIMAL:
      return DataType::Decimal(duckdb::DecimalType::GetWidth(type),
                               duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::DATE:
      return TypeKind::kDate;
    case LogicalTypeId::TIMESTAMP_TZ:
      return TypeKind::kTimestamp;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_NS:
    case LogicalTypeId::TIMESTAMP_MS:
    case LogicalTypeId::TIMESTAMP_SEC:
      return TypeKind::kTimestampNtz;
    case LogicalTypeId::BLOB:
      return TypeKind::kBinary;
    case LogicalTypeId::LIST:
      return DataType::Array(FromLogicalType(duckdb::ListType::GetChildType(type)));
    case LogicalTypeId::MAP:
      return DataType::Map(FromLogicalType(duckdb::MapType::KeyType(type)),
                           FromLogicalType(duckdb::MapType::ValueType(type)));
    case LogicalTypeId::STRUCT: {
      std::vector<sql::StructField> fields;
      for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
        fields.push_back({name, FromLogicalType(child), true, std::nullopt});
      }
      return DataType::Struct(std::move(fields));
    }
    default:
      return TypeKind::kString;
  }
}

struct FileColumn {
  std::string source;  // name in the relation
  plan::Column column;
};

Result<std::vector<FileColumn>> DescribeColumns(DuckDbSession& session,
                                                const plan::FileScan& scan) {
  Extensions needs{.core_functions = true};
  ASSIGN_OR_RETURN(std::string relation, Relation(session, scan, &needs));
  RETURN_IF_ERROR(session.Prepare(needs));
  ASSIGN_OR_RETURN(auto result, session.RunAside("SELECT * FROM " + relation + " LIMIT 0"));
  bool numbered = scan.format == "csv" && !Flag(scan, "header");
  std::vector<FileColumn> out;
  for (size_t i = 0; i < result->names.size(); ++i) {
    plan::Column column;
    column.name = numbered ? "_c" + std::to_string(i) : result->names[i];
    column.type = FromLogicalType(result->types[i]);
    // A file's wall clock is an instant of the session zone for Spark's text formats.
    if (scan.format != "parquet" && column.type.kind() == sql::TypeKind::kTimestampNtz) {
      column.type = sql::TypeKind::kTimestamp;
    }
    out.push_back({result->names[i], std::move(column)});
  }
  if (scan.format == "json") {
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return a.column.name < b.column.name; });
  }
  return out;
}

}  // namespace

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::FileScan& node) {
  ASSIGN_OR_RETURN(std::vector<FileColumn> columns, DescribeColumns(session_, node));
  ASSIGN_OR_RETURN(std::string relation, Relation(session_, node, &extensions_));
  std::vector<std::string> items;
  for (const plan::Column& wanted : plan.output) {
    std::string text;
    for (const FileColumn& column : columns) {
      if (EqualsIgnoreCase(column.column.name, wanted.name)) text = QuoteIdentifier(column.source);
    }
    if (text.empty()) return Fail(ErrorCode::kInternal, "files have no column " + wanted.name);
    items.push_back("CAST(" + text + " AS " + TypeSql(wanted.type) + ") AS " + Name(wanted.id));
  }
  if (items.empty()) items.push_back("0 AS z");
  return "SELECT " + Join(items, ", ") + " FROM " + relation;
}

Result<std::vector<plan::Column>> Executor::DescribeFiles(const plan::FileScan& scan) {
  return Guarded([&]() -> Result<std::vector<plan::Column>> {
    ASSIGN_OR_RETURN(std::vector<FileColumn> columns, DescribeColumns(state_->session, scan));
    std::vector<plan::Column> out;
    for (FileColumn& column : columns) out.push_back(std::move(column.column));
    return out;
  });
}

}  // namespace iceblink::exec
