#include "io/curl_library.h"

#include <dlfcn.h>

namespace iceblink::io {
namespace {

template <typename Function>
bool Bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool BindAll(void* library, CurlLibrary& curl) {
  return Bind(library, "curl_global_init", curl.global_init) &&
         Bind(library, "curl_easy_init", curl.easy_init) &&
         Bind(library, "curl_easy_setopt", curl.set_option) &&
         Bind(library, "curl_easy_perform", curl.perform) &&
         Bind(library, "curl_easy_getinfo", curl.get_info) &&
         Bind(library, "curl_easy_reset", curl.reset) &&
         Bind(library, "curl_easy_cleanup", curl.cleanup) &&
         Bind(library, "curl_easy_strerror", curl.error_text) &&
         Bind(library, "curl_slist_append", curl.list_append) &&
         Bind(library, "curl_slist_free_all", curl.list_free);
}

Result<CurlLibrary> Load() {
  void* library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  CurlLibrary curl{};
  if (library == nullptr || !BindAll(library, curl)) {
    return Fail(ErrorCode::kUnsupported, "HTTP needs libcurl.so.4, which cannot be loaded",
                "UnsupportedOperationException");
  }
  curl.global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::Get() {
  static const Result<CurlLibrary> library = Load();
  if (!library) return Fail(library.error());
  return &*library;
}

}  // namespace iceblink::io
