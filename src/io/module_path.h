// Where the modules of this build are: beside the program (a build tree) or in lib/ beside its
// folder (an installation). Their names say that they are loaded when first needed.
#pragma once

#include <dlfcn.h>

#include <string>

#include "base/result.h"
#include "io/loaded_library.h"

namespace iceblink::io {

// Returns the path of a module. The environment variable, where it is set, comes before; a module
// that is nowhere is left to the dynamic linker by its bare name.
std::string ModulePath(const char* file_name, const char* variable);

// Loads a module and returns its function of this name. kUnsupported,
// UnsupportedOperationException, when that cannot be: "`users` need the module ...".
template <typename Function>
Result<Function> ModuleFunction(const char* users, const char* file_name, const char* variable,
                                const char* name) {
  const std::string path = ModulePath(file_name, variable);
  const LoadedLibrary library(path);
  Function function = nullptr;
  if (library.Bind(name, function)) return function;
  const char* why = dlerror();
  return Fail(ErrorCode::kUnsupported,
              std::string(users) + " need the module " + file_name +
                  ", which cannot be loaded: " + (why == nullptr ? path : std::string(why)),
              "UnsupportedOperationException");
}

}  // namespace iceblink::io
