#include "io/object_store_module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "io/loaded_library.h"

namespace iceblink::io {
namespace {

namespace fs = std::filesystem;

constexpr char kFileName[] = "iceblink_object_store.so";

// Where this code was loaded from: the program, or a library that holds it.
std::vector<fs::path> OwnFolders() {
  std::error_code ignored;
  std::vector<fs::path> out;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OpenObjectStore), &info) != 0 &&
      info.dli_fname != nullptr && std::string_view(info.dli_fname).find('/') != std::string::npos)
    out.push_back(fs::canonical(info.dli_fname, ignored).parent_path());
  out.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path());
  return out;
}

std::string FindModule() {
  if (const char* path = std::getenv("ICEBLINK_OBJECT_STORE_MODULE")) return path;
  for (const fs::path& folder : OwnFolders()) {
    for (const fs::path& candidate :
         {folder / kFileName, folder / "../lib" / kFileName, folder / ".." / kFileName}) {
      std::error_code ignored;
      if (fs::exists(candidate, ignored)) return candidate.string();
    }
  }
  return kFileName;
}

Result<OpenObjectStoreFunction> Load() {
  const std::string path = FindModule();
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
