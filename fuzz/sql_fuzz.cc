// Feeds arbitrary text to the SQL parser: it parses or fails cleanly, and a printed statement
// parses again.
//
//   clang++-19 -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc fuzz/sql_fuzz.cc
//   <sources of base and sql> -lfmt -lutf8proc
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sql/parser.h"
#include "sql/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  iceblink::sql::StatementSplitter splitter;
  splitter.Feed(text);
  splitter.Finish();
  const auto statement = iceblink::sql::ParseStatement(text);
  if (!statement) return 0;
  if (statement->As<iceblink::sql::MultiInsert>() ||
      statement->As<iceblink::sql::UnsupportedStatement>())
    return 0;
  const auto again = iceblink::sql::ParseStatement(iceblink::sql::PrintStatement(*statement));
  // Printing may nest deeper than the text did; everything else is a defect.
  if (!again && again.error().condition != "FAILED_TO_PARSE_TOO_COMPLEX") std::abort();
  return 0;
}
