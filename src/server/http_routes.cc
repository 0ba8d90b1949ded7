#include "server/http_routes.h"

#include <algorithm>

#include "base/strings.h"

namespace iceblink::server {
namespace {

// Segments of "/a/b": "a", "b". A trailing slash gives no segment of its own.
std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0 || end < path.size()) segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

}  // namespace

void RouteTable::Add(const std::string& mount, const HttpService& service) {
  if (service.error_response) mounts_.try_emplace(mount, &service);  // the first one speaks
  for (const HttpRoute& route : service.routes) {
    Entry entry{{}, &route, &service, mount};
    const std::string pattern = mount + route.pattern;
    for (const std::string_view part : SplitPath(pattern)) {
      const bool is_parameter = part.starts_with('{');
      entry.segments.push_back(
          {std::string(is_parameter ? part.substr(1, part.size() - 2) : part), is_parameter});
    }
    entries_.push_back(std::move(entry));
  }
  std::stable_sort(entries_.begin(), entries_.end(), GoesBefore);
}

bool RouteTable::GoesBefore(const Entry& a, const Entry& b) {
  return std::lexicographical_compare(
      a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
      [](const Segment& x, const Segment& y) { return x.is_parameter < y.is_parameter; });
}

bool RouteTable::Fits(const Entry& entry, const std::vector<std::string_view>& path) {
  if (entry.segments.size() != path.size()) return false;
  for (size_t i = 0; i < path.size(); ++i) {
    const Segment& segment = entry.segments[i];
    if (segment.is_parameter ? path[i].empty() : segment.text != path[i]) return false;
  }
  return true;
}

RouteTable::Match RouteTable::Find(std::string_view method, std::string_view raw_path) const {
  Match match;
  const auto path = SplitPath(raw_path);
  for (const Entry& entry : entries_) {
    if (!Fits(entry, path)) continue;
    match.path_exists = true;
    if (entry.route->method != method) continue;
    match.route = entry.route;
    match.service = entry.service;
    match.mount = entry.mount;
    for (size_t i = 0; i < path.size(); ++i) {
      if (entry.segments[i].is_parameter)
        match.parameters[entry.segments[i].text] = FormUrlDecode(path[i]);
    }
    return match;
  }
  for (const auto& [mount, service] : mounts_) {  // the longest comes last
    const bool below = raw_path.starts_with(mount) &&
                       (raw_path.size() == mount.size() || raw_path[mount.size()] == '/');
    if (!below) continue;
    match.service = service;
    match.mount = mount;
  }
  return match;
}

}  // namespace iceblink::server
