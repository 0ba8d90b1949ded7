// The iceblink command line: reads the arguments and hands over to the command.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "session_arguments.h"
#include "sql_command.h"
#include "tree_command.h"

namespace {

constexpr char kDescription[] =
    "Spark SQL on Apache Iceberg tables, in one process and without a JVM.\n\n"
    "  iceblink sql                                    an interactive shell\n"
    "  iceblink sql -e \"SELECT 1\"                      one statement\n"
    "  iceblink sql -f nightly.sql --format csv        a file of statements\n"
    "  echo 'SHOW TABLES;' | iceblink sql              statements from a pipe\n"
    "  iceblink tree db.t                              the files of a table\n\n"
    "Without any configuration there is one catalog, `local`, kept in ./warehouse. Catalogs are configured as in Spark:\n\n"
    "  iceblink sql --conf spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog \\\n"
    "               --conf spark.sql.catalog.lake.type=jdbc \\\n"
    "               --conf spark.sql.catalog.lake.uri=jdbc:sqlite:/data/lake.db \\\n"
    "               --conf spark.sql.catalog.lake.warehouse=/data/lake";

constexpr char kSqlFooter[] =
    "Statements end with a semicolon. Exit code 0: all succeeded, 1: a statement failed, 2: wrong usage, 130: Ctrl-C.\n"
    "jsonl prints one line a statement: {\"columns\":[[name,type],...],\"rows\":[[...],...]} or {\"error\":{...}}.";

CLI::App* AddSql(CLI::App& app, iceblink::cli::SqlFlags& flags) {
  CLI::App* sql = app.add_subcommand("sql", "Run statements: from -e, -f, a pipe, or a person");
  sql->add_option("-e", flags.statements, "Run statements given as text")->type_name("SQL")->allow_extra_args(false);
  sql->add_option("-f", flags.files, "Run a file of statements; - is the standard input")
      ->type_name("FILE")
      ->allow_extra_args(false);
  sql->add_option("--format", flags.format, "How results are printed (default: table)")
      ->check(CLI::IsMember({"table", "csv", "tsv", "json", "jsonl", "markdown"}));
  sql->add_flag("--keep-going", flags.keep_going, "Go on after a failed statement");
  sql->add_flag("--timing", flags.timing, "Print the time each statement took");
  AddSessionFlags(sql, flags.session);
  sql->footer(kSqlFooter);
  return sql;
}

CLI::App* AddTree(CLI::App& app, iceblink::cli::TreeFlags& flags) {
  CLI::App* tree = app.add_subcommand("tree", "Show a table from its metadata file down to its data files");
  tree->add_option("table", flags.table, "Name of the table: [catalog.]namespace.table")->required();
  tree->add_option("--version-of", flags.version, "Snapshot id, branch or tag (default: main)")->type_name("VERSION");
  tree->add_option("--files", flags.files_per_manifest, "Data files to show of each manifest (default: 20)");
  AddSessionFlags(tree, flags.session);
  return tree;
}

#ifdef ICEBLINK_SERVER
// Becomes the program beside this one; returns only when there is none.
int BecomeServer(char** argv) {
  std::error_code ignored;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string server = std::filesystem::path(self).parent_path() / "iceblink-serve";
  execv(server.c_str(), argv);
  std::fprintf(stderr, "iceblink serve: cannot run %s: %s\n", server.c_str(), std::strerror(errno));
  return iceblink::cli::kExitFailed;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  using namespace iceblink::cli;
#ifdef ICEBLINK_SERVER
  if (argc > 1 && std::string_view(argv[1]) == "serve") return BecomeServer(argv);
#endif
  CLI::App app(kDescription, "iceblink");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  SqlFlags sql_flags;
  TreeFlags tree_flags;
  CLI::App* sql = AddSql(app, sql_flags);
  AddTree(app, tree_flags);
#ifdef ICEBLINK_SERVER
  app.add_subcommand("serve", "Serve Spark Connect and the Iceberg REST catalog: iceblink serve --help");
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return sql->parsed() ? RunSqlCommand(sql_flags) : RunTreeCommand(tree_flags);
}
