// A shared library that is loaded when it is first needed, and stays until exit.
#pragma once

#include <dlfcn.h>

#include <string>

namespace iceblink::io {

class LoadedLibrary {
 public:
  // Where the library cannot be loaded, no name binds and dlerror() says why.
  explicit LoadedLibrary(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

  // Points `function` at the library's function of this name; false, and null, when it has none.
  template <typename Function>
  bool Bind(const char* name, Function& function) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_;
};

}  // namespace iceblink::io
