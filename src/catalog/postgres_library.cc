#include "catalog/postgres_library.h"

#include <dlfcn.h>

namespace iceblink::catalog {
namespace {

template <typename Function>
bool Bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool BindAll(void* library, PostgresLibrary& pq) {
  return Bind(library, "PQconnectdbParams", pq.connect) && Bind(library, "PQfinish", pq.finish) &&
         Bind(library, "PQsetNoticeProcessor", pq.set_notice_processor) &&
         Bind(library, "PQstatus", pq.status) && Bind(library, "PQsocket", pq.socket) &&
         Bind(library, "PQtransactionStatus", pq.transaction_status) &&
         Bind(library, "PQerrorMessage", pq.error_message) &&
         Bind(library, "PQexecParams", pq.execute) &&
         Bind(library, "PQresultStatus", pq.result_status) &&
         Bind(library, "PQresultErrorField", pq.result_error_field) &&
         Bind(library, "PQresultErrorMessage", pq.result_error_message) &&
         Bind(library, "PQntuples", pq.row_count) && Bind(library, "PQnfields", pq.column_count) &&
         Bind(library, "PQgetisnull", pq.is_null) && Bind(library, "PQgetvalue", pq.value) &&
         Bind(library, "PQgetlength", pq.length) && Bind(library, "PQcmdTuples", pq.changed) &&
         Bind(library, "PQclear", pq.clear);
}

Result<PostgresLibrary> Load() {
  void* library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  PostgresLibrary pq{};
  if (library == nullptr || !BindAll(library, pq)) {
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
