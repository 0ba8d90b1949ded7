// Intervals from their parts and texts: which of the three interval types they are and their value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/ast_expression.h"

namespace iceblink::sql {

// Condition of the error for years or months together with days or less.
inline constexpr std::string_view kMixedIntervalUnits = "MIXED_INTERVAL_UNITS";

struct IntervalPart {
  bool negative = false;
  std::string quantity;  // digits, perhaps with a sign or a fraction
  std::string unit;      // lower case, singular or plural
};

// Returns the singular lower-case unit for "DAY", "days" ...; nothing for other words.
std::optional<std::string_view> IntervalUnit(std::string_view word);

// Adds the parts up to a year-month or a day-time interval over the fields from the largest to the
// smallest unit.
Result<Literal> MakeInterval(const std::vector<IntervalPart>& parts);

// Parses `1 day 2 hours`, `interval -3 months`, as INTERVAL '...' has it.
std::optional<Literal> ParseIntervalText(std::string_view text);

// Parses '1-2' of YEAR TO MONTH, '1 02:03:04.5' of DAY TO SECOND and the shorter ranges. Units in
// lower case.
Result<Literal> ParseUnitToUnit(std::string_view text, bool negative, std::string_view from,
                                std::string_view to);

}  // namespace iceblink::sql
