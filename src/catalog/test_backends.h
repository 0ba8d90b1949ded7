// What the tests of catalogs run against: a PostgreSQL server of their own and the REST server of
// the finished program. Each says why it is not there, so that a test can skip.
//
// PostgreSQL: one server per test program, on a socket in a temporary folder, run by an
// unprivileged user; each caller gets a schema of its own. REST: one process per caller, of the
// program that the environment variable ICEBLINK names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace iceblink::catalog {

// A process that says "ready" on its output. Killed with the object.
class TestProcess {
 public:
  static Result<std::unique_ptr<TestProcess>> Start(const std::vector<std::string>& command);
  ~TestProcess();
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;
  // Text of the output up to "ready".
  const std::string& greeting() const { return greeting_; }

 private:
  explicit TestProcess(int pid) : pid_(pid) {}
  const int pid_;
  int output_ = -1;
  std::string greeting_;
};

// jdbc: URI of a new, empty schema. The user is "iceblink", the password "sesame".
Result<std::string> NewPostgresSchema();

struct TestRestServer {
  std::unique_ptr<TestProcess> process;
  std::string uri;
};
// Over a SQLite catalog in `folder`; `more` are further settings, "key=value".
Result<TestRestServer> StartRestServer(const std::string& folder,
                                       const std::vector<std::string>& more = {});

}  // namespace iceblink::catalog
