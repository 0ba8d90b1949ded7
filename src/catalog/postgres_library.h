// The functions of libpq that we call, loaded at their first use. Lives until exit.
#pragma once

#include <libpq-fe.h>

#include "base/result.h"

namespace iceblink::catalog {

struct PostgresLibrary {
  decltype(&::PQconnectdbParams) connect;
  decltype(&::PQfinish) finish;
  decltype(&::PQstatus) status;
  decltype(&::PQsetNoticeProcessor) set_notice_processor;
  decltype(&::PQsocket) socket;
  decltype(&::PQtransactionStatus) transaction_status;
  decltype(&::PQerrorMessage) error_message;
  decltype(&::PQexecParams) execute;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQresultErrorField) result_error_field;
  decltype(&::PQresultErrorMessage) result_error_message;
  decltype(&::PQntuples) row_count;
  decltype(&::PQnfields) column_count;
  decltype(&::PQgetisnull) is_null;
  decltype(&::PQgetvalue) value;
  decltype(&::PQgetlength) length;
  decltype(&::PQcmdTuples) changed;
  decltype(&::PQclear) clear;

  // kUnsupported when the library is not installed. Safe from any thread.
  static Result<const PostgresLibrary*> Get();
};

}  // namespace iceblink::catalog
