#include "statement_source.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace iceblink::cli {

void RunText(const std::string& text, const RunStatement& run) {
  sql::StatementSplitter splitter;
  for (const std::string& statement : splitter.Feed(text)) {
    if (!run(statement)) return;
  }
  if (std::string rest = splitter.Finish(); !rest.empty()) run(rest);
}

Status RunDescriptor(int descriptor, const RunStatement& run) {
  sql::StatementSplitter splitter;
  char buffer[1 << 16];
  while (true) {
    ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0)
      return Fail(ErrorCode::kIo, std::string("Cannot read statements: ") + std::strerror(errno));
    if (count == 0) break;
    for (const std::string& statement : splitter.Feed({buffer, static_cast<size_t>(count)})) {
      if (!run(statement)) return {};
    }
  }
  if (std::string rest = splitter.Finish(); !rest.empty()) run(rest);
  return {};
}

}  // namespace iceblink::cli
