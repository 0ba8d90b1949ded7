#include "io/orc.h"

#include "io/module_path.h"

namespace iceblink::io {

Result<OrcModule*> LoadOrc() {
  static const auto module = ModuleFunction<OrcModuleFunction>(
      "ORC files", "iceblink_orc.so", "ICEBLINK_ORC_MODULE", kOrcModuleName);
  if (!module) return Fail(module.error());
  return (*module)();
}

}  // namespace iceblink::io
