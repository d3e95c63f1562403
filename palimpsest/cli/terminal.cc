#include "palimpsest/cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace palimpsest::cli {
namespace {

std::optional<bool> forced_color;  // nothing: auto

constexpr size_t kNarrowest = 40;
constexpr size_t kWidest = 100;
constexpr size_t kUsual = 80;

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_dumb_terminal() {
  const char* name = std::getenv("TERM");
  return name != nullptr && std::string_view(name) == "dumb";
}

}  // namespace

void choose_color(const std::string& choice) {
  forced_color = choice == "auto" ? std::nullopt : std::optional(choice == "always");
}

bool has_color(std::FILE* stream) {
  if (forced_color) return *forced_color;
  return ::isatty(::fileno(stream)) != 0 && !is_set("NO_COLOR") && !is_dumb_terminal();
}

std::string colored(const std::string& text, Color color, std::FILE* stream) {
  if (!has_color(stream)) return text;
  return fmt::format("\033[1;{}m{}\033[0m", static_cast<int>(color), text);
}

std::optional<size_t> terminal_columns() {
  if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

size_t text_columns() {
  const std::optional<size_t> columns = terminal_columns();
  return columns ? std::clamp(*columns, kNarrowest, kWidest) : kUsual;
}

}  // namespace palimpsest::cli
