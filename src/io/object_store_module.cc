#include "io/object_store_module.h"

#include <dlfcn.h>

#include <string>

#include "io/loaded_library.h"
#include "io/module_path.h"

namespace iceblink::io {
namespace {

constexpr char kFileName[] = "iceblink_object_store.so";

Result<OpenObjectStoreFunction> Load() {
  const std::string path = ModulePath(kFileName, "ICEBLINK_OBJECT_STORE_MODULE");
  const LoadedLibrary library(path);
  OpenObjectStoreFunction function = nullptr;
  if (!library.Bind(kOpenObjectStoreName, function)) {
    const char* why = dlerror();
    return Fail(ErrorCode::kUnsupported,
                std::string("Object stores need the module ") + kFileName +
                    ", which cannot be loaded: " + (why == nullptr ? path : std::string(why)),
                "UnsupportedOperationException");
  }
  return function;
}

}  // namespace

Result<std::shared_ptr<ObjectStore>> OpenObjectStore(const StoreOptions& options) {
  static const Result<OpenObjectStoreFunction> open = Load();
  if (!open) return Fail(open.error());
  Result<std::shared_ptr<ObjectStore>> out;
  (*open)(options, out);
  return out;
}

}  // namespace iceblink::io
