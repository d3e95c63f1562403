// Log messages for people. The library itself never prints: it passes its messages to
// log_message(), which discards them until a program calls log_to_standard_error(). The programs in
// palimpsest/cli do so.
#pragma once

#include <string>
#include <vector>

namespace palimpsest {

// kSilent serves only as a threshold, with which nothing is printed.
enum class LogLevel { kDebug, kInfo, kWarning, kError, kSilent };

// Whether the level in front of a message is coloured. kAuto: if standard error is a terminal.
enum class LogColor { kAuto, kAlways, kNever };

// Sends messages of at least this level to standard error. May be called while other threads log.
void log_to_standard_error(LogLevel level, LogColor color = LogColor::kAuto);

// Logs one message. Any thread may call it.
void log_message(LogLevel level, const std::string& text);

// Collects the warnings that one thread logs while the object exists, whether or not messages are
// printed. Functions use it to return their warnings together with their result. It collects for
// the thread that created it, and must be destroyed by that thread. If a thread has several of
// these objects, only the one created last collects.
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
