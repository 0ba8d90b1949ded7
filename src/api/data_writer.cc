#include "iceblink/data_writer.h"

#include "api/state.h"
#include "base/uuid.h"
#include "exec/row_sink.h"

namespace iceblink {

namespace {

class RowSinkWriter final : public DataWriter {
 public:
  RowSinkWriter(std::shared_ptr<CatalogState> catalog, std::unique_ptr<exec::RowSink> sink)
      : catalog_(std::move(catalog)), sink_(std::move(sink)) {}

  Status Write(const std::vector<ValueList>& rows) override { return Kept(sink_->Append(rows)); }

  Status WriteColumns(const std::vector<ColumnData>& columns) override {
    std::vector<exec::FlatColumn> flat;
    for (const ColumnData& column : columns) flat.push_back({column.values, column.valid});
    return Kept(sink_->Append(flat));
  }

  Result<std::vector<DataFile>> Finish() override {
    if (failed_ || finished_) {
      return Fail(ErrorCode::kInvalidArgument, "Cannot finish a writer that failed or is finished",
                  "IllegalStateException");
    }
    finished_ = true;
    ASSIGN_OR_RETURN(std::vector<spec::DataFile> files, sink_->Finish());
    std::vector<DataFile> out;
    for (spec::DataFile& file : files) out.push_back(Wrap(std::move(file)));
    return out;
  }

 private:
  Status Kept(Status status) {
    if (!status) failed_ = true;
    return status;
  }
  std::shared_ptr<CatalogState> catalog_;  // owns the file system
  std::unique_ptr<exec::RowSink> sink_;
  bool failed_ = false, finished_ = false;
};

}  // namespace

Result<std::unique_ptr<DataWriter>> OpenDataWriter(
    std::shared_ptr<CatalogState> catalog, spec::TableMetadataPtr metadata,
    const std::map<std::string, std::string>& options) {
  exec::WriteSpec write;
  write.metadata = metadata;
  write.schema = std::make_shared<const spec::Schema>(metadata->schema());
  write.spec_id = metadata->default_spec_id;
  write.operation_id = NewUuid();
  write.options = options;
  ASSIGN_OR_RETURN(auto sink, exec::RowSink::Open(catalog->catalog->file_system(), write));
  return std::make_unique<RowSinkWriter>(std::move(catalog), std::move(sink));
}

}  // namespace iceblink
