// Tables as DataFrame.show prints them, and as notebooks do. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time_zone.h"
#include "base/value.h"
#include "engine/statement_result.h"

namespace iceblink::server {

// `rows` holds at least limit + 1 rows when there are that many. `truncate`: cells longer than it
// are cut; 0: never.
std::string ShowRows(const std::vector<engine::ResultColumn>& columns, std::vector<ValueList> rows,
                     int32_t limit, int32_t truncate, const TimeZone& zone);
// One line a cell.
std::string ShowVertical(const std::vector<engine::ResultColumn>& columns,
                         std::vector<ValueList> rows, int32_t limit, int32_t truncate,
                         const TimeZone& zone);
std::string ShowHtml(const std::vector<engine::ResultColumn>& columns, std::vector<ValueList> rows,
                     int32_t limit, int32_t truncate, const TimeZone& zone);

}  // namespace iceblink::server
