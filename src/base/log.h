// Diagnostics on stderr, one line each. Results never go this way.
#pragma once

#include <cstdint>
#include <string_view>

namespace iceblink {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError, kOff };

// The default is kWarn. Safe from any thread.
void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);
void Log(LogLevel level, std::string_view text);

inline void LogDebug(std::string_view text) { Log(LogLevel::kDebug, text); }
inline void LogInfo(std::string_view text) { Log(LogLevel::kInfo, text); }
inline void LogWarn(std::string_view text) { Log(LogLevel::kWarn, text); }
inline void LogError(std::string_view text) { Log(LogLevel::kError, text); }

}  // namespace iceblink
