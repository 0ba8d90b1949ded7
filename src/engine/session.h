// Session: what one user of Iceblink talks to. It holds settings, catalogs, the current namespace
// and temporary views, and runs statements one after the other.
//
//   Session session({.settings = {{"spark.sql.session.timeZone", "UTC"}}});
//   auto result = session.Execute("SELECT 1");
//
// A statement either happens or does not: data files of a failed or cancelled one are deleted, a
// table changes by one commit. Errors carry Spark's class, condition and SQLSTATE.
//
// Threads: one statement at a time; Interrupt may be called from any thread. Ownership: results
// must be dropped before the session.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/time_zone.h"
#include "engine/configuration.h"
#include "engine/statement_result.h"
#include "plan/logical_plan.h"
#include "sql/ast.h"

namespace iceblink::engine {

// What snapshots' summaries and CURRENT_USER say of this build.
inline constexpr const char* kVersion = "0.1.0";
inline constexpr const char* kSparkVersion = "4.1.3";
inline constexpr const char* kIcebergVersion = "1.11.0";

struct SessionOptions {
  Settings settings;  // spark-defaults and --conf
  const Clock* clock = &SystemClock();
  std::string app_name = "iceblink";
  int threads = 0;           // 0: one per processor
  int64_t memory_limit = 0;  // bytes; 0: four fifths of the machine's
};

class SessionState;

class Session {
 public:
  explicit Session(SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Parses and runs one statement. A query's rows are streamed by the result.
  Result<StatementResult> Execute(std::string_view text);
  // Runs a statement that is parsed already; `statement.text` is what views and messages show.
  Result<StatementResult> Execute(const sql::Statement& statement);
  // Runs a plan that another front door made.
  Result<StatementResult> Execute(const plan::PlanPtr& plan);

  // Cancels the running statement, if any.
  void Interrupt();

  // Called now and then during long statements with the fraction done.
  void OnProgress(std::function<void(double)> callback);

  const Configuration& configuration() const;
  const TimeZone& time_zone() const;
  // Names that could complete a word: catalogs, namespaces and tables of the current namespace,
  // temporary views.
  std::vector<std::string> CompletionNames();
  // Resolves a table name to its metadata, without branches or time travel.
  Result<plan::TableRef> FindTable(std::string_view name);

  // For the rooms above that plan and commit themselves.
  SessionState& state() { return *state_; }

 private:
  std::unique_ptr<SessionState> state_;
};

}  // namespace iceblink::engine
