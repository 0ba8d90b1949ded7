// Statements of the grammar that do not run: those Spark itself refuses by name, and those Iceblink
// does not offer.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

namespace {

// Hive commands that Spark knows only to refuse them. kNotAWord ends a row.
constexpr Word kHiveCommands[][3] = {
    {Word::kCreate, Word::kRole},
    {Word::kDrop, Word::kRole},
    {Word::kGrant, Word::kRole},
    {Word::kGrant},
    {Word::kRevoke, Word::kRole},
    {Word::kRevoke},
    {Word::kShow, Word::kGrant},
    {Word::kShow, Word::kRole, Word::kGrant},
    {Word::kShow, Word::kRole},
    {Word::kShow, Word::kPrincipals},
    {Word::kShow, Word::kRoles},
    {Word::kShow, Word::kCurrent, Word::kRoles},
    {Word::kExport, Word::kTable},
    {Word::kImport, Word::kTable},
    {Word::kShow, Word::kCompactions},
    {Word::kShow, Word::kTransactions},
    {Word::kShow, Word::kIndexes},
    {Word::kShow, Word::kLocks},
    {Word::kAlter, Word::kIndex},
    {Word::kLock, Word::kTable},
    {Word::kLock, Word::kDatabase},
    {Word::kUnlock, Word::kTable},
    {Word::kUnlock, Word::kDatabase},
    {Word::kCreate, Word::kTemporary, Word::kMacro},
    {Word::kDrop, Word::kTemporary, Word::kMacro},
    {Word::kStart, Word::kTransaction},
    {Word::kCommit},
    {Word::kRollback},
    {Word::kDfs},
};

constexpr Word kUnsupported[][3] = {
    {Word::kBegin},
    {Word::kCreate, Word::kFunction},
    {Word::kCreate, Word::kTemporary, Word::kFunction},
    {Word::kCreate, Word::kIndex},
    {Word::kCreate, Word::kMaterialized, Word::kView},
    {Word::kCreate, Word::kStreaming, Word::kTable},
    {Word::kCreate, Word::kFlow},
    {Word::kCreate, Word::kTemporary, Word::kTable},
    {Word::kDrop, Word::kFunction},
    {Word::kDrop, Word::kTemporary, Word::kFunction},
    {Word::kDrop, Word::kIndex},
    {Word::kLoad, Word::kData},
    {Word::kMsck, Word::kRepair, Word::kTable},
    {Word::kRepair, Word::kTable},
    {Word::kAnalyze, Word::kTables},
    {Word::kRefresh, Word::kFunction},
    {Word::kAdd},
    {Word::kList},
};

std::string Spelled(const Word (&row)[3]) {
  std::string name;
  for (Word word : row) {
    if (word == Word::kNotAWord) break;
    name += (name.empty() ? "" : " ") + std::string(WordText(word));
  }
  return name;
}

}  // namespace

std::optional<Error> StatementParser::HiveNativeCommand() const {
  for (const auto& row : kHiveCommands) {
    if (!AtRow(row)) continue;
    Position position = Span(at_);
    position.stop = static_cast<int32_t>(text_.size());
    return CheckError("INVALID_STATEMENT_OR_CLAUSE", "42601",
                      "The statement or clause: " + Spelled(row) + " is not valid.", position)
        .value();
  }
  return std::nullopt;
}

std::optional<UnsupportedStatement> StatementParser::Unsupported() {
  const bool or_replace = AtWords({Word::kCreate, Word::kOr, Word::kReplace});
  for (const auto& row : kUnsupported) {
    const bool function = or_replace && (AtAny({Word::kFunction}, 3) || At(Word::kFunction, 4)) &&
                          row[1] == Word::kFunction;
    if (!AtRow(row) && !function) continue;
    at_ = tokens_.size() - 1;
    return UnsupportedStatement{Spelled(row)};
  }
  return std::nullopt;
}

bool StatementParser::AtRow(const Word (&row)[3]) const {
  for (size_t i = 0; i < 3 && row[i] != Word::kNotAWord; ++i) {
    if (!At(row[i], i)) return false;
  }
  return true;
}

}  // namespace iceblink::sql
