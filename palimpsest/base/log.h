// Log messages for people. The library reports messages here and never prints. Until a program
// calls log_to_standard_error(), messages are discarded. palimpsest/cli sends them to standard
// error.
#pragma once

#include <string>
#include <vector>

namespace palimpsest {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kSilent };

// Sends messages of at least this level to standard error, coloured on a terminal. May be called
// while other threads log.
void log_to_standard_error(LogLevel level);

void log_message(LogLevel level, const std::string& text);

// Collects the warnings that its thread logs while the object exists, whether or not a logger is
// installed. It is used for results that carry their warnings. It belongs to the thread that
// created it. If a thread has several, only the one created last collects.
class WarningCapture {
 public:
  WarningCapture();
  ~WarningCapture();
  WarningCapture(const WarningCapture&) = delete;
  WarningCapture& operator=(const WarningCapture&) = delete;

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend void log_message(LogLevel level, const std::string& text);

  WarningCapture* outer_;
  std::vector<std::string> warnings_;
};

}  // namespace palimpsest
