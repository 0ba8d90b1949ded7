// Which route a request takes: patterns compiled to segments, searched in order of precedence.
// Immutable once built; safe from several threads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/http_server.h"

namespace iceblink::server {

class RouteTable {
 public:
  // Adds the routes of a service below `mount`. The service outlives the table.
  void Add(const std::string& mount, const HttpService& service);

  struct Match {
    const HttpRoute* route = nullptr;      // null: no route for this method and path
    const HttpService* service = nullptr;  // of the route, or the one whose mount fits best
    bool path_exists = false;              // there is a route of another method
    std::string mount;
    std::map<std::string, std::string> parameters;
  };
  Match Find(std::string_view method, std::string_view raw_path) const;

 private:
  struct Segment {
    std::string text;  // of a literal, or a parameter's name
    bool is_parameter = false;
  };
  struct Entry {
    std::vector<Segment> segments;
    const HttpRoute* route;
    const HttpService* service;
    std::string mount;
  };
  static bool Fits(const Entry& entry, const std::vector<std::string_view>& path);
  static bool GoesBefore(const Entry& a, const Entry& b);

  std::vector<Entry> entries_;
  std::map<std::string, const HttpService*> mounts_;
};

}  // namespace iceblink::server
