#include "output.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "engine/value_text.h"

namespace iceblink::cli {
namespace {

using engine::ResultColumn;
using engine::StatementResult;

constexpr std::array<std::pair<std::string_view, Format>, 6> kFormats = {
    {{"table", Format::kTable},
     {"csv", Format::kCsv},
     {"tsv", Format::kTsv},
     {"json", Format::kJson},
     {"jsonl", Format::kJsonl},
     {"markdown", Format::kMarkdown}}};

// A CSV field is quoted when it holds the separator, a quote or a line break; a TSV field escapes
// tab and line break.
void AppendField(const std::string& text, char separator, std::string& out) {
  if (separator == '\t') {
    for (char c : text) {
      if (c == '\t')
        out += "\\t";
      else if (c == '\n')
        out += "\\n";
      else
        out += c;
    }
    return;
  }
  if (text.find_first_of("\",\n\r") == std::string::npos) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

bool AlignsRight(const sql::DataType& type) { return type.is_numeric(); }

// Terminal columns of a text, near enough: one a code point.
size_t Width(std::string_view text) { return CodePointCount(text); }

// The rows of a table, line breaks made visible, padded to common widths.
class AlignedTable {
 public:
  AlignedTable(const std::vector<ResultColumn>& columns, bool markdown) : markdown_(markdown) {
    for (const ResultColumn& column : columns) {
      header_.push_back(Visible(column.name));
      right_.push_back(AlignsRight(column.type));
      widths_.push_back(std::max<size_t>(Width(header_.back()), markdown ? 3 : 0));
    }
  }

  static std::string Visible(const std::string& text) {
    return text.find('\n') == std::string::npos ? text : ReplaceAll(text, "\n", "\\n");
  }

  void Measure(const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); i++) widths_[i] = std::max(widths_[i], Width(row[i]));
  }
  std::string Header() const { return Line(header_) + Rule(); }
  std::string Line(const std::vector<std::string>& row) const {
    std::string out = markdown_ ? "|" : "";
    for (size_t i = 0; i < row.size(); i++) {
      size_t pad = widths_[i] > Width(row[i]) ? widths_[i] - Width(row[i]) : 0;
      bool last = i + 1 == row.size();
      out += ' ';
      if (right_[i]) out.append(pad, ' ');
      out += markdown_ ? ReplaceAll(row[i], "|", "\\|") : row[i];
      if (!right_[i] && (markdown_ || !last)) out.append(pad, ' ');
      if (markdown_ || !last) out += " |";
    }
    return out + '\n';
  }

 private:
  std::string Rule() const {
    std::string out = markdown_ ? "|" : "";
    for (size_t i = 0; i < widths_.size(); i++) {
      if (markdown_) {
        out +=
            " " + std::string(widths_[i] - (right_[i] ? 1 : 0), '-') + (right_[i] ? ": |" : " |");
      } else {
        out += std::string(widths_[i] + 2, '-');
        if (i + 1 < widths_.size()) out += '+';
      }
    }
    return out + '\n';
  }

  bool markdown_;
  std::vector<std::string> header_;
  std::vector<bool> right_;
  std::vector<size_t> widths_;
};

std::vector<std::string> RowText(const ValueList& row, const std::vector<ResultColumn>& columns,
                                 const TimeZone& zone) {
  std::vector<std::string> cells(row.size());
  for (size_t i = 0; i < row.size(); i++) {
    engine::AppendText(row[i], columns[i].type, zone, cells[i]);
    cells[i] = AlignedTable::Visible(cells[i]);
  }
  return cells;
}

void AppendNullableString(std::string_view text, std::string& out) {
  if (text.empty()) {
    out += "null";
  } else {
    engine::AppendJsonString(text, out);
  }
}

}  // namespace

std::optional<Format> ParseFormat(std::string_view name) {
  for (const auto& [text, format] : kFormats) {
    if (text == name) return format;
  }
  return std::nullopt;
}

void ResultPrinter::Write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), out_); }

Result<int64_t> ResultPrinter::Print(StatementResult& result, const TimeZone& zone) {
  Result<int64_t> count = 0;
  if (format_ == Format::kJsonl) {
    count = PrintJsonl(result, zone);
  } else if (!result.columns().empty()) {
    switch (format_) {
      case Format::kTable:
      case Format::kMarkdown:
        count = PrintAligned(result, zone);
        break;
      case Format::kCsv:
        count = PrintSeparated(result, zone, ',');
        break;
      case Format::kTsv:
        count = PrintSeparated(result, zone, '\t');
        break;
      case Format::kJson:
        count = PrintJson(result, zone);
        break;
      case Format::kJsonl:
        break;
    }
  }
  std::fflush(out_);
  return count;
}

void ResultPrinter::PrintError(const Error& error) {
  if (format_ != Format::kJsonl) return;
  std::string line = "{\"error\":{\"class\":";
  engine::AppendJsonString(
      error.exception.empty() ? std::string(ErrorCodeName(error.code)) : error.exception, line);
  line += ",\"condition\":";
  AppendNullableString(error.condition, line);
  line += ",\"sqlState\":";
  AppendNullableString(error.sql_state, line);
  line += ",\"message\":";
  engine::AppendJsonString(error.message, line);
  line += "}}\n";
  Write(line);
  std::fflush(out_);
}

// One line for a statement: nothing is written before the last row is known to be good.
Result<int64_t> ResultPrinter::PrintJsonl(StatementResult& result, const TimeZone& zone) {
  std::string line = "{\"columns\":[";
  for (size_t i = 0; i < result.columns().size(); i++) {
    line += i > 0 ? ",[" : "[";
    engine::AppendJsonString(result.columns()[i].name, line);
    line += ',';
    engine::AppendJsonString(result.columns()[i].type.SimpleString(), line);
    line += ']';
  }
  line += "],\"rows\":[";
  int64_t count = 0;
  while (true) {
    auto batch = result.Next();
    if (!batch) {
      PrintError(batch.error());
      return Fail(std::move(batch).error());
    }
    if (batch->empty()) break;
    for (const ValueList& row : *batch) {
      line += count++ > 0 ? ",[" : "[";
      for (size_t i = 0; i < row.size(); i++) {
        if (i > 0) line += ',';
        engine::AppendJson(row[i], result.columns()[i].type, zone, line);
      }
      line += ']';
    }
  }
  line += "]}\n";
  Write(line);
  return count;
}

Result<int64_t> ResultPrinter::PrintJson(StatementResult& result, const TimeZone& zone) {
  int64_t count = 0;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> batch, result.Next());
    if (batch.empty()) break;
    std::string out;
    for (const ValueList& row : batch) {
      out += count++ > 0 ? ",\n {" : "[{";
      for (size_t i = 0; i < row.size(); i++) {
        if (i > 0) out += ',';
        engine::AppendJsonString(result.columns()[i].name, out);
        out += ':';
        engine::AppendJsonObject(row[i], result.columns()[i].type, zone, out);
      }
      out += '}';
    }
    Write(out);
  }
  Write(count == 0 ? "[]\n" : "]\n");
  return count;
}

Result<int64_t> ResultPrinter::PrintSeparated(StatementResult& result, const TimeZone& zone,
                                              char separator) {
  std::string out;
  for (size_t i = 0; i < result.columns().size(); i++) {
    if (i > 0) out += separator;
    AppendField(result.columns()[i].name, separator, out);
  }
  out += '\n';
  Write(out);
  int64_t count = 0;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> batch, result.Next());
    if (batch.empty()) return count;
    out.clear();
    for (const ValueList& row : batch) {
      for (size_t i = 0; i < row.size(); i++) {
        if (i > 0) out += separator;
        if (row[i].is_null()) continue;  // an empty field
        std::string cell;
        engine::AppendText(row[i], result.columns()[i].type, zone, cell);
        AppendField(cell, separator, out);
      }
      out += '\n';
      count++;
    }
    Write(out);
  }
}

Result<int64_t> ResultPrinter::PrintAligned(StatementResult& result, const TimeZone& zone) {
  AlignedTable table(result.columns(), format_ == Format::kMarkdown);
  std::vector<std::vector<std::string>> measured;
  bool printed_header = false;
  auto flush = [&] {
    if (!printed_header) Write(table.Header());
    printed_header = true;
    for (const auto& row : measured) Write(table.Line(row));
    measured.clear();
  };
  int64_t count = 0;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> batch, result.Next());
    if (batch.empty()) break;
    for (const ValueList& row : batch) {
      measured.push_back(RowText(row, result.columns(), zone));
      if (!printed_header) table.Measure(measured.back());
      count++;
    }
    if (measured.size() >= kMeasuredRows || printed_header) flush();
  }
  flush();
  if (format_ == Format::kTable)
    Write("(" + std::to_string(count) + (count == 1 ? " row)\n" : " rows)\n"));
  return count;
}

}  // namespace iceblink::cli
