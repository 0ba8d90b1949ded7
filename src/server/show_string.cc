#include "server/show_string.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/value_text.h"

namespace iceblink::server {
namespace {

using Grid = std::vector<std::vector<std::string>>;

size_t CodePointLength(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

size_t CountCodePoints(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Characters that take two columns of a terminal, as Spark's pattern of full-width characters has
// them.
size_t Width(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) {
    size_t length = std::min(CodePointLength(static_cast<unsigned char>(text[i])), text.size() - i);
    uint32_t c = static_cast<unsigned char>(text[i]) & (length == 1 ? 0x7F : 0xFF >> (length + 1));
    for (size_t k = 1; k < length; ++k)
      c = c << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    bool full = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                (c >= 0xFFE0 && c <= 0xFFE6);
    width += full ? 2 : 1;
    i += length;
  }
  return width;
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\a':
        out += "\\a";
        break;
      case '\v':
        out += "\\v";
        break;
      default:
        out += c;
        break;
    }
  }
  return out;
}

std::string Truncated(std::string text, int32_t truncate) {
  if (truncate <= 0 || CountCodePoints(text) <= static_cast<size_t>(truncate)) return text;
  size_t keep = static_cast<size_t>(truncate < 4 ? truncate : truncate - 3), at = 0;
  for (; keep > 0 && at < text.size(); --keep)
    at += CodePointLength(static_cast<unsigned char>(text[at]));
  text.resize(std::min(at, text.size()));
  return truncate < 4 ? text : text + "...";
}

// Binary is shown in hex: [31 32 33].
std::string CellText(const Value& value, const sql::DataType& type, const TimeZone& zone) {
  if (!value.is_null() && value.Is<Bytes>() && type.kind() == sql::TypeKind::kBinary) {
    std::string out = "[";
    for (unsigned char byte : value.As<Bytes>().data)
      out += fmt::format("{}{:02X}", out.size() > 1 ? " " : "", byte);
    return out + "]";
  }
  std::string out;
  engine::AppendText(value, type, zone, out);
  return out;
}

Grid Cells(const std::vector<engine::ResultColumn>& columns, const std::vector<ValueList>& rows,
           int32_t truncate, const TimeZone& zone) {
  Grid grid;
  for (const ValueList& row : rows) {
    auto& cells = grid.emplace_back();
    for (size_t c = 0; c < columns.size(); ++c)
      cells.push_back(Truncated(Escaped(CellText(row[c], columns[c].type, zone)), truncate));
  }
  return grid;
}

std::string Padded(const std::string& text, size_t width, bool left) {
  size_t own = Width(text);
  std::string space(width > own ? width - own : 0, ' ');
  return left ? text + space : space + text;
}

std::string MoreLine(int32_t limit) {
  return fmt::format("only showing top {} row{}\n", limit, limit == 1 ? "" : "s");
}

// Cuts to the limit; returns whether there were more.
bool CutTo(std::vector<ValueList>& rows, int32_t limit) {
  size_t most = static_cast<size_t>(std::max(limit, 0));
  bool more = rows.size() > most;
  if (more) rows.resize(most);
  return more;
}

}  // namespace

std::string ShowRows(const std::vector<engine::ResultColumn>& columns, std::vector<ValueList> rows,
                     int32_t limit, int32_t truncate, const TimeZone& zone) {
  bool more = CutTo(rows, limit);
  Grid grid = Cells(columns, rows, truncate, zone);
  std::vector<std::string> header;
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns.size(); ++c) {
    header.push_back(Escaped(columns[c].name));
    widths.push_back(std::max<size_t>(3, Width(header[c])));
    for (const auto& row : grid) widths[c] = std::max(widths[c], Width(row[c]));
  }
  bool left = truncate <= 0;
  std::string rule = "+";
  for (size_t width : widths) rule += std::string(width, '-') + "+";
  rule += "\n";
  auto line = [&](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (size_t c = 0; c < cells.size(); ++c) out += Padded(cells[c], widths[c], left) + "|";
    return out + "\n";
  };
  std::string out = rule + line(header) + rule;
  for (const auto& row : grid) out += line(row);
  out += rule;
  return more ? out + MoreLine(limit) : out;
}

std::string ShowVertical(const std::vector<engine::ResultColumn>& columns,
                         std::vector<ValueList> rows, int32_t limit, int32_t truncate,
                         const TimeZone& zone) {
  bool more = CutTo(rows, limit);
  Grid grid = Cells(columns, rows, truncate, zone);
  if (grid.empty()) return "(0 rows)\n";
  size_t name_width = 3, data_width = 3;
  for (const auto& column : columns) name_width = std::max(name_width, Width(Escaped(column.name)));
  for (const auto& row : grid)
    for (const auto& cell : row) data_width = std::max(data_width, Width(cell));
  std::string out;
  for (size_t r = 0; r < grid.size(); ++r) {
    std::string title = fmt::format("-RECORD {}", r);
    size_t width = name_width + data_width + 5;
    out += title + std::string(width > title.size() ? width - title.size() : 0, '-') + "\n";
    for (size_t c = 0; c < columns.size(); ++c)
      out += " " + Padded(Escaped(columns[c].name), name_width, true) + " | " +
             Padded(grid[r][c], data_width, true) + " \n";
  }
  return more ? out + MoreLine(limit) : out;
}

std::string ShowHtml(const std::vector<engine::ResultColumn>& columns, std::vector<ValueList> rows,
                     int32_t limit, int32_t truncate, const TimeZone& zone) {
  auto escaped = [](const std::string& text) {
    std::string out;
    for (char c : text) {
      if (c == '&')
        out += "&amp;";
      else if (c == '<')
        out += "&lt;";
      else if (c == '>')
        out += "&gt;";
      else if (c == '"')
        out += "&quot;";
      else
        out += c;
    }
    return out;
  };
  bool more = CutTo(rows, limit);
  std::string out = "<table border='1'>\n<tr>";
  for (const auto& column : columns) out += "<th>" + escaped(column.name) + "</th>";
  out += "</tr>\n";
  for (const auto& row : Cells(columns, rows, truncate, zone)) {
    out += "<tr>";
    for (const auto& cell : row) out += "<td>" + escaped(cell) + "</td>";
    out += "</tr>\n";
  }
  out += "</table>\n";
  return more ? out + MoreLine(limit) : out;
}

}  // namespace iceblink::server
