#include "exec/function_table.h"

#include <array>
#include <unordered_map>

#include "base/strings.h"
#include "exec/duckdb_types.h"

namespace iceblink::exec {

const FunctionSql* FindFunctionSql(std::string_view canonical_name) {
  static const auto* const kIndex = [] {
    auto* index = new std::unordered_map<std::string_view, const FunctionSql*>();
    for (std::span<const FunctionSql> rows :
         {OperatorRows(), TextRows(), DatetimeRows(), CollectionRows()}) {
      for (const FunctionSql& row : rows) index->emplace(row.name, &row);
    }
    return index;
  }();
  auto it = kIndex->find(canonical_name);
  return it == kIndex->end() ? nullptr : it->second;
}

std::string FillTemplate(std::string_view text, const std::vector<std::string>& args,
                         const std::string& zone) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char what = text[++i];
    if (what == '*') {
      out += Join(args, ", ");
    } else if (what == 'z') {
      out += QuoteText(zone);
    } else {
      size_t index = static_cast<size_t>(what - '1');
      out += index < args.size() ? args[index] : "NULL";
    }
  }
  return out;
}

}  // namespace iceblink::exec
