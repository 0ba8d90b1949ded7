#include "exec/iceberg_scan.h"

#include <fmt/format.h>

#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/common/multi_file/base_file_reader.hpp"
#include "duckdb/common/multi_file/multi_file_data.hpp"
#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_types.h"
#include "exec/file_decoder.h"
#include "exec/spark_error.h"
#include "exec/table_functions.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

using duckdb::LogicalType;
using duckdb::MultiFileColumnDefinition;

namespace {

// ---- column definitions
// ----------------------------------------------------------------------------------------------

duckdb::Value DefaultOf(const spec::NestedField& field, const LogicalType& type) {
  if (!field.initial_default) return duckdb::Value(type);
  return ToDuckDb(*field.initial_default, type);
}

void AddChildren(const spec::Type& type, const LogicalType& duck,
                 MultiFileColumnDefinition& column);

MultiFileColumnDefinition Define(const std::string& name, const spec::NestedField& field,
                                 const LogicalType& type) {
  MultiFileColumnDefinition column(name, type);
  column.identifier = duckdb::Value::INTEGER(field.id);
  column.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(DefaultOf(field, type));
  AddChildren(field.type, type, column);
  return column;
}

void AddChildren(const spec::Type& type, const LogicalType& duck,
                 MultiFileColumnDefinition& column) {
  switch (duck.id()) {
    case duckdb::LogicalTypeId::STRUCT: {
      if (!type.Is(spec::TypeKind::kStruct)) return;
      const auto& fields = type.AsStruct().fields;
      const auto& types = duckdb::StructType::GetChildTypes(duck);
      for (size_t i = 0; i < fields.size(); ++i) {
        column.children.push_back(Define(types[i].first, fields[i], types[i].second));
      }
      return;
    }
    case duckdb::LogicalTypeId::LIST:
      column.children.push_back(
          Define("list", type.AsList().element, duckdb::ListType::GetChildType(duck)));
      return;
    case duckdb::LogicalTypeId::MAP:
      column.children.push_back(Define("key", type.AsMap().key, duckdb::MapType::KeyType(duck)));
      column.children.push_back(
          Define("value", type.AsMap().value, duckdb::MapType::ValueType(duck)));
      return;
    default:
      return;
  }
}

// ---- ids for files that have none
// ------------------------------------------------------------------------------------

// Ids of columns that nothing maps to; each distinct, none of a real field.
constexpr int32_t kFirstUnmappedId = -2;

bool HasIds(const duckdb::vector<MultiFileColumnDefinition>& columns) {
  for (const auto& column : columns) {
    if (!column.identifier.IsNull() &&
        column.identifier.type().id() == duckdb::LogicalTypeId::INTEGER)
      return true;
    if (HasIds(column.children)) return true;
  }
  return false;
}

// `parent` is the type of the column that has these as children.
void AssignIds(duckdb::vector<MultiFileColumnDefinition>& columns, const spec::NameMapping* mapping,
               std::vector<std::string>& path, duckdb::LogicalTypeId parent, bool keep,
               int32_t* unmapped) {
  for (auto& column : columns) {
    // DuckDB shows a map as one child above key and value; the mapping has no such step. A list's
    // child has whatever name the file gives it.
    const bool step = parent != duckdb::LogicalTypeId::MAP || columns.size() != 1;
    if (step) path.push_back(parent == duckdb::LogicalTypeId::LIST ? "element" : column.name);
    bool has_id = keep && !column.identifier.IsNull() &&
                  column.identifier.type().id() == duckdb::LogicalTypeId::INTEGER;
    if (!has_id) {
      const spec::MappedField* mapped =
          mapping != nullptr && step && !keep ? mapping->Find(path) : nullptr;
      int32_t id = mapped != nullptr && mapped->id ? *mapped->id : (*unmapped)--;
      column.identifier = duckdb::Value::INTEGER(id);
    }
    AssignIds(column.children, mapping, path,
              step ? column.type.id() : duckdb::LogicalTypeId::STRUCT, keep, unmapped);
    if (step) path.pop_back();
  }
}

// ---- file list
// -------------------------------------------------------------------------------------------------------

constexpr int64_t kSmallFileRows = 122880;  // of these one thread makes short work

class ScanFileList final : public duckdb::MultiFileList {
 public:
  explicit ScanFileList(std::shared_ptr<PlannedScan> scan) : scan(std::move(scan)) {}

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override {
    duckdb::vector<duckdb::OpenFileInfo> out;
    for (size_t i = 0; i < scan->tasks.size(); ++i) out.push_back(GetFile(i));
    return out;
  }
  duckdb::FileExpandResult GetExpandResult() const override {
    if (scan->tasks.empty()) return duckdb::FileExpandResult::NO_FILES;
    // Of a single file DuckDB reads one row group at a time unless it opened the file to bind it,
    // which ours never does.
    const bool one_row_group = scan->tasks.size() == 1 && scan->rows <= kSmallFileRows;
    return one_row_group ? duckdb::FileExpandResult::SINGLE_FILE
                         : duckdb::FileExpandResult::MULTIPLE_FILES;
  }
  duckdb::idx_t GetTotalFileCount() const override { return scan->tasks.size(); }
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext&) const override {
    auto rows = static_cast<duckdb::idx_t>(scan->rows);
    return duckdb::make_uniq<duckdb::NodeStatistics>(rows, rows);
  }
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override {
    return duckdb::make_uniq<ScanFileList>(scan);
  }

  const std::shared_ptr<PlannedScan> scan;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override {
    if (i >= scan->tasks.size()) return {};
    const spec::DataFile& file = scan->tasks[i].file;
    return DuckDbFile(file.file_path, file.file_size_in_bytes);
  }
};

// ---- the reader
// ------------------------------------------------------------------------------------------------------

class BitmapFilter final : public duckdb::DeleteFilter {
 public:
  explicit BitmapFilter(DeletedPositions deleted) : deleted_(std::move(deleted)) {}
  duckdb::idx_t Filter(duckdb::row_t start, duckdb::idx_t count,
                       duckdb::SelectionVector& selection) override {
    selection.Initialize(STANDARD_VECTOR_SIZE);
    bool survives[STANDARD_VECTOR_SIZE];
    deleted_->MarkSurvivors(start, count, survives);
    duckdb::idx_t kept = 0;
    for (duckdb::idx_t i = 0; i < count; ++i) {
      selection.set_index(kept, i);
      kept += survives[i];
    }
    return kept;
  }

 private:
  DeletedPositions deleted_;
};

struct ScanInfo : duckdb::TableFunctionInfo {
  std::shared_ptr<StatementObjects> objects;
  duckdb::table_function_bind_t bind_parquet = nullptr;
};

class IcebergReader final : public duckdb::MultiFileReader {
 public:
  explicit IcebergReader(std::shared_ptr<StatementObjects> objects)
      : objects_(std::move(objects)) {}

  static duckdb::unique_ptr<duckdb::MultiFileReader> Create(const duckdb::TableFunction& function) {
    return duckdb::make_uniq<IcebergReader>(function.function_info->Cast<ScanInfo>().objects);
  }
  duckdb::unique_ptr<duckdb::MultiFileReader> Copy() const override {
    auto copy = duckdb::make_uniq<IcebergReader>(objects_);
    copy->scan_ = scan_;
    return copy;
  }

  // The path argument is "name#id".
  duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(duckdb::ClientContext&,
                                                           const duckdb::vector<std::string>& paths,
                                                           const duckdb::FileGlobInput&) override {
    scan_ = objects_->Find<PlannedScan>(std::stoll(paths[0].substr(paths[0].rfind('#') + 1)));
    if (scan_ == nullptr) throw duckdb::InvalidInputException("scan %s is gone", paths[0]);
    return duckdb::make_shared_ptr<ScanFileList>(scan_);
  }

  bool Bind(duckdb::MultiFileOptions& options, duckdb::MultiFileList&,
            duckdb::vector<LogicalType>& types, duckdb::vector<std::string>& names,
            duckdb::MultiFileReaderBindData& bind) override {
    options.auto_detect_hive_partitioning = false;
    options.hive_partitioning = false;
    for (const ScanField& field : scan_->fields) {
      bind.schema.push_back(Define(field.name, field.field, field.type));
      types.push_back(field.type);
      names.push_back(field.name);
    }
    bind.mapping = duckdb::MultiFileColumnMappingMode::BY_FIELD_ID;
    return true;
  }

  void FinalizeBind(duckdb::MultiFileReaderData& reader, const duckdb::MultiFileOptions& options,
                    const duckdb::MultiFileReaderBindData& bind,
                    const duckdb::vector<MultiFileColumnDefinition>& columns,
                    const duckdb::vector<duckdb::ColumnIndex>& ids, duckdb::ClientContext& context,
                    duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> state) override {
    MultiFileReader::FinalizeBind(reader, options, bind, columns, ids, context, state);
    size_t task = TaskOf(reader);
    for (size_t i = 0; i < ids.size(); ++i) {
      auto column = ids[i].GetPrimaryIndex();
      if (column >= scan_->fields.size()) continue;  // a virtual column
      const ScanField& field = scan_->fields[column];
      if (field.source != ScanSource::kField) {
        reader.constant_map.Add(duckdb::MultiFileGlobalIndex(i), Constant(field, task));
      }
    }
  }

  duckdb::ReaderInitializeType CreateMapping(
      duckdb::ClientContext& context, duckdb::MultiFileReaderData& reader,
      const duckdb::vector<MultiFileColumnDefinition>& columns,
      const duckdb::vector<duckdb::ColumnIndex>& ids,
      duckdb::optional_ptr<duckdb::TableFilterSet> filters, duckdb::MultiFileList& files,
      const duckdb::MultiFileReaderBindData& bind,
      const duckdb::virtual_column_map_t& virtual_columns) override {
    auto& local = reader.reader->columns;
    std::vector<std::string> path;
    int32_t unmapped = kFirstUnmappedId;
    const bool has_ids = HasIds(local);
    std::optional<spec::NameMapping> mapping = scan_->name_mapping;
    // Iceberg finds the columns of Avro and ORC files without ids by their present names.
    if (!mapping && !has_ids && scan_->schema != nullptr &&
        scan_->tasks[TaskOf(reader)].file.format != spec::FileFormat::kParquet)
      mapping = spec::CreateNameMapping(*scan_->schema);
    AssignIds(local, mapping ? &*mapping : nullptr, path, duckdb::LogicalTypeId::STRUCT, has_ids,
              &unmapped);
    duckdb::vector<MultiFileColumnDefinition> global(columns);
    SetPartitionDefaults(global, TaskOf(reader));
    auto result = MultiFileReader::CreateMapping(context, reader, global, ids, filters, files, bind,
                                                 virtual_columns, bind.mapping);
    const DeletedPositions& deleted = scan_->deleted[TaskOf(reader)];
    if (scan_->apply_deletes && deleted != nullptr) {
      reader.reader->deletion_filter = duckdb::make_uniq<BitmapFilter>(deleted);
    }
    return result;
  }

 private:
  static size_t TaskOf(const duckdb::MultiFileReaderData& reader) {
    return reader.reader->file_list_idx.GetIndex();
  }

  // Columns that an identity partition field names may be left out of the file, as in imported Hive
  // tables.
  void SetPartitionDefaults(duckdb::vector<MultiFileColumnDefinition>& columns, size_t task) const {
    const spec::DataFile& file = scan_->tasks[task].file;
    const spec::PartitionSpec* spec =
        scan_->metadata == nullptr ? nullptr : scan_->metadata->SpecById(file.spec_id);
    if (spec == nullptr) return;
    for (size_t i = 0; i < spec->fields.size() && i < file.partition.size(); ++i) {
      if (!spec->fields[i].transform.is_identity()) continue;
      for (auto& column : columns) {
        if (column.identifier.IsNull() ||
            column.GetIdentifierFieldId() != spec->fields[i].source_id)
          continue;
        column.default_expression =
            duckdb::make_uniq<duckdb::ConstantExpression>(ToDuckDb(file.partition[i], column.type));
      }
    }
  }

  duckdb::Value Constant(const ScanField& field, size_t index) const {
    const table::FileScanTask& task = scan_->tasks[index];
    switch (field.source) {
      case ScanSource::kField:
        break;
      case ScanSource::kFile:
        return duckdb::Value(task.file.file_path);
      case ScanSource::kFileOrdinal:
        return duckdb::Value::BIGINT(scan_->ordinals.empty() ? static_cast<int64_t>(index)
                                                             : scan_->ordinals[index]);
      case ScanSource::kSpecId:
        return duckdb::Value::INTEGER(task.file.spec_id);
      case ScanSource::kPartition: {
        if (scan_->union_partitions.empty()) return duckdb::Value(field.type);
        return ToDuckDb(Value::Struct(*scan_->union_partitions[index]), field.type);
      }
      case ScanSource::kChange: {
        const ValueList& change = scan_->changes[index];
        if (field.field.id == table::kChangeTypeId) return ToDuckDb(change[0], field.type);
        return ToDuckDb(change[field.field.id == table::kChangeOrdinalId ? 1 : 2], field.type);
      }
      case ScanSource::kFirstRowId:
        return task.file.first_row_id ? duckdb::Value::BIGINT(*task.file.first_row_id)
                                      : duckdb::Value(field.type);
      case ScanSource::kSequence:
        return task.file.first_row_id ? duckdb::Value::BIGINT(task.data_sequence_number)
                                      : duckdb::Value(field.type);
    }
    return duckdb::Value(field.type);
  }

  std::shared_ptr<StatementObjects> objects_;
  std::shared_ptr<PlannedScan> scan_;
};

}  // namespace

namespace {

// iceblink_is_deleted(scan, task, position)
void RegisterIsDeleted(duckdb::ExtensionLoader& loader,
                       const std::shared_ptr<StatementObjects>& objects) {
  const LogicalType number = LogicalType::BIGINT;
  duckdb::ScalarFunction function(
      "iceblink_is_deleted", {number, number, number}, LogicalType::BOOLEAN,
      [objects](duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
        auto scan = objects->Find<PlannedScan>(chunk.data[0].GetValue(0).GetValue<int64_t>());
        if (scan == nullptr) throw duckdb::InvalidInputException("scan is gone");
        duckdb::BinaryExecutor::Execute<int64_t, int64_t, bool>(
            chunk.data[1], chunk.data[2], result, chunk.size(),
            [&](int64_t task, int64_t position) {
              const DeletedPositions& deleted = scan->deleted[static_cast<size_t>(task)];
              return deleted != nullptr && deleted->Contains(position);
            });
      });
  function.SetStability(duckdb::FunctionStability::VOLATILE);
  loader.RegisterFunction(std::move(function));
}

}  // namespace

namespace {

constexpr const char* kParquetScan = "iceblink_scan";
constexpr const char* kAnyScan = "iceblink_scan_any";

duckdb::unique_ptr<duckdb::FunctionData> BindAny(duckdb::ClientContext& context,
                                                 duckdb::TableFunctionBindInput& input,
                                                 duckdb::vector<LogicalType>& types,
                                                 duckdb::vector<std::string>& names) {
  auto out = input.info->Cast<ScanInfo>().bind_parquet(context, input, types, names);
  auto& bind = out->Cast<duckdb::MultiFileBindData>();
  bind.interface = WithDecoders(std::move(bind.interface),
                                static_cast<const ScanFileList&>(*bind.file_list).scan);
  return out;
}

duckdb::TableFunctionSet ScanFunctions(duckdb::ExtensionLoader& loader, const char* name,
                                       const std::shared_ptr<StatementObjects>& objects) {
  auto info = duckdb::make_shared_ptr<ScanInfo>();
  info->objects = objects;
  duckdb::TableFunctionSet set = loader.GetTableFunction("parquet_scan").functions;
  set.name = name;
  for (duckdb::TableFunction& function : set.functions) {
    function.name = name;
    function.get_multi_file_reader = IcebergReader::Create;
    function.function_info = info;
    function.late_materialization = false;
    // Footer statistics know neither our column mapping nor deletes.
    function.statistics = nullptr;
    function.get_partition_stats = nullptr;
    info->bind_parquet = function.bind;
  }
  return set;
}

}  // namespace

void RegisterIcebergScan(duckdb::ExtensionLoader& loader,
                         const std::shared_ptr<StatementObjects>& objects) {
  RegisterIsDeleted(loader, objects);
  loader.RegisterFunction(ScanFunctions(loader, kParquetScan, objects));
  duckdb::TableFunctionSet any = ScanFunctions(loader, kAnyScan, objects);
  for (duckdb::TableFunction& function : any.functions) {
    function.bind = BindAny;
    // Decoders take no filters.
    function.filter_pushdown = function.filter_prune = false;
    function.pushdown_expression = nullptr;
    function.supports_pushdown_extract = nullptr;
    function.get_metrics = nullptr;
  }
  loader.RegisterFunction(any);
}

std::string ScanFunction(const PlannedScan& scan) {
  const bool parquet = std::all_of(scan.tasks.begin(), scan.tasks.end(), [](const auto& task) {
    return task.file.format == spec::FileFormat::kParquet;
  });
  return parquet ? kParquetScan : kAnyScan;
}

void ConnectScan(DuckDbSession& session, PlannedScan& scan) {
  scan.files = &session.files();
  scan.read_ahead = &session.read_ahead();
}

std::string ScanSql(DuckDbSession& session, const std::string& name,
                    std::shared_ptr<PlannedScan> scan) {
  ConnectScan(session, *scan);
  const std::string function = ScanFunction(*scan);
  return fmt::format(
      "{}({})", function,
      QuoteText(name + "#" + std::to_string(session.objects().Add(std::move(scan)))));
}

}  // namespace iceblink::exec
