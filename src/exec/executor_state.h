// What an Executor keeps between statements. Exec-internal: includes DuckDB.
#pragma once

#include "exec/duckdb_session.h"
#include "exec/executor.h"

namespace iceblink::exec {

struct Executor::State {
  explicit State(ExecutorOptions options) : session(std::move(options)) {}
  DuckDbSession session;
};

}  // namespace iceblink::exec
