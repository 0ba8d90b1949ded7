#include "io/curl_library.h"

#include "io/loaded_library.h"

namespace iceblink::io {
namespace {

bool BindAll(const LoadedLibrary& library, CurlLibrary& curl) {
  return library.Bind("curl_global_init", curl.global_init) &&
         library.Bind("curl_easy_init", curl.easy_init) &&
         library.Bind("curl_easy_setopt", curl.set_option) &&
         library.Bind("curl_easy_perform", curl.perform) &&
         library.Bind("curl_easy_getinfo", curl.get_info) &&
         library.Bind("curl_easy_reset", curl.reset) &&
         library.Bind("curl_easy_cleanup", curl.cleanup) &&
         library.Bind("curl_easy_strerror", curl.error_text) &&
         library.Bind("curl_slist_append", curl.list_append) &&
         library.Bind("curl_slist_free_all", curl.list_free);
}

Result<CurlLibrary> Load() {
  const LoadedLibrary library("libcurl.so.4");
  CurlLibrary curl{};
  if (!BindAll(library, curl)) {
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
