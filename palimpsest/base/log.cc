#include "palimpsest/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "palimpsest/base/table.h"

namespace palimpsest {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kSilent:
      break;
  }
  return spdlog::level::off;
}

// A logger without sinks drops everything.
std::shared_ptr<spdlog::logger>& logger() {
  static auto instance = std::make_shared<spdlog::logger>("palimpsest");
  return instance;
}

}  // namespace

void log_to_standard_error(LogLevel level) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  sink->set_pattern("%^%l%$: %v");
  logger() = std::make_shared<spdlog::logger>("palimpsest", std::move(sink));
  logger()->set_level(to_spdlog(level));
}

void log_message(LogLevel level, const std::string& text) {
  logger()->log(to_spdlog(level), without_controls(text));  // it may quote a file
}

}  // namespace palimpsest
