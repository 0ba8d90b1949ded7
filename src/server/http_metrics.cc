#include "server/http_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace iceblink::server {
namespace {

enum class Kind : uint8_t { kCounter, kGauge, kHistogram };

struct Family {
  std::string_view name;
  Kind kind;
  std::string_view help;
};
constexpr Family kFamilies[] = {
    {"iceblink_http_requests_total", Kind::kCounter, "Requests by route, method and status."},
    {"iceblink_http_request_seconds", Kind::kHistogram, "Time to answer a request, by route."},
    {"iceblink_http_connections", Kind::kGauge, "Open connections."},
    {"iceblink_http_refused_total", Kind::kCounter,
     "Connections and messages refused before they became requests, by cause."},
    {"iceblink_commit_attempts_total", Kind::kCounter, "Table and view commits tried, by writer."},
    {"iceblink_commits_total", Kind::kCounter, "Commits that landed, by writer."},
    {"iceblink_commit_conflicts_total", Kind::kCounter,
     "Commits lost to another writer's, by writer."},
    {"iceblink_commit_retries_total", Kind::kCounter,
     "Commits that were applied again on newer metadata, by writer."},
    {"iceblink_commit_unknown_total", Kind::kCounter,
     "Commits whose outcome could not be learned, by writer."},
    {"iceblink_commit_validation_failures_total", Kind::kCounter,
     "Commits refused because a requirement or the metadata's rules failed, by writer."},
    {"iceblink_idempotent_replays_total", Kind::kCounter,
     "Requests answered with the answer of an earlier one."},
    {"iceblink_reports_total", Kind::kCounter, "Scan and commit reports of clients, by type."},
};

constexpr double kBounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30};

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kCounter:
      return "counter";
    case Kind::kGauge:
      return "gauge";
    case Kind::kHistogram:
      return "histogram";
  }
  return "";
}

// `a="x",b="y"`, escaped.
std::string LabelText(const HttpMetrics::Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out += fmt::format("{}=\"", name);
    for (const char c : value) {
      if (c == '\\' || c == '"') out += '\\';
      if (c == '\n')
        out += "\\n";
      else
        out += c;
    }
    out += '"';
  }
  return out;
}

std::string Braced(std::string_view labels) {
  return labels.empty() ? std::string() : fmt::format("{{{}}}", labels);
}

}  // namespace

void HttpMetrics::Count(std::string_view family, const Labels& labels, int64_t amount) {
  Move(family, labels, amount);
}

void HttpMetrics::Move(std::string_view family, const Labels& labels, int64_t by) {
  const std::string key = LabelText(labels);
  std::lock_guard lock(mutex_);
  families_[std::string(family)][key].value += by;
}

void HttpMetrics::Observe(std::string_view family, const Labels& labels, double seconds) {
  static_assert(std::size(kBounds) + 1 == kBuckets);
  const std::string key = LabelText(labels);
  const auto bucket = std::lower_bound(std::begin(kBounds), std::end(kBounds), seconds);
  std::lock_guard lock(mutex_);
  Series& series = families_[std::string(family)][key];
  ++series.value;
  ++series.buckets[static_cast<size_t>(bucket - std::begin(kBounds))];
  series.sum += seconds;
}

std::string HttpMetrics::Render() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const Family& family : kFamilies) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", family.name, family.help,
                       KindName(family.kind));
    const auto at = families_.find(family.name);
    if (at == families_.end()) continue;
    for (const auto& [labels, series] : at->second) {
      if (family.kind != Kind::kHistogram) {
        out += fmt::format("{}{} {}\n", family.name, Braced(labels), series.value);
        continue;
      }
      const std::string separator = labels.empty() ? "" : ",";
      int64_t total = 0;
      for (size_t i = 0; i < kBuckets; ++i) {
        total += series.buckets[i];
        const std::string bound = i < std::size(kBounds) ? fmt::format("{}", kBounds[i]) : "+Inf";
        out += fmt::format("{}_bucket{{{}{}le=\"{}\"}} {}\n", family.name, labels, separator, bound,
                           total);
      }
      out += fmt::format("{0}_sum{1} {2}\n{0}_count{1} {3}\n", family.name, Braced(labels),
                         series.sum, series.value);
    }
  }
  return out;
}

}  // namespace iceblink::server
