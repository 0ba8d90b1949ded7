// The functions of libcurl that we call, loaded at their first use. Lives until exit.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace iceblink::io {

struct CurlLibrary {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) easy_init;
  CURLcode (*set_option)(CURL*, CURLoption, ...);
  decltype(&::curl_easy_perform) perform;
  CURLcode (*get_info)(CURL*, CURLINFO, ...);
  decltype(&::curl_easy_reset) reset;
  decltype(&::curl_easy_cleanup) cleanup;
  decltype(&::curl_easy_strerror) error_text;
  decltype(&::curl_slist_append) list_append;
  decltype(&::curl_slist_free_all) list_free;

  // kUnsupported when the library is not installed. Safe from any thread.
  static Result<const CurlLibrary*> Get();
};

}  // namespace iceblink::io
