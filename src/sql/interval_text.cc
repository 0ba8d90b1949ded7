#include "sql/interval_text.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/datetime.h"
#include "base/strings.h"

namespace iceblink::sql {

namespace {

struct UnitRow {
  std::string_view name;
  IntervalField field;
  int64_t months;  // of one unit; 0 for day-time units
  int64_t nanos;   // of one unit; 0 for year-month units
};
constexpr std::array<UnitRow, 10> kUnits{{
    {"year", IntervalField::kYear, 12, 0},
    {"month", IntervalField::kMonth, 1, 0},
    {"week", IntervalField::kDay, 0, 7 * kNanosPerDay},
    {"day", IntervalField::kDay, 0, kNanosPerDay},
    {"hour", IntervalField::kHour, 0, kNanosPerHour},
    {"minute", IntervalField::kMinute, 0, 60 * kNanosPerSecond},
    {"second", IntervalField::kSecond, 0, kNanosPerSecond},
    {"millisecond", IntervalField::kSecond, 0, 1'000'000},
    {"microsecond", IntervalField::kSecond, 0, 1'000},
    {"nanosecond", IntervalField::kSecond, 0, 1},
}};

const UnitRow* FindUnit(std::string_view word) {
  const std::string lower = AsciiLower(word);
  for (const UnitRow& row : kUnits) {
    if (lower == row.name ||
        (lower.size() == row.name.size() + 1 && lower.starts_with(row.name) && lower.back() == 's'))
      return &row;
  }
  return nullptr;
}

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kSyntax, std::move(message), "ParseException");
}

// The quantity times the unit, in nanoseconds or months; fractions only of seconds.
Result<Int128> Scaled(const IntervalPart& part, const UnitRow& unit) {
  std::string_view digits = part.quantity;
  const bool negative = digits.starts_with('-') != part.negative;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const size_t dot = digits.find('.');
  const std::string_view whole_text = digits.substr(0, dot);
  const auto whole = whole_text.empty() && dot != std::string_view::npos ? std::optional<int64_t>(0)
                                                                         : ParseInt64(whole_text);
  if (!whole || *whole < 0) {
    return Invalid("Error parsing '" + part.quantity +
                   "' to interval. Please ensure that the value provided is in a valid "
                   "format for defining an interval.");
  }
  Int128 total = static_cast<Int128>(*whole) * (unit.months != 0 ? unit.months : unit.nanos);
  if (dot != std::string_view::npos) {
    std::string fraction(digits.substr(dot + 1, 9));
    fraction.resize(9, '0');
    const auto nanos = ParseInt64(fraction);
    if (unit.name != "second" || !nanos || digits.size() - dot > 10) {
      return Invalid("Error parsing '" + part.quantity + "' to interval. '" +
                     std::string(unit.name) + "' unit must have a whole number.");
    }
    total += *nanos;
  }
  return negative ? -total : total;
}

std::optional<Literal> YearMonth(Int128 months, IntervalField start, IntervalField end) {
  if (months > std::numeric_limits<int32_t>::max() || months < std::numeric_limits<int32_t>::min())
    return std::nullopt;
  return Literal{Interval{static_cast<int32_t>(months), 0, 0},
                 DataType::YearMonthInterval(start, end)};
}

std::optional<Literal> DayTime(Int128 micros, IntervalField start, IntervalField end) {
  if (micros > std::numeric_limits<int64_t>::max() || micros < std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return Literal{Interval{0, 0, static_cast<int64_t>(micros)},
                 DataType::DayTimeInterval(start, end)};
}

// Splits `1 02:03:04.5` into numbers at the separators that the fields call for.
std::optional<std::vector<std::string>> FieldTexts(std::string_view text, IntervalField from,
                                                   IntervalField to) {
  std::vector<std::string> fields;
  std::string_view rest = text;
  for (auto field = from; field < to;
       field = static_cast<IntervalField>(static_cast<int>(field) + 1)) {
    const char separator = field == IntervalField::kYear  ? '-'
                           : field == IntervalField::kDay ? ' '
                                                          : ':';
    const size_t at = rest.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    fields.emplace_back(iceblink::Trim(rest.substr(0, at)));
    rest.remove_prefix(at + 1);
  }
  fields.emplace_back(iceblink::Trim(rest));
  return fields;
}

}  // namespace

std::optional<std::string_view> IntervalUnit(std::string_view word) {
  const UnitRow* unit = word.empty() ? nullptr : FindUnit(word);
  return unit ? std::optional(unit->name) : std::nullopt;
}

Result<Literal> MakeInterval(const std::vector<IntervalPart>& parts) {
  Int128 months = 0;
  Int128 nanos = 0;
  IntervalField start = IntervalField::kSecond;
  IntervalField end = IntervalField::kYear;
  for (const IntervalPart& part : parts) {
    const UnitRow* unit = FindUnit(part.unit);
    if (unit == nullptr)
      return Invalid("Error parsing '" + part.unit + "' to interval. It is not a unit.");
    ASSIGN_OR_RETURN(Int128 amount, Scaled(part, *unit));
    (unit->months != 0 ? months : nanos) += amount;
    start = std::min(start, unit->field);
    end = std::max(end, unit->field);
  }
  if (parts.empty()) return Invalid("at least one time unit should be given for interval literal");
  const bool year_month = start <= IntervalField::kMonth;
  if (year_month && end > IntervalField::kMonth) {
    Error error = Error::Make(ErrorCode::kSyntax, "Cannot mix year-month and day-time fields",
                              "ParseException");
    error.condition = kMixedIntervalUnits;
    return Fail(std::move(error));
  }
  auto literal = year_month ? YearMonth(months, start, end) : DayTime(nanos / 1000, start, end);
  if (!literal) return Invalid("Error parsing interval: the value is out of range.");
  return *std::move(literal);
}

std::optional<Literal> ParseIntervalText(std::string_view text) {
  std::vector<std::string> words = SplitTrimmed(text, ' ');
  if (!words.empty() && EqualsIgnoreCase(words[0], "interval")) words.erase(words.begin());
  std::vector<IntervalPart> parts;
  for (size_t i = 0; i < words.size(); i += 2) {
    IntervalPart part;
    if ((words[i] == "-" || words[i] == "+") && i + 1 < words.size())
      part.negative = words[i++] == "-";
    if (i + 1 >= words.size()) return std::nullopt;
    part.quantity = words[i];
    part.unit = AsciiLower(words[i + 1]);
    if (!IntervalUnit(part.unit)) return std::nullopt;
    parts.push_back(std::move(part));
  }
  Result<Literal> literal = MakeInterval(parts);
  return literal ? std::optional(*std::move(literal)) : std::nullopt;
}

Result<Literal> ParseUnitToUnit(std::string_view text, bool negative, std::string_view from,
                                std::string_view to) {
  const UnitRow* first = FindUnit(from);
  const UnitRow* last = FindUnit(to);
  const bool fits = first && last && first->field < last->field && first->name != "week" &&
                    (first->months != 0) == (last->months != 0);
  if (!fits) {
    return Invalid("Cannot support (interval '" + std::string(text) + "' " + std::string(from) +
                   " to " + std::string(to) + ") expression.");
  }
  std::string_view body = iceblink::Trim(text);
  if (body.starts_with('-') || body.starts_with('+')) {
    negative = negative != body.starts_with('-');
    body.remove_prefix(1);
  }
  const auto fields = FieldTexts(body, first->field, last->field);
  if (!fields) {
    return Invalid("Interval string does not match " +
                   std::string(first->months != 0 ? "year-month" : "day-time") + " format.");
  }
  std::vector<IntervalPart> parts;
  for (size_t i = 0; i < fields->size(); ++i) {
    const auto field = static_cast<IntervalField>(static_cast<size_t>(first->field) + i);
    parts.push_back({negative, (*fields)[i], std::string(IntervalFieldName(field))});
  }
  return MakeInterval(parts);
}

}  // namespace iceblink::sql
