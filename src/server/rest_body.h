// Request bodies, and lists in pages: what handlers of several kinds share.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json.h"
#include "base/strings.h"
#include "server/rest_errors.h"
#include "server/rest_service.h"

namespace iceblink::server {

// Reads the body with one of rest_messages' parsers. What does not parse is the client's mistake:
// kInvalidArgument.
template <typename Parser>
auto ReadBody(const RestCall& call, Parser parse) -> decltype(parse(Json())) {
  auto json = ParseJson(call.request.body, "the request's body");
  if (!json) return BadRequest("Malformed request: " + json.error().message);
  if (!json->is_object())
    return BadRequest("Malformed request: Cannot parse the body from non-object");
  auto parsed = parse(*json);
  if (!parsed && parsed.error().code == ErrorCode::kCorrupt) {
    Error error = std::move(parsed.error());
    error.code = ErrorCode::kInvalidArgument;
    return Fail(std::move(error));
  }
  return parsed;
}

// Answers with a message of rest_messages.
template <typename Message>
HttpResponse Answer(const Message& message) {
  return HttpResponse::Json(DumpJson(ToJson(message)));
}

template <typename T>
struct Page {
  std::vector<T> elements;
  std::optional<std::string> next_token;
};

// The page that `pageToken` and `pageSize` ask for, of a list sorted by `key_of`. A token names the
// last element of the page before, so that elements that come and go do not shift the others.
// Without `pageToken` the list is not cut.
template <typename T, typename KeyOf>
Result<Page<T>> CutPage(const HttpRequest& request, std::vector<T> all, KeyOf key_of) {
  constexpr int64_t kDefaultSize = 1000;
  const std::string* token = request.Query("pageToken");
  const std::string* size_text = request.Query("pageSize");
  const auto size = size_text == nullptr ? std::optional(kDefaultSize) : ParseInt64(*size_text);
  if (!size || *size < 1) return BadRequest("Invalid pageSize: " + *size_text);
  if (token == nullptr) return Page<T>{std::move(all), std::nullopt};
  auto begin = all.begin();
  if (!token->empty()) {
    const auto last = Base64Decode(*token);
    if (!last) return BadRequest("Invalid pageToken: " + *token);
    begin = std::find_if(all.begin(), all.end(), [&](const T& e) { return key_of(e) > *last; });
  }
  const auto left = all.end() - begin;
  const auto end = begin + std::min<int64_t>(*size, left);
  Page<T> page;
  if (end != all.end()) page.next_token = Base64Encode(key_of(*(end - 1)));
  page.elements.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
  return page;
}

}  // namespace iceblink::server
