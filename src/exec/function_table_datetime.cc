// Dates, timestamps and intervals. Arguments that are instants become wall clocks of the session
// zone first.
#include <fmt/format.h>

#include <array>

#include "base/datetime.h"
#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/function_table.h"

namespace iceblink::exec {

using plan::DataType;
using sql::TypeKind;

namespace {

using Args = std::vector<std::string>;

bool Is(const plan::ExprPtr& expr, TypeKind kind) { return expr->type.kind() == kind; }

// The argument as a DuckDB TIMESTAMP in the session zone.
std::string Local(const Lowering& lowering, const plan::ExprPtr& expr, const std::string& text) {
  return Is(expr, TypeKind::kTimestamp) ? lowering.ToLocal(text)
                                        : "CAST(" + text + " AS TIMESTAMP)";
}

// A wall clock as the call's type.
std::string FromLocalTo(const Lowering& lowering, const DataType& type, const std::string& text) {
  return type.kind() == TypeKind::kTimestamp ? lowering.FromLocal(text) : text;
}

// One row per field of date parts: Spark's function, DuckDB's expression over a TIMESTAMP or DATE
// $1.
Result<std::string> Part(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                         const Args& args) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kParts = {{
      {"year", "year($1)"},
      {"quarter", "quarter($1)"},
      {"month", "month($1)"},
      {"day", "day($1)"},
      {"dayofweek", "(dayofweek($1) + 1)"},
      {"dayofweek_iso", "isodow($1)"},
      {"weekday", "(isodow($1) - 1)"},
      {"dayofyear", "dayofyear($1)"},
      {"weekofyear", "week($1)"},
      {"yearofweek", "isoyear($1)"},
      {"hour", "hour($1)"},
      {"minute", "minute($1)"},
      {"second", "second($1)"},
      {"second_with_fraction", "(CAST(microsecond($1) AS DECIMAL(14,6)) / 1000000)"},
  }};
  std::string at = Is(call.args[0], TypeKind::kDate) || Is(call.args[0], TypeKind::kTime)
                       ? args[0]
                       : Local(lowering, call.args[0], args[0]);
  if (call.function == "second_with_fraction") {
    return fmt::format(
        "ib_decimal('/', CAST(microsecond({}) AS DECIMAL(38,0)), CAST(1000000 AS DECIMAL(38,0)), "
        "8, 6, 0)",
        at);
  }
  for (const auto& [name, text] : kParts) {
    if (name == call.function) return FillTemplate(text, {at}, "");
  }
  return Fail(ErrorCode::kInternal, "no such date part");
}

// Months in an interval argument, and its micros.
struct Offset {
  std::string months, days, micros;
};
Offset OffsetOf(const DataType& type, const std::string& text) {
  if (type.kind() == TypeKind::kYearMonthInterval) return {text, "", ""};
  if (type.kind() == TypeKind::kDayTimeInterval) return {"", "", text};
  return {"", "", ""};
}

Result<std::string> AddInterval(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                                const Args& args) {
  Offset offset = OffsetOf(call.args[1]->type, args[1]);
  const plan::ExprPtr& base = call.args[0];
  std::string shift = offset.months.empty() && offset.micros.empty() ? args[1] : "";
  if (!offset.months.empty()) shift = "to_months(CAST(" + offset.months + " AS INTEGER))";
  if (!offset.micros.empty()) {
    // An instant moves by elapsed time, whatever the zone.
    shift = "to_microseconds(" + offset.micros + ")";
    if (Is(base, TypeKind::kTimestamp)) {
      return fmt::format("ib_add_micros({}, {})", args[0], offset.micros);
    }
  }
  std::string moved = "(" + Local(lowering, base, args[0]) + " + " + shift + ")";
  if (expr.type.kind() == TypeKind::kDate) return "CAST(" + moved + " AS DATE)";
  if (Is(base, TypeKind::kDate) && expr.type.kind() == TypeKind::kTimestamp)
    return lowering.FromLocal(moved);
  return FromLocalTo(lowering, expr.type, moved);
}

Result<std::string> TimestampDiff(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                                  const Args& args) {
  auto micros = [&](size_t i) {
    return Is(call.args[i], TypeKind::kTimestamp)
               ? "epoch_us(" + args[i] + ")"
               : "epoch_us(" + Local(lowering, call.args[i], args[i]) + ")";
  };
  return "(" + micros(0) + " - " + micros(1) + ")";
}

Result<std::string> Now(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                        const Args&) {
  std::string now =
      LiteralSql(Value(lowering.context().now_micros), DataType(TypeKind::kTimestamp));
  if (call.function == "current_timestamp") return now;
  std::string local = lowering.ToLocal(now);
  return expr.type.kind() == TypeKind::kDate ? "CAST(" + local + " AS DATE)" : local;
}

// to_date, to_timestamp and the like: without a format the text is cast.
Result<std::string> ParseWithFormat(Lowering& lowering, const plan::Expr& expr,
                                    const plan::Call& call, const Args& args) {
  bool try_mode = call.function.starts_with("try_");
  const plan::ExprPtr& from = call.args[0];
  bool text = from->type.is_string();
  if (args.size() < 2 || !text) {
    return lowering.CastText(args[0], from->type, expr.type,
                             try_mode ? plan::CastMode::kTry : plan::CastMode::kAnsi);
  }
  std::string name =
      expr.type.kind() == TypeKind::kDate ? "ib_parse_date_as" : "ib_parse_timestamp_as";
  std::string local = fmt::format(
      "{}({}, {}, {}, {})", name, args[0], args[1], try_mode,
      QuoteText(expr.type.kind() == TypeKind::kTimestamp ? lowering.time_zone() : "UTC"));
  return "CAST(" + local + " AS " + TypeSql(expr.type) + ")";
}

Result<std::string> UnixTimestamp(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                                  const Args& args) {
  std::string instant =
      LiteralSql(Value(lowering.context().now_micros), DataType(TypeKind::kTimestamp));
  if (!args.empty()) {
    const plan::ExprPtr& from = call.args[0];
    if (from->type.is_string()) {
      std::string format = args.size() > 1 ? args[1] : "'yyyy-MM-dd HH:mm:ss'";
      instant =
          fmt::format("CAST(ib_parse_timestamp_as({}, {}, false, {}) AS TIMESTAMP WITH TIME ZONE)",
                      args[0], format, QuoteText(lowering.time_zone()));
    } else if (Is(from, TypeKind::kTimestamp)) {
      instant = args[0];
    } else {
      instant = lowering.FromLocal("CAST(" + args[0] + " AS TIMESTAMP)");
    }
  }
  return "CAST(floor(epoch_us(" + instant + ") / 1000000) AS BIGINT)";
}

Result<std::string> DateFormat(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                               const Args& args) {
  return fmt::format("ib_date_format({}, {}, {})", Local(lowering, call.args[0], args[0]), args[1],
                     QuoteText(lowering.time_zone()));
}

Result<std::string> FromUnixtime(Lowering& lowering, const plan::Expr&, const plan::Call&,
                                 const Args& args) {
  std::string local = lowering.ToLocal("ib_seconds_to_timestamp(" + args[0] + ")");
  return fmt::format("ib_date_format({}, {}, {})", local, args[1], QuoteText(lowering.time_zone()));
}

Result<std::string> DateTrunc(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                              const Args& args) {
  return FromLocalTo(
      lowering, expr.type,
      "ib_date_trunc(" + args[0] + ", " + Local(lowering, call.args[1], args[1]) + ")");
}

Result<std::string> MakeTimestamp(Lowering& lowering, const plan::Expr& expr,
                                  const plan::Call& call, const Args& args) {
  std::string local =
      fmt::format("ib_make_timestamp({}, {}, {}, {}, {}, CAST({} AS DOUBLE), {})", args[0], args[1],
                  args[2], args[3], args[4], args[5], call.function.starts_with("try_"));
  if (expr.type.kind() != TypeKind::kTimestamp) return local;
  if (args.size() > 6) return "ib_from_local(" + local + ", " + args[6] + ")";
  return lowering.FromLocal(local);
}

// The wall clock in one zone read as if it were that of another.
Result<std::string> ShiftZone(Lowering&, const plan::Expr&, const plan::Call& call,
                              const Args& args) {
  if (call.function == "from_utc_timestamp") {
    return fmt::format("CAST(ib_to_local({}, {}) AS TIMESTAMP WITH TIME ZONE)", args[0], args[1]);
  }
  return fmt::format("ib_from_local(CAST({} AS TIMESTAMP), {})", args[0], args[1]);
}

Result<std::string> ConvertTimezone(Lowering& lowering, const plan::Expr&, const plan::Call&,
                                    const Args& args) {
  bool given = args.size() > 2;
  std::string from = given ? args[0] : QuoteText(lowering.time_zone());
  return fmt::format("ib_to_local(ib_from_local({}, {}), {})", args[given ? 2 : 1], from,
                     args[given ? 1 : 0]);
}

Result<std::string> TimestampAdd(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                                 const Args& args) {
  std::string moved = fmt::format("ib_timestamp_add({}, {}, {})", args[0], args[1],
                                  Local(lowering, call.args[2], args[2]));
  return FromLocalTo(lowering, expr.type, moved);
}

Result<std::string> TimestampDiffUnits(Lowering& lowering, const plan::Expr&,
                                       const plan::Call& call, const Args& args) {
  return fmt::format("ib_timestamp_diff({}, {}, {})", args[0],
                     Local(lowering, call.args[1], args[1]),
                     Local(lowering, call.args[2], args[2]));
}

Result<std::string> MonthsBetween(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                                  const Args& args) {
  return fmt::format("ib_months_between({}, {}, {})", Local(lowering, call.args[0], args[0]),
                     Local(lowering, call.args[1], args[1]), args.size() > 2 ? args[2] : "true");
}

Result<std::string> MakeInterval(Lowering&, const plan::Expr&, const plan::Call&,
                                 const Args& args) {
  return fmt::format(
      "(to_months(CAST({} * 12 + {} AS INTEGER)) + to_days(CAST({} * 7 + {} AS INTEGER)) + "
      "to_microseconds(CAST(({} * 3600 + {} * 60) * 1000000 + CAST({} AS DOUBLE) * 1000000 AS "
      "BIGINT)))",
      args[0], args[1], args[2], args[3], args[4], args[5], args[6]);
}

Result<std::string> IcebergTime(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                                const Args& args) {
  (void)lowering;
  // Partition transforms speak of UTC whatever the session zone.
  std::string at = "CAST(" + args[0] + " AS TIMESTAMP)";
  if (call.function == "iceberg_days") return "CAST(" + at + " AS DATE)";
  if (call.function == "iceberg_years") return "(year(" + at + ") - 1970)";
  if (call.function == "iceberg_months")
    return fmt::format("((year({0}) - 1970) * 12 + month({0}) - 1)", at);
  return "CAST(floor(epoch_us(" + at + ") / 3600000000) AS INTEGER)";
}

// The windows of `duration` that begin every `slide` after `start` and hold the instant, as
// structs; none for NULL.
Result<std::string> TimeWindows(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                                const Args& args) {
  const auto number = [&](size_t i) {
    return call.args[i]->As<plan::LiteralExpr>()->value.AsInt64();
  };
  const int64_t duration = number(1), slide = number(2), start = number(3);
  const std::string type = TypeSql(call.args[0]->type), micros = "epoch_us(" + args[0] + ")";
  const std::string last =
      fmt::format("({0} - ((({0} - {1}) % {2}) + {2}) % {2})", micros, start, slide);
  const std::string i = lowering.FreshName();
  const std::string begin = fmt::format("({} - {} * {})", last, i, slide);
  (void)expr;
  return fmt::format(
      "list_transform(list_filter(range({count}), lambda {i}: {begin} + {duration} > {micros}), "
      "lambda {i}: struct_pack(\"start\" := CAST(make_timestamp({begin}) AS {type}), "
      "\"end\" := CAST(make_timestamp({begin} + {duration}) AS {type})))",
      fmt::arg("count", (duration + slide - 1) / slide), fmt::arg("i", i), fmt::arg("begin", begin),
      fmt::arg("duration", duration), fmt::arg("micros", micros), fmt::arg("type", type));
}

constexpr FunctionSql kDatetimeRows[] = {
    {"current_date", "", Now},
    {"current_timestamp", "", Now},
    {"localtimestamp", "", Now},
    {"to_date", "", ParseWithFormat},
    {"try_to_date", "", ParseWithFormat},
    {"to_timestamp", "", ParseWithFormat},
    {"try_to_timestamp", "", ParseWithFormat},
    {"to_timestamp_ntz", "", ParseWithFormat},
    {"date_format", "", DateFormat},
    {"year", "", Part},
    {"quarter", "", Part},
    {"month", "", Part},
    {"day", "", Part},
    {"dayofweek", "", Part},
    {"dayofweek_iso", "", Part},
    {"weekday", "", Part},
    {"dayofyear", "", Part},
    {"weekofyear", "", Part},
    {"yearofweek", "", Part},
    {"hour", "", Part},
    {"minute", "", Part},
    {"second", "", Part},
    {"second_with_fraction", "", Part},
    {"dayname", "left(dayname($1), 3)"},
    {"monthname", "left(monthname($1), 3)"},
    {"date_add", "($1 + CAST($2 AS INTEGER))"},
    {"date_sub", "($1 - CAST($2 AS INTEGER))"},
    {"datediff", "($1 - $2)"},
    {"date_diff_days", "(CAST($1 - $2 AS BIGINT) * 86400000000)"},
    {"timestamp_diff", "", TimestampDiff},
    {"date_add_interval", "", AddInterval},
    {"add_months", "CAST(($1 + to_months(CAST($2 AS INTEGER))) AS DATE)"},
    {"months_between", "", MonthsBetween},
    {"last_day", "last_day($1)"},
    {"next_day", "ib_next_day($1, $2)"},
    {"trunc", "CAST(ib_date_trunc_date($2, CAST($1 AS TIMESTAMP)) AS DATE)"},
    {"date_trunc", "", DateTrunc},
    {"unix_timestamp", "", UnixTimestamp},
    {"to_unix_timestamp", "", UnixTimestamp},
    {"from_unixtime", "", FromUnixtime},
    {"make_date", "ib_make_date($1, $2, $3)"},
    {"make_timestamp", "", MakeTimestamp},
    {"try_make_timestamp", "", MakeTimestamp},
    {"make_timestamp_ntz", "", MakeTimestamp},
    {"make_interval", "", MakeInterval},
    {"try_make_interval", "", MakeInterval},
    {"make_dt_interval",
     "((CAST($1 AS BIGINT) * 86400 + CAST($2 AS BIGINT) * 3600 + CAST($3 AS BIGINT) * 60) * "
     "1000000 "
     "+ CAST(CAST($4 AS DECIMAL(18,6)) * 1000000 AS BIGINT))"},
    {"make_ym_interval", "($1 * 12 + $2)"},
    {"timestamp_seconds", "ib_seconds_to_timestamp($1)"},
    {"timestamp_millis", "CAST(make_timestamp($1 * 1000) AS TIMESTAMP WITH TIME ZONE)"},
    {"timestamp_micros", "CAST(make_timestamp($1) AS TIMESTAMP WITH TIME ZONE)"},
    {"unix_seconds", "CAST(floor(epoch_us($1) / 1000000) AS BIGINT)"},
    {"unix_millis", "CAST(floor(epoch_us($1) / 1000) AS BIGINT)"},
    {"unix_micros", "epoch_us($1)"},
    {"unix_date", "($1 - '1970-01-01'::DATE)"},
    {"date_from_unix_date", "('1970-01-01'::DATE + CAST($1 AS INTEGER))"},
    {"from_utc_timestamp", "", ShiftZone},
    {"to_utc_timestamp", "", ShiftZone},
    {"convert_timezone", "", ConvertTimezone},
    {"timestampadd", "", TimestampAdd},
    {"timestampdiff", "", TimestampDiffUnits},
    {"time_windows", "", TimeWindows},
    {"window_time", "make_timestamp(epoch_us(struct_extract($1, 'end')) - 1)"},
    {"iceberg_version", "'iceblink'"},
    {"iceberg_years", "", IcebergTime},
    {"iceberg_months", "", IcebergTime},
    {"iceberg_days", "", IcebergTime},
    {"iceberg_hours", "", IcebergTime},
    {"iceberg_bucket", "ib_bucket($1, $2)"},
    {"iceberg_truncate", "ib_truncate($1, $2)"},
    {"iceberg_zorder", "ib_zorder($*)"},
};

}  // namespace

std::span<const FunctionSql> DatetimeRows() { return kDatetimeRows; }

}  // namespace iceblink::exec
