// How a statement's result is printed: one writer per --format.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time_zone.h"
#include "engine/statement_result.h"

namespace iceblink::cli {

enum class Format { kTable, kCsv, kTsv, kJson, kJsonl, kMarkdown };

std::optional<Format> ParseFormat(std::string_view name);

// Prints results to a stream. Rows are printed as they come, except in table and markdown format,
// whose column widths follow the first kMeasuredRows rows.
class ResultPrinter {
 public:
  static constexpr size_t kMeasuredRows = 1000;

  ResultPrinter(Format format, std::FILE* out) : format_(format), out_(out) {}

  // Prints one statement's result and flushes. Returns the number of rows, or the error that
  // reading them met (jsonl: already printed as the statement's line).
  Result<int64_t> Print(engine::StatementResult& result, const TimeZone& zone);

  // Prints an error where programs look for it: the jsonl line. Other formats leave errors to
  // stderr.
  void PrintError(const Error& error);

 private:
  Result<int64_t> PrintSeparated(engine::StatementResult& result, const TimeZone& zone,
                                 char separator);
  Result<int64_t> PrintJson(engine::StatementResult& result, const TimeZone& zone);
  Result<int64_t> PrintJsonl(engine::StatementResult& result, const TimeZone& zone);
  Result<int64_t> PrintAligned(engine::StatementResult& result, const TimeZone& zone);
  void Write(std::string_view text);

  Format format_;
  std::FILE* out_;
};

}  // namespace iceblink::cli
