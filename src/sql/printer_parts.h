// Pieces that the printers of expressions, queries and statements share. Internal to the room.
#pragma once

#include <string>
#include <string_view>

#include "sql/ast.h"

namespace iceblink::sql {

// Back-quotes the name when it is a word of the grammar or has other characters than letters,
// digits and _.
std::string PrintIdentifier(std::string_view name);
std::string PrintName(const Name& name);
std::string PrintNames(const std::vector<Name>& names);
std::string PrintIdentifiers(const std::vector<std::string>& names);

// An expression that binds at least as tight as `precedence`; looser ones come in parentheses. 0
// takes anything.
std::string PrintOperand(const Expr& expr, int precedence);
std::string PrintLiteral(const Literal& literal);
std::string PrintInterval(const Literal& literal);
std::string PrintExpressions(const std::vector<ExprPtr>& exprs);
std::string PrintNamed(const NamedExpr& named);
std::string PrintArguments(const std::vector<Argument>& args);
std::string PrintSortItems(const std::vector<SortItem>& items);
std::string PrintWindow(const WindowSpec& spec);
std::string PrintCtes(const std::vector<Cte>& ctes, bool recursive);
std::string PrintProperties(const PropertyMap& properties);
std::string PrintPartition(const PartitionSpec& spec);
std::string PrintTableChange(const TableChange& change);
std::string PrintColumns(const std::vector<ColumnDefinition>& columns);

// Joins print(item) with ", ".
template <typename Range, typename Print>
std::string PrintList(const Range& items, Print print) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ", ";
    out += print(item);
  }
  return out;
}

}  // namespace iceblink::sql
