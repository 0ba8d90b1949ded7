// Errors of Arrow's file systems as Iceblink's.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <string_view>

#include "base/result.h"

namespace iceblink::io {

// Arrow has no codes for what a store answered: it is read off the message, which keeps the store's
// own words. Names of buckets and keys may be in it, credentials never are.
Error ErrorOf(const ::arrow::Status& status, std::string_view exception);

// ARROW_ASSIGN(auto value, arrow_result_expression, exception);
#define ARROW_ASSIGN(lhs, expr, exception) \
  ARROW_ASSIGN_(ICEBLINK_CONCAT(arrow_result_, __LINE__), lhs, expr, exception)
#define ARROW_ASSIGN_(tmp, lhs, expr, exception)                                \
  auto tmp = (expr);                                                            \
  if (!tmp.ok()) return Fail(::iceblink::io::ErrorOf(tmp.status(), exception)); \
  lhs = std::move(tmp).ValueUnsafe()

}  // namespace iceblink::io
