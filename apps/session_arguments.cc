#include "session_arguments.h"

#include "engine/session.h"

namespace iceblink::cli {

void AddSessionFlags(CLI::App* command, SessionFlags& flags) {
  command->add_option("--conf", flags.confs, "Set a Spark or iceblink setting")->type_name("KEY=VALUE")->allow_extra_args(false);
  command->add_option("--properties-file", flags.properties_file, "Read settings from a spark-defaults.conf")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
}

std::string VersionText() {
  return std::string("iceblink ") + engine::kVersion + " (Spark " + engine::kSparkVersion + ", Iceberg " +
         engine::kIcebergVersion + ")";
}

}  // namespace iceblink::cli
