// Time zones from the system's database (/usr/share/zoneinfo, or $TZDIR): offsets of instants, and
// of wall clocks with Java's rules for gaps and overlaps. Zones are loaded once and live until
// exit; every function is safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace iceblink {

class TimeZone {
 public:
  // Returns the zone of "UTC", "Europe/Berlin", "+01:00", "GMT+1", "Z", ... or null when there is
  // none.
  static const TimeZone* Find(std::string_view name);
  static const TimeZone& Utc();

  const std::string& name() const { return name_; }
  bool is_utc() const { return transitions_.empty() && rule_.empty() && fixed_offset_ == 0; }
  // Seconds east of UTC at an instant (seconds since the epoch).
  int32_t OffsetAt(int64_t epoch_seconds) const;

  // Wall clock of an instant, both in micros.
  int64_t ToLocal(int64_t instant_micros) const;
  // Instant of a wall clock: within a gap it moves forward by the gap, within an overlap the
  // earlier offset counts.
  int64_t FromLocal(int64_t local_micros) const;

 private:
  struct Rule {  // one switch of a POSIX TZ string, "M3.5.0/2"
    int month = 0, week = 0, day = 0;
    int32_t seconds = 7200;
  };
  TimeZone() = default;
  static std::unique_ptr<TimeZone> Load(const std::string& name);
  bool ParseFile(std::string_view bytes);
  bool ParsePosix(std::string_view text);
  int32_t RuleOffset(int64_t epoch_seconds) const;

  std::string name_;
  int32_t fixed_offset_ = 0;          // before the first transition
  std::vector<int64_t> transitions_;  // ascending epoch seconds
  std::vector<int32_t> offsets_;      // from each transition on
  std::vector<Rule> rule_;  // start and end of summer time after the last transition; empty: none
  int32_t standard_offset_ = 0;
  int32_t summer_offset_ = 0;
};

}  // namespace iceblink
