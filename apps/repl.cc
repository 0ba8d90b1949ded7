#include "repl.h"

#include <histedit.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "sql/parser.h"

namespace iceblink::cli {
namespace {

constexpr std::string_view kKeywords[] = {
    "ADD",        "ALTER",       "AND",        "AS",
    "BETWEEN",    "BRANCH",      "BY",         "CALL",
    "CASE",       "CAST",        "COLUMN",     "CREATE",
    "DELETE",     "DESCRIBE",    "DISTINCT",   "DROP",
    "EXISTS",     "EXPLAIN",     "EXTENDED",   "FIELD",
    "FROM",       "FULL",        "GROUP",      "HAVING",
    "IDENTIFIER", "IN",          "INNER",      "INSERT",
    "INTERVAL",   "INTO",        "IS",         "JOIN",
    "LEFT",       "LIKE",        "LIMIT",      "MATCHED",
    "MERGE",      "NAMESPACE",   "NAMESPACES", "NOT",
    "NULL",       "OF",          "ON",         "OR",
    "ORDER",      "ORDERED",     "OUTER",      "OVERWRITE",
    "PARTITION",  "PARTITIONED", "PROPERTIES", "RENAME",
    "REPLACE",    "RESET",       "RETAIN",     "RETENTION",
    "SELECT",     "SET",         "SHOW",       "SNAPSHOTS",
    "TABLE",      "TABLES",      "TAG",        "TBLPROPERTIES",
    "TEMPORARY",  "THEN",        "TIMESTAMP",  "TRUNCATE",
    "UNION",      "UNSET",       "UPDATE",     "USE",
    "USING",      "VALUES",      "VERSION",    "VIEW",
    "VIEWS",      "WHEN",        "WHERE",      "WINDOW",
    "WITH",       "WRITE"};

constexpr int kHistoryLines = 10000;

class Repl {
 public:
  explicit Repl(StatementRunner& runner)
      : runner_(runner),
        editor_(el_init("iceblink", stdin, stdout, stderr), el_end),
        history_(history_init(), history_end) {
    el_set(editor_.get(), EL_CLIENTDATA, this);
    el_set(editor_.get(), EL_PROMPT, &Repl::Prompt);
    el_set(editor_.get(), EL_EDITOR, "emacs");
    el_set(editor_.get(), EL_ADDFN, "complete", "complete a keyword or name", &Repl::Complete);
    el_set(editor_.get(), EL_BIND, "\t", "complete", nullptr);
    el_set(editor_.get(), EL_BIND, "^R", "em-inc-search-prev", nullptr);
    HistEvent event;
    history(history_.get(), &event, H_SETSIZE, kHistoryLines);
    history(history_.get(), &event, H_SETUNIQUE, 1);
    el_set(editor_.get(), EL_HIST, history, history_.get());
    if (const char* home = std::getenv("HOME"))
      history_file_ = std::string(home) + "/.iceblink_history";
    if (!history_file_.empty()) history(history_.get(), &event, H_LOAD, history_file_.c_str());
    el_source(editor_.get(), nullptr);
  }

  ~Repl() {
    HistEvent event;
    if (!history_file_.empty()) history(history_.get(), &event, H_SAVE, history_file_.c_str());
  }

  int Run() {
    std::puts(
        "iceblink - Spark SQL on Apache Iceberg. Statements end with ;   quit leaves, Tab "
        "completes.");
    while (true) {
      int count = 0;
      errno = 0;
      const char* line = el_gets(editor_.get(), &count);
      if (runner_.interrupts().TakeInterrupted()) {
        Clear();
        continue;
      }
      if (line == nullptr || count <= 0) break;
      if (!splitter_.pending() && IsQuit(line)) return kDone;
      Take(line);
    }
    std::putchar('\n');
    return kDone;
  }

 private:
  static constexpr int kDone = 0;

  static bool IsQuit(std::string_view line) {
    std::string word = AsciiLower(StripTrailing(Trim(line), ';'));
    return word == "quit" || word == "exit";
  }

  void Clear() {
    splitter_ = {};
    typed_.clear();
    std::putchar('\n');
    el_reset(editor_.get());
  }

  void Take(const char* line) {
    typed_ += line;
    std::vector<std::string> statements = splitter_.Feed(line);
    if (!splitter_.pending()) {
      Remember();
    }
    for (const std::string& statement : statements) {
      runner_.Run(statement);
    }
  }

  // A statement of several lines is one entry, on one line.
  void Remember() {
    std::string entry(Trim(ReplaceAll(typed_, "\n", " ")));
    typed_.clear();
    HistEvent event;
    if (!entry.empty()) history(history_.get(), &event, H_ENTER, (entry + "\n").c_str());
  }

  static Repl* Of(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return static_cast<Repl*>(self);
  }

  static char* Prompt(EditLine* editor) {
    static char kFirst[] = "iceblink> ";
    static char kMore[] = "       -> ";
    return Of(editor)->splitter_.pending() ? kMore : kFirst;
  }

  // Inserts what all candidates share; shows them when nothing is shared.
  static unsigned char Complete(EditLine* editor, int) {
    const LineInfo* info = el_line(editor);
    std::string_view before(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
    size_t start = before.find_last_of(" \t\n(),;=<>'`");
    std::string_view word = before.substr(start == std::string_view::npos ? 0 : start + 1);
    if (word.empty()) return CC_NORM;
    std::vector<std::string> found = Of(editor)->Candidates(word);
    if (found.empty()) return CC_REFRESH_BEEP;
    std::string shared = found.front();
    for (const std::string& candidate : found) {
      size_t same = 0;
      while (same < shared.size() && same < candidate.size() && shared[same] == candidate[same])
        same++;
      shared.resize(same);
    }
    if (found.size() == 1) shared += ' ';
    if (shared.size() > word.size()) {
      el_deletestr(editor, static_cast<int>(word.size()));
      el_insertstr(editor, shared.c_str());
      return CC_REFRESH;
    }
    std::printf("\n%s\n", Join(found, "  ").c_str());
    return CC_REDISPLAY;
  }

  std::vector<std::string> Candidates(std::string_view word) {
    std::vector<std::string> found;
    bool lower = std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    for (std::string_view keyword : kKeywords) {
      if (keyword.starts_with(AsciiUpper(word)))
        found.push_back(lower ? AsciiLower(keyword) : std::string(keyword));
    }
    for (std::string& name : runner_.session().CompletionNames()) {
      if (name.starts_with(word)) found.push_back(std::move(name));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  StatementRunner& runner_;
  std::unique_ptr<EditLine, decltype(&el_end)> editor_;
  std::unique_ptr<History, decltype(&history_end)> history_;
  std::string history_file_;
  sql::StatementSplitter splitter_;
  std::string typed_;
};

}  // namespace

int RunRepl(StatementRunner& runner) { return Repl(runner).Run(); }

}  // namespace iceblink::cli
