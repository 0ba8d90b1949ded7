// Dates, times and timestamps as Spark's casts and typed literals read them: looser than ISO.
//
// `2020`, `2020-1`, `2020-01-02`, with anything after a space or T ignored for dates; `2020-01-02
// 3:4:5.6789 Europe/Paris` for timestamps. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iceblink::sql {

// Returns "epoch", "now", "today", "tomorrow" or "yesterday" when the text is that word, in any
// case; else "".
std::string SpecialDatetime(std::string_view text);

// Returns days since 1970-01-01.
std::optional<int32_t> ParseDateText(std::string_view text);

struct TimestampText {
  int64_t local_micros = 0;  // the wall clock written
  std::string zone;          // as written, "" when absent; not checked against a database
  bool time_only = false;    // `12:30`: today's date is to be added
};
std::optional<TimestampText> ParseTimestampText(std::string_view text);

// Returns microseconds of the day.
std::optional<int64_t> ParseTimeText(std::string_view text);

// Returns the offset of `Z`, `UTC`, `+1`, `+01:30`, `GMT+1` in seconds; nothing for named zones.
std::optional<int32_t> FixedZoneOffset(std::string_view zone);

}  // namespace iceblink::sql
