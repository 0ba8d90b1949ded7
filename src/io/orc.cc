#include "io/orc.h"

#include <dlfcn.h>

#include "io/loaded_library.h"
#include "io/module_path.h"

namespace iceblink::io {
namespace {

constexpr char kFileName[] = "iceblink_orc.so";

Result<OrcModule*> Load() {
  const std::string path = ModulePath(kFileName, "ICEBLINK_ORC_MODULE");
  const LoadedLibrary library(path);
  OrcModuleFunction function = nullptr;
  if (!library.Bind(kOrcModuleName, function)) {
    const char* why = dlerror();
    return Fail(ErrorCode::kUnsupported,
                std::string("ORC files need the module ") + kFileName +
                    ", which cannot be loaded: " + (why == nullptr ? path : std::string(why)),
                "UnsupportedOperationException");
  }
  return function();
}

}  // namespace

Result<OrcModule*> LoadOrc() {
  static const Result<OrcModule*> module = Load();
  return module;
}

}  // namespace iceblink::io
