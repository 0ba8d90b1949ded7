#include "engine/table_schema.h"

#include <set>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/transforms.h"
#include "plan/types.h"

namespace iceblink::engine {
namespace {

// Ids as Iceberg's Spark module gives them: from 0, all columns first, then what is nested in each.
// Messages show them.
class ProvisionalIds {
 public:
  int32_t Next() { return next_++; }

 private:
  int32_t next_ = 0;
};

// Types that Spark refuses before a catalog sees them.
Status CheckType(const sql::DataType& type) {
  auto refuse = [](std::string condition, std::string_view text) -> Status {
    Error error = FailWith(ErrorCode::kUnsupported, "ExtendedAnalysisException",
                           std::move(condition), "0A000", text)
                      .value();
    error.message += ";";
    return Fail(std::move(error));
  };
  switch (type.kind()) {
    case sql::TypeKind::kTime:
      return refuse("UNSUPPORTED_TIME_TYPE", "The data type TIME is not supported.");
    case sql::TypeKind::kGeometry:
    case sql::TypeKind::kGeography:
      return refuse("UNSUPPORTED_FEATURE.GEOSPATIAL_DISABLED",
                    "The feature is not supported: Geospatial feature is disabled.");
    case sql::TypeKind::kArray:
      return CheckType(type.element());
    case sql::TypeKind::kMap:
      RETURN_IF_ERROR(CheckType(type.key()));
      return CheckType(type.value());
    case sql::TypeKind::kStruct:
      for (const sql::StructField& field : type.fields()) RETURN_IF_ERROR(CheckType(field.type));
      return {};
    default:
      return {};
  }
}

Status CheckColumn(const sql::ColumnDefinition& column, const std::string& table_name) {
  if (column.default_value) {
    return FailWith(ErrorCode::kUnsupported, "AnalysisException",
                    "UNSUPPORTED_FEATURE.TABLE_OPERATION", "0A000",
                    "The feature is not supported: Table " + table_name +
                        " does not support column default value. Please check the current catalog "
                        "and namespace to make sure "
                        "the qualified table name is expected, and also check the catalog "
                        "implementation which is "
                        "configured by \"spark.sql.catalog\".");
  }
  if (column.generated || column.identity) {
    return FailWith(ErrorCode::kUnsupported, "AnalysisException",
                    "UNSUPPORTED_FEATURE.TABLE_OPERATION", "0A000",
                    "The feature is not supported: Table " + table_name + " does not support " +
                        (column.generated ? "generated columns" : "identity column") +
                        ". Please check the current catalog and namespace to make sure the "
                        "qualified table name is expected, "
                        "and also check the catalog implementation which is configured by "
                        "\"spark.sql.catalog\".");
  }
  return {};
}

Error DuplicateColumn(const std::string& name) {
  return FailWith(ErrorCode::kAnalysis, "AnalysisException", "COLUMN_ALREADY_EXISTS", "42711",
                  "The column " + sql::QuoteIdentifier(Utf8Lower(name)) +
                      " already exists. Choose another name or rename the existing column.")
      .value();
}

Result<spec::Schema> MakeSchema(std::vector<spec::NestedField> fields,
                                const std::vector<sql::DataType>& types, ProvisionalIds& ids) {
  for (size_t i = 0; i < fields.size(); i++) {
    ASSIGN_OR_RETURN(fields[i].type, plan::ToIcebergType(types[i], [&ids] { return ids.Next(); }));
  }
  return spec::Schema(std::move(fields));
}

// The names of duplicate partition transforms, as Spark's analyzer finds them before Iceberg sees
// the table.
Status CheckDuplicates(const std::vector<spec::PartitionTerm>& terms) {
  std::set<std::string> seen;
  for (const spec::PartitionTerm& term : terms) {
    if (!term.transform.is_identity()) continue;
    if (seen.insert(Utf8Lower(term.column)).second) continue;
    Error error = Error::Make(ErrorCode::kAnalysis,
                              "Found duplicate column(s) in the partitioning: " + term.column,
                              "AnalysisException");
    error.condition = "_LEGACY_ERROR_TEMP_3058";
    return Fail(std::move(error));
  }
  return {};
}

Status CheckColumnsExist(const std::vector<spec::PartitionTerm>& terms,
                         const spec::Schema& schema) {
  for (const spec::PartitionTerm& term : terms) {
    if (schema.FindField(term.column, false) != nullptr) continue;
    Error error =
        Error::Make(ErrorCode::kAnalysis, "Couldn't find column " + term.column + " in:\nroot\n",
                    "AnalysisException");
    error.condition = "_LEGACY_ERROR_TEMP_3060";
    return Fail(std::move(error));
  }
  return {};
}

}  // namespace

Result<spec::Schema> SchemaOfColumns(const std::vector<sql::ColumnDefinition>& columns,
                                     const std::string& table_name) {
  ProvisionalIds ids;
  std::vector<spec::NestedField> fields;
  std::vector<sql::DataType> types;
  std::set<std::string> names;
  for (const sql::ColumnDefinition& column : columns) {
    const std::string& name = column.name.back();
    if (!names.insert(Utf8Lower(name)).second) return Fail(DuplicateColumn(name));
    RETURN_IF_ERROR(CheckColumn(column, table_name));
    RETURN_IF_ERROR(CheckType(column.type));
    spec::NestedField field;
    field.id = ids.Next();
    field.name = name;
    field.required = column.not_null;
    field.doc = column.comment;
    fields.push_back(std::move(field));
    types.push_back(column.type);
  }
  return MakeSchema(std::move(fields), types, ids);
}

Result<spec::Schema> SchemaOfQuery(const std::vector<plan::Column>& columns) {
  ProvisionalIds ids;
  std::vector<spec::NestedField> fields;
  std::vector<sql::DataType> types;
  for (const plan::Column& column : columns) {
    spec::NestedField field;
    field.id = ids.Next();
    field.name = column.name;
    fields.push_back(std::move(field));
    types.push_back(column.type);
  }
  return MakeSchema(std::move(fields), types, ids);
}

std::vector<sql::ColumnDefinition> PartitionColumns(const sql::CreateTable& statement) {
  std::vector<sql::ColumnDefinition> columns;
  for (const sql::PartitioningField& field : statement.partitioning) {
    if (const auto* column = std::get_if<sql::ColumnDefinition>(&field)) columns.push_back(*column);
  }
  return columns;
}

Result<spec::PartitionSpec> SpecOfPartitioning(const sql::CreateTable& statement,
                                               const spec::Schema& schema) {
  std::vector<spec::PartitionTerm> terms;
  for (const sql::PartitioningField& field : statement.partitioning) {
    if (const auto* column = std::get_if<sql::ColumnDefinition>(&field)) {
      terms.push_back({column->name.back(), spec::Transform::Identity(), {}});
      continue;
    }
    ASSIGN_OR_RETURN(ColumnTransform transform, ToColumnTransform(std::get<sql::Transform>(field)));
    terms.push_back({std::move(transform.column), std::move(transform.transform), {}});
  }
  if (statement.buckets) {
    if (statement.buckets->columns.size() != 1) {
      return IllegalArgument(
          "Cannot convert transform with more than one column reference: bucket(" +
          std::to_string(statement.buckets->count) + ", " + Join(statement.buckets->columns, ", ") +
          ")");
    }
    terms.push_back({statement.buckets->columns.front(),
                     spec::Transform::Bucket(static_cast<int32_t>(statement.buckets->count)),
                     {}});
  }
  if (!statement.cluster_by.empty()) {
    std::vector<std::string> columns;
    for (const auto& column : statement.cluster_by) columns.push_back(Join(column, "."));
    return Fail(ErrorCode::kUnsupported,
                "Transform is not supported: cluster_by(" + Join(columns, ", ") + ")",
                "UnsupportedOperationException");
  }
  RETURN_IF_ERROR(CheckColumnsExist(terms, schema));
  RETURN_IF_ERROR(CheckDuplicates(terms));
  return spec::BuildPartitionSpec(schema, terms, 0, false);
}

}  // namespace iceblink::engine
