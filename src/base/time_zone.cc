#include "base/time_zone.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "base/datetime.h"
#include "base/strings.h"

namespace iceblink {

namespace {

// Big-endian fields of a TZif file (RFC 8536).
int64_t ReadBig(std::string_view bytes, size_t at, size_t width) {
  uint64_t value = (bytes[at] & 0x80) != 0 ? ~uint64_t{0} : 0;
  for (size_t i = 0; i < width; ++i)
    value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<int64_t>(value);
}

// "+01:00", "-7", "0530" to seconds.
std::optional<int32_t> ParseOffset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  int parts[3] = {0, 0, 0};
  std::vector<std::string> pieces = Split(text, ':');
  if (pieces.size() == 1 && text.size() == 4)
    pieces = {std::string(text.substr(0, 2)), std::string(text.substr(2))};
  if (pieces.size() > 3) return std::nullopt;
  for (size_t i = 0; i < pieces.size(); ++i) {
    auto number = ParseInt32(pieces[i]);
    if (!number || *number < 0 || pieces[i].size() > 2) return std::nullopt;
    parts[i] = *number;
  }
  if (parts[0] > 18 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  return sign * (parts[0] * 3600 + parts[1] * 60 + parts[2]);
}

// Reads "EST5", "<+03>-3", "CET-1CEST,M3.5.0,M10.5.0/3".
class PosixReader {
 public:
  explicit PosixReader(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }
  bool Take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void SkipName() {
    if (Take('<')) {
      while (!done() && !Take('>')) ++at_;
      return;
    }
    while (!done() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  int Number() {
    int value = 0;
    while (!done() && std::isdigit(static_cast<unsigned char>(text_[at_])))
      value = value * 10 + (text_[at_++] - '0');
    return value;
  }
  int32_t Seconds() {
    int sign = Take('-') ? -1 : (Take('+'), 1);
    int32_t out = Number() * 3600;
    if (Take(':')) out += Number() * 60;
    if (Take(':')) out += Number();
    return sign * out;
  }
  bool AtOffset() const { return !done() && text_[at_] != ','; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const TimeZone& TimeZone::Utc() {
  static const TimeZone* const kUtc = Find("UTC");
  return *kUtc;
}

const TimeZone* TimeZone::Find(std::string_view name) {
  static std::mutex mutex;
  static auto* const zones = new std::map<std::string, std::unique_ptr<TimeZone>, std::less<>>();
  std::lock_guard lock(mutex);
  auto it = zones->find(name);
  if (it == zones->end()) it = zones->emplace(std::string(name), Load(std::string(name))).first;
  return it->second.get();
}

std::unique_ptr<TimeZone> TimeZone::Load(const std::string& name) {
  std::unique_ptr<TimeZone> zone(new TimeZone());
  zone->name_ = name;
  std::string_view rest = name;
  for (std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      break;
    }
  }
  if (rest.empty() || name == "Z" || name == "Etc/UTC") return zone;
  if (auto offset = ParseOffset(rest)) {
    zone->fixed_offset_ = *offset;
    return zone;
  }
  if (name.find("..") != std::string::npos || name.starts_with('/')) return nullptr;
  const char* folder = std::getenv("TZDIR");
  std::ifstream file(std::string(folder != nullptr ? folder : "/usr/share/zoneinfo") + "/" + name,
                     std::ios::binary);
  if (!file) return nullptr;
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!zone->ParseFile(bytes.str())) return nullptr;
  return zone;
}

bool TimeZone::ParseFile(std::string_view bytes) {
  constexpr size_t kHeader = 44;
  if (bytes.size() < kHeader || bytes.substr(0, 4) != "TZif" || bytes[4] < '2') return false;
  // Counts at 20: isutc, isstd, leap, transitions, types, abbreviation bytes. The first block has
  // 4-byte times: skip it.
  auto count = [&](size_t base, size_t i) {
    return static_cast<size_t>(ReadBig(bytes, base + 20 + 4 * i, 4));
  };
  size_t second = kHeader + count(0, 3) * 5 + count(0, 4) * 6 + count(0, 5) + count(0, 2) * 8 +
                  count(0, 1) + count(0, 0);
  if (bytes.size() < second + kHeader) return false;
  size_t transitions = count(second, 3), types = count(second, 4);
  size_t times = second + kHeader, indexes = times + transitions * 8, infos = indexes + transitions;
  size_t footer = infos + types * 6 + count(second, 5) + count(second, 2) * 12 + count(second, 1) +
                  count(second, 0);
  if (types == 0 || footer > bytes.size()) return false;
  auto offset_of = [&](size_t type) {
    return static_cast<int32_t>(ReadBig(bytes, infos + type * 6, 4));
  };
  fixed_offset_ = offset_of(0);
  for (size_t i = 0; i < transitions; ++i) {
    transitions_.push_back(ReadBig(bytes, times + i * 8, 8));
    offsets_.push_back(offset_of(static_cast<unsigned char>(bytes[indexes + i])));
  }
  std::string_view posix = bytes.substr(footer);
  if (posix.size() > 2) return ParsePosix(posix.substr(1, posix.find('\n', 1) - 1));
  return true;
}

bool TimeZone::ParsePosix(std::string_view text) {
  PosixReader in(text);
  in.SkipName();
  standard_offset_ = -in.Seconds();
  if (transitions_.empty()) fixed_offset_ = standard_offset_;
  if (in.done()) return true;
  in.SkipName();
  summer_offset_ = standard_offset_ + 3600;
  if (in.AtOffset()) summer_offset_ = -in.Seconds();
  for (int i = 0; i < 2 && in.Take(','); ++i) {
    if (!in.Take('M')) return true;  // Julian day rules are not in use
    Rule rule;
    rule.month = in.Number();
    in.Take('.');
    rule.week = in.Number();
    in.Take('.');
    rule.day = in.Number();
    if (in.Take('/')) rule.seconds = in.Seconds();
    rule_.push_back(rule);
  }
  if (rule_.size() != 2) rule_.clear();
  return true;
}

int32_t TimeZone::RuleOffset(int64_t epoch_seconds) const {
  int64_t year = CivilFromDays(FloorDiv(epoch_seconds + standard_offset_, 86400)).year;
  auto instant = [&](const Rule& rule, int32_t offset_before) {
    int64_t first = DaysFromCivil({year, rule.month, 1});
    int64_t weekday = FloorMod(first + 4, 7);  // 1970-01-01 was a Thursday
    int64_t day = first + FloorMod(rule.day - weekday, 7) + 7 * (rule.week - 1);
    if (day >= first + DaysInMonth(year, rule.month)) day -= 7;
    return day * 86400 + rule.seconds - offset_before;
  };
  int64_t start = instant(rule_[0], standard_offset_), end = instant(rule_[1], summer_offset_);
  bool summer = start < end ? (epoch_seconds >= start && epoch_seconds < end)
                            : (epoch_seconds >= start || epoch_seconds < end);
  return summer ? summer_offset_ : standard_offset_;
}

int32_t TimeZone::OffsetAt(int64_t epoch_seconds) const {
  if (transitions_.empty() && rule_.empty()) return fixed_offset_;
  if (!rule_.empty() && (transitions_.empty() || epoch_seconds >= transitions_.back()))
    return RuleOffset(epoch_seconds);
  auto it = std::upper_bound(transitions_.begin(), transitions_.end(), epoch_seconds);
  return it == transitions_.begin() ? fixed_offset_ : offsets_[it - transitions_.begin() - 1];
}

int64_t TimeZone::ToLocal(int64_t instant_micros) const {
  if (is_utc()) return instant_micros;
  return instant_micros + OffsetAt(FloorDiv(instant_micros, kMicrosPerSecond)) * kMicrosPerSecond;
}

int64_t TimeZone::FromLocal(int64_t local_micros) const {
  if (is_utc()) return local_micros;
  int64_t local = FloorDiv(local_micros, kMicrosPerSecond);
  // The offsets a day before and after bracket any single transition.
  int32_t before = OffsetAt(local - 86400), after = OffsetAt(local + 86400);
  // The earlier offset is right where it holds at the instant it gives (also in an overlap) and in
  // a gap, where it moves the clock forward by the gap.
  bool earlier =
      before == after || OffsetAt(local - before) == before || OffsetAt(local - after) != after;
  return local_micros - int64_t{earlier ? before : after} * kMicrosPerSecond;
}

}  // namespace iceblink
