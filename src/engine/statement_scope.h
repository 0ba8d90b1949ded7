// One running statement: the session it runs in, its clock, its names and its analyzer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/name_resolver.h"
#include "engine/session_state.h"
#include "plan/analyzer.h"
#include "sql/ast.h"

namespace iceblink::engine {

class StatementScope {
 public:
  StatementScope(SessionState& session, const sql::Statement& statement)
      : session(session),
        statement(statement),
        now_micros(session.clock().NowMicros()),
        names(session, now_micros),
        analyzer(names) {}

  SessionState& session;
  const sql::Statement& statement;
  const int64_t now_micros;
  NameResolver names;
  plan::Analyzer analyzer;
  std::vector<std::string> warnings;

  exec::Executor& executor() { return session.executor(); }
  exec::StatementContext context() const { return names.statement_context(); }
  const Configuration& configuration() const { return session.configuration; }
  int64_t now_ms() const { return now_micros / 1000; }
};

}  // namespace iceblink::engine
