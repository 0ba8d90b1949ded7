#include "plan/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "plan/analyzer.h"

namespace iceblink::plan {

bool NameRules::Same(std::string_view a, std::string_view b) const {
  return case_sensitive_ ? a == b : EqualsIgnoreCase(a, b);
}

bool NameRules::QualifierMatches(const sql::Name& column_qualifier,
                                 const sql::Name& qualifier) const {
  if (qualifier.size() > column_qualifier.size()) return false;
  return std::equal(qualifier.rbegin(), qualifier.rend(), column_qualifier.rbegin(),
                    [this](const std::string& a, const std::string& b) { return Same(a, b); });
}

namespace {

std::string FullName(const ScopeColumn& column) {
  sql::Name name = column.qualifier;
  name.push_back(column.column.name);
  return sql::QuoteName(name);
}

}  // namespace

Result<std::optional<NameMatch>> NameRules::Find(const Scope& scope, const sql::Name& name,
                                                 ErrorPosition at) const {
  for (bool metadata : {false, true}) {
    for (size_t qualifiers = name.size(); qualifiers-- > 0;) {
      sql::Name qualifier(name.begin(), name.begin() + static_cast<ptrdiff_t>(qualifiers));
      std::vector<const ScopeColumn*> matches;
      for (const ScopeColumn& column : scope.columns) {
        if (column.metadata != metadata || (column.qualified_only && qualifiers == 0)) continue;
        if (!Same(column.column.name, name[qualifiers]) ||
            !QualifierMatches(column.qualifier, qualifier))
          continue;
        bool known = std::any_of(matches.begin(), matches.end(), [&](const ScopeColumn* m) {
          return m->column.id == column.column.id;
        });
        if (!known) matches.push_back(&column);
      }
      if (matches.size() == 1) return NameMatch{matches[0], qualifiers + 1};
      if (matches.size() > 1) {
        std::vector<std::string> names;
        for (const ScopeColumn* match : matches) names.push_back(FullName(*match));
        return Raise("AMBIGUOUS_REFERENCE",
                     {{"name", sql::QuoteName(name)},
                      {"referenceNames", fmt::format("[{}]", iceblink::Join(names, ", "))}},
                     at);
      }
    }
  }
  return std::nullopt;
}

ErrorPosition ToErrorPosition(const sql::Position& position) {
  return {position.line, position.column};
}

std::vector<const ScopeColumn*> VisibleColumns(const Scope& scope) {
  std::vector<const ScopeColumn*> columns;
  for (const ScopeColumn& column : scope.columns)
    if (!column.metadata && !column.qualified_only) columns.push_back(&column);
  return columns;
}

Scope ScopeOf(const std::vector<Column>& columns, const sql::Name& qualifier) {
  Scope scope;
  for (const Column& column : columns) scope.columns.push_back({column, qualifier, false, false});
  return scope;
}

Error UnresolvedColumn(const sql::Name& name, const Scope& scope, ErrorPosition at) {
  std::vector<const ScopeColumn*> columns = VisibleColumns(scope);
  // Spark lists its input as a set ordered by name before it ranks by similarity.
  std::stable_sort(columns.begin(), columns.end(), [](const ScopeColumn* a, const ScopeColumn* b) {
    return a->column.name < b->column.name;
  });
  std::vector<sql::Name> candidates;
  for (const ScopeColumn* column : columns) {
    candidates.push_back(column->qualifier);
    candidates.back().push_back(column->column.name);
  }
  return UnresolvedColumnError(name, candidates, true, sql::Position{at.line, at.column, 0, 0});
}

namespace {

// Drops what all candidates share in front: the whole qualifier for a plain name, all but the table
// for t.c.
std::vector<std::string> StrippedNames(const sql::Name& name,
                                       const std::vector<sql::Name>& candidates) {
  auto same_prefix = [&](size_t kept) {
    std::set<sql::Name> prefixes;
    for (const sql::Name& candidate : candidates) {
      size_t size = candidate.size() > kept ? candidate.size() - kept : 0;
      prefixes.insert(
          sql::Name(candidate.begin(), candidate.begin() + static_cast<ptrdiff_t>(size)));
    }
    return prefixes.size() <= 1;
  };
  size_t kept = SIZE_MAX;
  if (name.size() == 1 && same_prefix(1)) {
    kept = 1;
  } else if (name.size() <= 2 && same_prefix(2)) {
    kept = 2;
  }
  std::vector<std::string> names;
  for (const sql::Name& candidate : candidates) {
    size_t from = candidate.size() > kept ? candidate.size() - kept : 0;
    names.push_back(sql::QuoteName(
        sql::Name(candidate.begin() + static_cast<ptrdiff_t>(from), candidate.end())));
  }
  return names;
}

}  // namespace

Error UnresolvedColumnError(const sql::Name& name, const std::vector<sql::Name>& candidates,
                            bool by_similarity, std::optional<sql::Position> at) {
  std::optional<ErrorPosition> position;
  if (at) position = ToErrorPosition(*at);
  if (candidates.empty())
    return MakeError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", {{"objectName", sql::QuoteName(name)}},
                     position);
  std::vector<std::string> names = StrippedNames(name, candidates);
  if (by_similarity) {
    names = OrderBySimilarity(iceblink::Join(name, "."), std::move(names));
    if (names.size() > 5) names.resize(5);
  }
  return MakeError(
      "UNRESOLVED_COLUMN.WITH_SUGGESTION",
      {{"objectName", sql::QuoteName(name)}, {"proposal", iceblink::Join(names, ", ")}}, position);
}

Error WithoutPlan(Error error) {
  if (error.message.ends_with(';')) error.message.pop_back();
  return error;
}

}  // namespace iceblink::plan
