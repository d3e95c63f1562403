#include "palimpsest/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
#include <utility>

#include "palimpsest/base/internal/table.h"

namespace palimpsest {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err,
                                                   spdlog::level::off};  // as in LogLevel
  return kLevels[static_cast<size_t>(level)];
}

spdlog::color_mode to_spdlog(LogColor color) {
  if (color == LogColor::kAuto) return spdlog::color_mode::automatic;
  return color == LogColor::kAlways ? spdlog::color_mode::always : spdlog::color_mode::never;
}

// The logger that is installed. Others may be logging while it is replaced: theirs lives until they
// are done with it.
class InstalledLogger {
 public:
  std::shared_ptr<spdlog::logger> get() {
    const std::lock_guard lock(mutex_);
    return logger_;
  }
  void set(std::shared_ptr<spdlog::logger> logger) {
    const std::lock_guard lock(mutex_);
    logger_ = std::move(logger);
  }

 private:
  std::mutex mutex_;
  // One without sinks drops everything.
  std::shared_ptr<spdlog::logger> logger_ = std::make_shared<spdlog::logger>("palimpsest");
};

InstalledLogger& installed() {
  static InstalledLogger instance;
  return instance;
}

thread_local WarningCapture* youngest_capture = nullptr;

}  // namespace

WarningCapture::WarningCapture() : outer_(youngest_capture) {
  youngest_capture = this;
}

WarningCapture::~WarningCapture() {
  youngest_capture = outer_;
}

void log_to_standard_error(LogLevel level, LogColor color) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(to_spdlog(color));
  sink->set_pattern("%^%l%$: %v");
  auto logger = std::make_shared<spdlog::logger>("palimpsest", std::move(sink));
  logger->set_level(to_spdlog(level));
  installed().set(std::move(logger));
}

void log_message(LogLevel level, const std::string& text) {
  if (level == LogLevel::kWarning && youngest_capture != nullptr)
    youngest_capture->warnings_.push_back(text);
  installed().get()->log(to_spdlog(level), without_controls(text));  // it may quote a file
}

}  // namespace palimpsest
