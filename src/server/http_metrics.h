// Counters and latencies in Prometheus' text format.
//
// A family is declared once, with its help text; its series come into being when first counted.
// Safe from several threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iceblink::server {

class HttpMetrics {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;  // name, value

  // Adds to a counter. `family` is one of the names in http_metrics.cc's table.
  void Count(std::string_view family, const Labels& labels, int64_t amount = 1);
  // Records a duration in a histogram family.
  void Observe(std::string_view family, const Labels& labels, double seconds);
  // Moves a gauge up or down.
  void Move(std::string_view family, const Labels& labels, int64_t by);

  // The page of /metrics.
  std::string Render() const;

 private:
  static constexpr size_t kBuckets = 12;
  struct Series {
    int64_t value = 0;
    std::array<int64_t, kBuckets> buckets{};  // histograms; the last is +Inf
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, Series>, std::less<>> families_;  // by label text
};

}  // namespace iceblink::server
