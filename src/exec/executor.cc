#include "exec/executor.h"

#include "exec/column_builder.h"
#include "exec/duckdb_session.h"
#include "exec/duckdb_types.h"
#include "exec/executor_state.h"
#include "exec/lowering.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

namespace {

class StreamCursor final : public RowCursor {
 public:
  StreamCursor(DuckDbSession& session, plan::PlanPtr plan,
               duckdb::unique_ptr<duckdb::QueryResult> result)
      : session_(session), plan_(std::move(plan)), result_(std::move(result)) {}

  const std::vector<plan::Column>& columns() const override { return plan_->output; }

  Result<std::vector<ValueList>> Next() override {
    std::vector<ValueList> rows;
    if (result_ == nullptr) return rows;
    ASSIGN_OR_RETURN(duckdb::unique_ptr<duckdb::DataChunk> chunk, session_.Fetch(*result_));
    if (chunk == nullptr) {
      result_.reset();
      return rows;
    }
    rows.resize(chunk->size());
    for (ValueList& row : rows) row.reserve(plan_->output.size());
    for (size_t c = 0; c < plan_->output.size(); ++c) {
      AppendColumn(Shown(*chunk, c), chunk->size(), &rows);
      if (!NeedsReshape(plan_->output[c].type)) continue;
      for (ValueList& row : rows)
        row.back() = Reshape(std::move(row.back()), plan_->output[c].type);
    }
    return rows;
  }

  Result<ColumnBatch> NextColumns(size_t rows, size_t bytes) override {
    return Guarded([&] { return Gather(rows, bytes); });
  }

 private:
  Result<ColumnBatch> Gather(size_t rows, size_t bytes) {
    if (builders_.empty())
      for (const plan::Column& column : plan_->output) builders_.emplace_back(column.type);
    ColumnBatch batch;
    while (static_cast<size_t>(batch.rows) < rows && Bytes() < bytes) {
      if (chunk_ == nullptr && result_ != nullptr) {
        ASSIGN_OR_RETURN(chunk_, session_.Fetch(*result_));
        at_ = 0;
        if (chunk_ == nullptr) result_.reset();
      }
      if (chunk_ == nullptr) break;
      const size_t count = std::min(chunk_->size() - at_, rows - static_cast<size_t>(batch.rows));
      for (size_t c = 0; c < builders_.size(); ++c)
        RETURN_IF_ERROR(builders_[c].Append(Encoded(*chunk_, c), chunk_->size(), at_, count));
      batch.rows += static_cast<int64_t>(count);
      at_ += count;
      if (at_ == chunk_->size()) chunk_.reset();
    }
    for (ColumnBuilder& builder : builders_) batch.columns.push_back(builder.Finish());
    return batch;
  }
  bool IsVariant(size_t c) const { return plan_->output[c].type.kind() == sql::TypeKind::kVariant; }
  // The two forms of a variant that VariantForms makes.
  duckdb::Vector& Shown(duckdb::DataChunk& chunk, size_t c) const {
    return IsVariant(c) ? *duckdb::StructVector::GetEntries(chunk.data[c])[0] : chunk.data[c];
  }
  duckdb::Vector& Encoded(duckdb::DataChunk& chunk, size_t c) const {
    return IsVariant(c) ? *duckdb::StructVector::GetEntries(chunk.data[c])[1] : chunk.data[c];
  }
  size_t Bytes() const {
    size_t all = 0;
    for (const ColumnBuilder& builder : builders_) all += builder.bytes();
    return all;
  }

  DuckDbSession& session_;
  plan::PlanPtr plan_;  // rows of VALUES are read from it
  duckdb::unique_ptr<duckdb::QueryResult> result_;
  std::vector<ColumnBuilder> builders_;
  duckdb::unique_ptr<duckdb::DataChunk> chunk_;  // partly taken by NextColumns
  size_t at_ = 0;
};

// Variants leave as JSON text, for rows, and in their encoding, for columns.
std::string WithVariantForms(const plan::Plan& plan, const std::string& sql, Extensions* needed) {
  bool any = false;
  std::string items;
  for (const plan::Column& column : plan.output) {
    std::string name = Lowering::Name(column.id);
    bool variant = column.type.kind() == sql::TypeKind::kVariant;
    any = any || variant;
    items += items.empty() ? "" : ", ";
    items += variant ? "struct_pack(t := " + VariantTextSql(name) +
                           ", e := " + VariantBinarySql(name) + ") AS " + name
                     : name;
  }
  if (!any) return sql;
  needed->json = true;
  return "SELECT " + items + " FROM (" + sql + ")";
}

}  // namespace

Executor::Executor(ExecutorOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Executor::~Executor() = default;

Result<std::unique_ptr<RowCursor>> Executor::Query(const plan::PlanPtr& plan,
                                                   const StatementContext& context) {
  return Guarded([&]() -> Result<std::unique_ptr<RowCursor>> {
    DuckDbSession& session = state_->session;
    session.EndStatement();
    Lowering lowering(context, session);
    ASSIGN_OR_RETURN(std::string sql, lowering.Query(plan));
    Extensions needed = lowering.extensions();
    sql = WithVariantForms(*plan, sql, &needed);
    RETURN_IF_ERROR(session.Prepare(needed));
    ASSIGN_OR_RETURN(auto result, session.Stream(sql));
    std::unique_ptr<RowCursor> cursor =
        std::make_unique<StreamCursor>(session, plan, std::move(result));
    return cursor;
  });
}

Result<std::string> Executor::Lower(const plan::PlanPtr& plan, const StatementContext& context) {
  return Guarded([&]() -> Result<std::string> {
    Lowering lowering(context, state_->session);
    return lowering.Query(plan);
  });
}

void Executor::Interrupt() { state_->session.Interrupt(); }

}  // namespace iceblink::exec
