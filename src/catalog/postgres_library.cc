#include "catalog/postgres_library.h"

#include "io/loaded_library.h"

namespace iceblink::catalog {
namespace {

bool BindAll(const io::LoadedLibrary& library, PostgresLibrary& pq) {
  return library.Bind("PQconnectdbParams", pq.connect) && library.Bind("PQfinish", pq.finish) &&
         library.Bind("PQsetNoticeProcessor", pq.set_notice_processor) &&
         library.Bind("PQstatus", pq.status) && library.Bind("PQsocket", pq.socket) &&
         library.Bind("PQtransactionStatus", pq.transaction_status) &&
         library.Bind("PQerrorMessage", pq.error_message) &&
         library.Bind("PQexecParams", pq.execute) &&
         library.Bind("PQresultStatus", pq.result_status) &&
         library.Bind("PQresultErrorField", pq.result_error_field) &&
         library.Bind("PQresultErrorMessage", pq.result_error_message) &&
         library.Bind("PQntuples", pq.row_count) && library.Bind("PQnfields", pq.column_count) &&
         library.Bind("PQgetisnull", pq.is_null) && library.Bind("PQgetvalue", pq.value) &&
         library.Bind("PQgetlength", pq.length) && library.Bind("PQcmdTuples", pq.changed) &&
         library.Bind("PQclear", pq.clear);
}

Result<PostgresLibrary> Load() {
  const io::LoadedLibrary library("libpq.so.5");
  PostgresLibrary pq{};
  if (!BindAll(library, pq)) {
    return Fail(ErrorCode::kUnsupported, "PostgreSQL needs libpq.so.5, which cannot be loaded",
                "UnsupportedOperationException");
  }
  return pq;
}

}  // namespace

Result<const PostgresLibrary*> PostgresLibrary::Get() {
  static const Result<PostgresLibrary> library = Load();
  if (!library) return Fail(library.error());
  return &*library;
}

}  // namespace iceblink::catalog
