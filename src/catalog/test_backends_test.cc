// Starts and stops what test_backends.h promises.
#include "catalog/test_backends.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/uuid.h"
#include "catalog/postgres.h"

namespace iceblink::catalog {
namespace {

namespace fs = std::filesystem;

constexpr int kReadyMs = 30'000;

tl::unexpected<Error> NotThere(std::string why) {
  return Fail(ErrorCode::kUnsupported, std::move(why));
}

// The newest folder with initdb and postgres; empty when there is none.
std::string PostgresBinaries() {
  std::string newest;
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::string bin = version.path() / "bin";
    if (fs::exists(bin + "/initdb") && bin > newest) newest = bin;
  }
  return newest;
}

// A server for the life of the test program.
class PostgresServer {
 public:
  static Result<PostgresServer*> Get() {
    static Result<std::unique_ptr<PostgresServer>> server = Start();
    if (!server) return Fail(server.error());
    return server->get();
  }
  ~PostgresServer() {
    (void)std::system(Shell("pg_ctl -D " + folder_ + "/data -m immediate -w stop").c_str());
    fs::remove_all(folder_);
  }

  std::string Uri(const std::string& schema) const {
    std::string uri = "jdbc:postgresql:///postgres?host=" + folder_;
    return schema.empty() ? uri : uri + "&currentSchema=" + schema;
  }

 private:
  static Result<std::unique_ptr<PostgresServer>> Start() {
    const std::string bin = PostgresBinaries();
    if (bin.empty()) return NotThere("PostgreSQL is not installed");
    std::unique_ptr<PostgresServer> server(new PostgresServer());
    server->bin_ = bin;
    server->folder_ = (fs::temp_directory_path() / ("iceblink-pg-" + NewUuid())).string();
    fs::create_directories(server->folder_);
    std::ofstream(server->folder_ + "/password") << "sesame\n";
    if (geteuid() == 0 && std::system(("chown -R postgres " + server->folder_).c_str()) != 0)
      return NotThere("there is no user postgres, and PostgreSQL does not run as root");
    const std::string& folder = server->folder_;
    const bool made =
        std::system(server
                        ->Shell("initdb -D " + folder +
                                "/data -U iceblink --auth=scram-sha-256 --pwfile=" + folder +
                                "/password --no-sync -E UTF8 --locale=C")
                        .c_str()) == 0;
    const bool started =
        made && std::system(server
                                ->Shell("pg_ctl -D " + folder + "/data -w -l " + folder +
                                        "/log -o \"-c listen_addresses= -c fsync=off -k " + folder +
                                        "\" start")
                                .c_str()) == 0;
    if (!started) return NotThere("PostgreSQL does not start");
    return server;
  }

  // The command, silent, as the unprivileged user.
  std::string Shell(const std::string& command) const {
    const std::string path = bin_ + "/" + command + " >/dev/null 2>&1";
    if (geteuid() != 0) return path;
    return "cd / && su postgres -s /bin/sh -c '" + path + "'";
  }

  std::string bin_;
  std::string folder_;
};

}  // namespace

Result<std::unique_ptr<TestProcess>> TestProcess::Start(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return NotThere("no pipe");
  const int pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const std::string& argument : command)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::unique_ptr<TestProcess> process(new TestProcess(pid));
  process->output_ = ends[0];
  pollfd waiting{ends[0], POLLIN, 0};
  char buffer[512];
  while (process->greeting_.find("ready") == std::string::npos) {
    const ssize_t count =
        poll(&waiting, 1, kReadyMs) == 1 ? read(ends[0], buffer, sizeof(buffer)) : 0;
    if (count <= 0) return NotThere(command[0] + " does not get ready");
    process->greeting_.append(buffer, static_cast<size_t>(count));
  }
  return process;
}

TestProcess::~TestProcess() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  if (output_ >= 0) close(output_);
}

Result<std::string> NewPostgresSchema() {
  static std::atomic<int> count = 0;
  ASSIGN_OR_RETURN(const PostgresServer* server, PostgresServer::Get());
  const std::string schema = "s" + std::to_string(count++);
  auto settings = *ParsePostgresUri(server->Uri({}));
  settings.emplace_back("user", "iceblink");
  settings.emplace_back("password", "sesame");
  ASSIGN_OR_RETURN(auto database, PostgresConnection::Open(settings));
  RETURN_IF_ERROR(database->Execute("CREATE SCHEMA " + schema));
  return server->Uri(schema);
}

Result<TestRestServer> StartRestServer(const std::string& folder,
                                       const std::vector<std::string>& more) {
  const char* program = std::getenv("ICEBLINK");
  if (program == nullptr) return NotThere("$ICEBLINK names no program");
  const std::string catalog = "spark.sql.catalog.demo";
  std::vector<std::string> command = {program, "serve", "--no-connect", "--http", "127.0.0.1:0"};
  std::vector<std::string> settings = {catalog + "=org.apache.iceberg.spark.SparkCatalog",
                                       catalog + ".type=jdbc",
                                       catalog + ".uri=jdbc:sqlite:" + folder + "/c.db",
                                       catalog + ".warehouse=file:" + folder + "/w",
                                       catalog + ".jdbc.schema-version=V1",
                                       "spark.sql.defaultCatalog=demo",
                                       "iceblink.http.access-log=off"};
  settings.insert(settings.end(), more.begin(), more.end());
  for (const std::string& setting : settings) {
    command.emplace_back("--conf");
    command.push_back(setting);
  }
  TestRestServer server;
  ASSIGN_OR_RETURN(server.process, TestProcess::Start(command));
  const std::string& text = server.process->greeting();
  const size_t at = text.find("http://");
  if (at == std::string::npos) return NotThere("the program has no REST server");
  server.uri = text.substr(at, text.find('\n', at) - at);
  return server;
}

}  // namespace iceblink::catalog
