// Log messages for people. The library says what it has to say here and never prints: until a
// program installs a logger the messages go nowhere. palimpsest/cli sends them to standard error.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace palimpsest {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kSilent };

// Sends messages of at least this level to standard error, coloured on a terminal. May be called
// while other threads log.
void log_to_standard_error(LogLevel level);

void log_message(LogLevel level, const std::string& text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace palimpsest
