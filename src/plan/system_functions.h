// What Iceberg's functions of catalog.system say of arguments that they do not take.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "plan/errors.h"
#include "sql/data_type.h"

namespace iceblink::plan {

// Error: _LEGACY_ERROR_TEMP_1198 with the words of the function's bind().
Status CheckSystemArguments(std::string_view function, std::span<const sql::DataType> types,
                            ErrorPosition at);

}  // namespace iceblink::plan
