#include "io/module_path.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace iceblink::io {
namespace {

namespace fs = std::filesystem;

// Where this code was loaded from: the program, or a library that holds it.
std::vector<fs::path> OwnFolders() {
  std::error_code ignored;
  std::vector<fs::path> out;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&ModulePath), &info) != 0 && info.dli_fname != nullptr &&
      std::string_view(info.dli_fname).find('/') != std::string::npos)
    out.push_back(fs::canonical(info.dli_fname, ignored).parent_path());
  out.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path());
  return out;
}

}  // namespace

std::string ModulePath(const char* file_name, const char* variable) {
  if (const char* path = std::getenv(variable)) return path;
  for (const fs::path& folder : OwnFolders()) {
    for (const fs::path& candidate :
         {folder / file_name, folder / "../lib" / file_name, folder / ".." / file_name}) {
      std::error_code ignored;
      if (fs::exists(candidate, ignored)) return candidate.string();
    }
  }
  return file_name;
}

}  // namespace iceblink::io
