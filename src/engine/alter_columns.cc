#include "engine/alter_columns.h"

#include <utility>

#include "base/strings.h"
#include "commit/table_changes.h"
#include "engine/errors.h"
#include "plan/types.h"

namespace iceblink::engine {
namespace {

using spec::NestedField;
using spec::Schema;

std::string Dotted(const sql::Name& name) { return Join(name, "."); }

sql::Name ParentOf(const sql::Name& name) { return {name.begin(), name.end() - 1}; }

std::string Sibling(const sql::Name& name, const std::string& leaf) {
  sql::Name sibling = ParentOf(name);
  sibling.push_back(leaf);
  return Dotted(sibling);
}

// Schema changes that Iceberg refuses come out of Spark wrapped.
Status Wrapped(Error error) {
  Error wrapped =
      Error::Make(error.code, "Unsupported table change: " + error.message, "SparkException");
  wrapped.condition = "_LEGACY_ERROR_TEMP_2045";
  return Fail(std::move(wrapped));
}

Status ApplyChange(const TableHandle& table,
                   const std::function<Status(spec::SchemaUpdate&)>& change) {
  bool refused = false;  // by the update's own checks; a commit that fails is another matter
  auto outcome =
      commit::ChangeSchema(*table.catalog, table.id, [&](spec::SchemaUpdate& update) -> Status {
        Status status = change(update);
        if (status) {
          if (auto applied = update.Apply(); !applied) status = Fail(applied.error());
        }
        refused = !status;
        return status;
      });
  if (outcome) return {};
  if (refused && outcome.error().exception != "UnsupportedOperationException")
    return Wrapped(std::move(outcome).error());
  return Fail(std::move(outcome).error());
}

std::vector<std::string> QuotedColumns(const Schema& schema) {
  std::vector<std::string> names;
  for (const NestedField& field : schema.fields())
    names.push_back(sql::QuoteIdentifier(field.name));
  return names;
}

Error UnresolvedColumn(const sql::Name& name, const Schema& schema) {
  Error error =
      FailWith(ErrorCode::kAnalysis, "AnalysisException", "UNRESOLVED_COLUMN.WITH_SUGGESTION",
               "42703",
               "A column, variable, or function parameter with name " + sql::QuoteName(name) +
                   " cannot be resolved. Did you mean one of the following? [" +
                   Join(QuotedColumns(schema), ", ") + "].")
          .value();
  error.message += "; line 1 pos 0";
  return error;
}

// The table's struct as the messages print it: every child of the parent.
Result<std::string> StructText(const Schema& schema, const sql::Name& parent) {
  spec::Type type = schema.struct_type();
  if (!parent.empty()) {
    const NestedField* field = schema.FindField(Dotted(parent), false);
    if (field != nullptr) type = field->type;
  }
  ASSIGN_OR_RETURN(sql::DataType spark, plan::ToSparkType(type));
  return spark.SqlString();
}

// FIELD_ALREADY_EXISTS, which names the operation and the struct.
Status AlreadyExists(const Schema& schema, const sql::Name& name, std::string_view operation) {
  ASSIGN_OR_RETURN(std::string text, StructText(schema, ParentOf(name)));
  Error error = FailWith(ErrorCode::kAlreadyExists, "ExtendedAnalysisException",
                         "FIELD_ALREADY_EXISTS", "42710",
                         "Cannot " + std::string(operation) + " column, because " +
                             sql::QuoteName(name) + " already exists in \"" + text + "\".")
                    .value();
  error.message += "; line 1 pos 0;";
  return Fail(std::move(error));
}

Status InvalidFieldName(const sql::Name& name, const sql::Name& parent) {
  return FailWith(ErrorCode::kAnalysis, "AnalysisException", "INVALID_FIELD_NAME", "42000",
                  "Field name " + sql::QuoteName(name) + " is invalid: " + sql::QuoteName(parent) +
                      " is not a struct.");
}

// Checks that the parent of a nested name is a struct.
Status CheckParent(const Schema& schema, const sql::Name& name) {
  sql::Name parent = ParentOf(name);
  if (parent.empty()) return {};
  const NestedField* field = schema.FindField(Dotted(parent), false);
  if (field == nullptr) return Fail(UnresolvedColumn(parent, schema));
  if (!field->type.Is(spec::TypeKind::kStruct)) return InvalidFieldName(name, parent);
  return {};
}

Result<const NestedField*> RequireColumn(const Schema& schema, const sql::Name& name) {
  const NestedField* field = schema.FindField(Dotted(name), false);
  if (field == nullptr) return Fail(UnresolvedColumn(name, schema));
  return field;
}

Result<spec::Type> IcebergType(const sql::DataType& type) {
  int32_t next = 0;
  return plan::ToIcebergType(type, [&next] { return ++next; });
}

Status CheckPosition(const Schema& schema, const sql::Name& name,
                     const std::optional<sql::ColumnPosition>& position,
                     const std::vector<sql::ColumnDefinition>& added = {}) {
  if (!position || position->after.empty()) return {};
  if (schema.FindField(Sibling(name, position->after), false) != nullptr) return {};
  for (const sql::ColumnDefinition& other : added) {
    if (Dotted(other.name) == Sibling(name, position->after)) return {};
  }
  std::vector<std::string> names;
  for (const NestedField& field : schema.fields()) names.push_back(field.name);
  return FailWith(ErrorCode::kAnalysis, "AnalysisException", "FIELD_NOT_FOUND", "42704",
                  "No such struct field " + sql::QuoteIdentifier(name.back()) + " in " +
                      Join(names, ", ") + ".");
}

Status Move(spec::SchemaUpdate& update, const sql::Name& name,
            const std::optional<sql::ColumnPosition>& position) {
  if (!position) return {};
  return update.MoveColumn(Dotted(name),
                           position->after.empty()
                               ? spec::ColumnPosition::First()
                               : spec::ColumnPosition::After(Sibling(name, position->after)));
}

Status AddOne(spec::SchemaUpdate& update, const sql::ColumnDefinition& column) {
  ASSIGN_OR_RETURN(spec::Type type, IcebergType(column.type));
  std::string parent = Dotted(ParentOf(column.name));
  if (column.not_null) {
    return IllegalArgument("Incompatible change: cannot add required column: " +
                           column.name.back());
  }
  RETURN_IF_ERROR(update.AddColumn(parent, column.name.back(), type, column.comment));
  return Move(update, column.name, column.position);
}

Status RefuseDefault(const sql::ColumnDefinition& column) {
  if (!column.default_value) return {};
  return Fail(ErrorCode::kUnsupported,
              "Cannot add column " + column.name.back() +
                  " since setting default values in Spark is currently unsupported",
              "UnsupportedOperationException");
}

// Spark's analyzer allows what can be cast up, or changes that the catalog may know better; the
// rest it refuses itself.
bool SparkAllowsTypeChange(const sql::DataType& from, const sql::DataType& to) {
  using sql::TypeKind;
  if (from == to) return true;
  if (to.is_string()) return !from.is_nested();
  static constexpr TypeKind kWidening[] = {TypeKind::kTinyInt, TypeKind::kSmallInt,
                                           TypeKind::kInt,     TypeKind::kBigInt,
                                           TypeKind::kFloat,   TypeKind::kDouble};
  auto rank = [](TypeKind kind) {
    for (size_t i = 0; i < std::size(kWidening); i++) {
      if (kWidening[i] == kind) return static_cast<int>(i);
    }
    return -1;
  };
  if (rank(from.kind()) >= 0 && rank(to.kind()) >= 0) return rank(from.kind()) < rank(to.kind());
  if (to.kind() != TypeKind::kDecimal) {
    return from.kind() == TypeKind::kDate && to.is_datetime();
  }
  sql::DataType digits = from.is_integral() ? sql::DecimalForIntegral(from) : from;
  if (digits.kind() != TypeKind::kDecimal) return false;
  return to.scale() >= digits.scale() &&
         to.precision() - to.scale() >= digits.precision() - digits.scale();
}

Status CheckTypeChange(const TableHandle& table, const sql::Name& name, const NestedField& field,
                       const sql::DataType& to) {
  ASSIGN_OR_RETURN(sql::DataType from, plan::ToSparkType(field.type));
  sql::Name table_name{table.catalog_name};
  table_name.insert(table_name.end(), table.id.ns.begin(), table.id.ns.end());
  table_name.push_back(table.id.name);
  struct Nested {
    sql::TypeKind kind;
    std::string_view condition;
    std::string_view advice;
  };
  static constexpr Nested kNested[] = {
      {sql::TypeKind::kStruct, "STRUCT_TYPE", "Update a struct by updating its fields."},
      {sql::TypeKind::kArray, "ARRAY_TYPE", "Update the element by updating "},
      {sql::TypeKind::kMap, "MAP_TYPE", "Update a map by updating "}};
  for (const Nested& nested : kNested) {
    if (to.kind() != nested.kind || from == to) continue;
    std::string advice(nested.advice);
    if (nested.kind == sql::TypeKind::kArray) advice += sql::QuoteName(name) + ".element.";
    if (nested.kind == sql::TypeKind::kMap)
      advice += sql::QuoteName(name) + ".key or " + sql::QuoteName(name) + ".value.";
    Error error = FailWith(ErrorCode::kUnsupported, "ExtendedAnalysisException",
                           "CANNOT_UPDATE_FIELD." + std::string(nested.condition), "0A000",
                           "Cannot update " + sql::QuoteName(table_name) + " field " +
                               sql::QuoteName(name) + " type: " + advice)
                      .value();
    error.message += "; line 1 pos 0;";
    return Fail(std::move(error));
  }
  if (SparkAllowsTypeChange(from, to)) return {};
  Error error = FailWith(ErrorCode::kUnsupported, "ExtendedAnalysisException",
                         "NOT_SUPPORTED_CHANGE_COLUMN", "0A000",
                         "ALTER TABLE ALTER/CHANGE COLUMN is not supported for changing " +
                             sql::QuoteName(table_name) + "'s column " + sql::QuoteName(name) +
                             " with type \"" + from.SqlString() + "\" to " + sql::QuoteName(name) +
                             " with type \"" + to.SqlString() + "\".")
                    .value();
  error.message += "; line 1 pos 0;";
  return Fail(std::move(error));
}

Status CheckNullability(const sql::ColumnChange& change, const NestedField& field) {
  if (!change.not_null.value_or(false) || field.required) return {};
  Error error =
      Error::Make(ErrorCode::kInvalidArgument,
                  "Cannot change nullable column to non-nullable: " + Dotted(change.column) +
                      ".; line 1 pos 0;",
                  "ExtendedAnalysisException");
  error.condition = "_LEGACY_ERROR_TEMP_2330";
  return Fail(std::move(error));
}

Status RefuseDefault(const sql::ColumnChange& change) {
  if (!change.set_default && !change.drop_default) return {};
  return Fail(ErrorCode::kUnsupported,
              "Cannot apply unknown table change: "
              "org.apache.spark.sql.connector.catalog.TableChange$UpdateColumnDefaultValue"
              "@0000000",
              "UnsupportedOperationException");
}

Status ChangeOne(spec::SchemaUpdate& update, const sql::ColumnChange& change,
                 const std::string& name) {
  if (change.type) {
    ASSIGN_OR_RETURN(spec::Type type, IcebergType(*change.type));
    RETURN_IF_ERROR(update.UpdateColumnType(name, type));
  }
  if (change.not_null) {
    RETURN_IF_ERROR(*change.not_null ? update.RequireColumn(name)
                                     : update.MakeColumnOptional(name));
  }
  if (change.comment) RETURN_IF_ERROR(update.UpdateColumnDoc(name, change.comment));
  return Move(update, change.column, change.position);
}

}  // namespace

Status Alter(StatementScope&, const TableHandle& table, const sql::AddColumns& change) {
  const Schema& schema = table.metadata().schema();
  for (const sql::ColumnDefinition& column : change.columns) {
    RETURN_IF_ERROR(CheckParent(schema, column.name));
    if (schema.FindField(Dotted(column.name), false) != nullptr)
      return AlreadyExists(schema, column.name, "add");
    RETURN_IF_ERROR(CheckPosition(schema, column.name, column.position, change.columns));
    RETURN_IF_ERROR(RefuseDefault(column));
  }
  return ApplyChange(table, [&](spec::SchemaUpdate& update) -> Status {
    for (const sql::ColumnDefinition& column : change.columns)
      RETURN_IF_ERROR(AddOne(update, column));
    return {};
  });
}

Status Alter(StatementScope&, const TableHandle& table, const sql::ReplaceColumns& change) {
  for (const sql::ColumnDefinition& column : change.columns) RETURN_IF_ERROR(RefuseDefault(column));
  return ApplyChange(table, [&](spec::SchemaUpdate& update) -> Status {
    for (const NestedField& field : table.metadata().schema().fields())
      RETURN_IF_ERROR(update.DeleteColumn(field.name));
    for (const sql::ColumnDefinition& column : change.columns)
      RETURN_IF_ERROR(AddOne(update, column));
    return {};
  });
}

Status Alter(StatementScope&, const TableHandle& table, const sql::RenameColumn& change) {
  const Schema& schema = table.metadata().schema();
  ASSIGN_OR_RETURN(const NestedField* field, RequireColumn(schema, change.column));
  sql::Name renamed = ParentOf(change.column);
  renamed.push_back(change.to);
  if (auto status = CheckParent(schema, renamed); !status) {
    Error error = std::move(status).error();
    error.exception = "ExtendedAnalysisException";
    error.message += ";";
    return Fail(std::move(error));
  }
  if (schema.FindField(Dotted(renamed), false) != nullptr)
    return AlreadyExists(schema, renamed, "rename");
  std::string name = schema.FullName(field->id);
  return ApplyChange(
      table, [&](spec::SchemaUpdate& update) { return update.RenameColumn(name, change.to); });
}

Status Alter(StatementScope&, const TableHandle& table, const sql::DropColumns& change) {
  const Schema& schema = table.metadata().schema();
  std::vector<std::string> names;
  for (const sql::Name& column : change.columns) {
    const NestedField* field = schema.FindField(Dotted(column), false);
    if (field == nullptr && change.if_exists) continue;
    if (field == nullptr) return Fail(UnresolvedColumn(column, schema));
    names.push_back(schema.FullName(field->id));
  }
  if (names.empty()) return {};
  return ApplyChange(table, [&](spec::SchemaUpdate& update) -> Status {
    for (const std::string& name : names) RETURN_IF_ERROR(update.DeleteColumn(name));
    return {};
  });
}

Status Alter(StatementScope&, const TableHandle& table, const sql::AlterColumns& change) {
  const Schema& schema = table.metadata().schema();
  std::vector<std::string> names;
  for (const sql::ColumnChange& column : change.changes) {
    ASSIGN_OR_RETURN(const NestedField* field, RequireColumn(schema, column.column));
    if (column.type) RETURN_IF_ERROR(CheckTypeChange(table, column.column, *field, *column.type));
    RETURN_IF_ERROR(CheckNullability(column, *field));
    RETURN_IF_ERROR(CheckPosition(schema, column.column, column.position));
    RETURN_IF_ERROR(RefuseDefault(column));
    names.push_back(schema.FullName(field->id));
  }
  return ApplyChange(table, [&](spec::SchemaUpdate& update) -> Status {
    for (size_t i = 0; i < names.size(); i++)
      RETURN_IF_ERROR(ChangeOne(update, change.changes[i], names[i]));
    return {};
  });
}

}  // namespace iceblink::engine
