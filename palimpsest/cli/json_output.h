// Prints on standard output results that contain text from files. If standard output is a file or a
// pipe, every byte is written unchanged. A terminal gets no characters that could control it or
// make a text look like another one.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "palimpsest/base/internal/table.h"

namespace palimpsest::cli {

// On a terminal, characters that could control it or mislead are replaced by escapes, which mean
// the same in JSON.
inline void print_json(const std::string& text) {
  fmt::print("{}", ::isatty(STDOUT_FILENO) != 0 ? with_visible_directions(text) : text);
}

// Prints any other text. On a terminal, without_controls() replaces such characters, and tabs
// become spaces.
inline void print_text(const std::string& text) {
  if (::isatty(STDOUT_FILENO) == 0) return fmt::print("{}", text);
  constexpr size_t kTab = 8;
  std::string spaced;
  for (const char c : text) spaced.append(c == '\t' ? kTab : 1, c == '\t' ? ' ' : c);
  fmt::print("{}", without_controls(spaced));
}

}  // namespace palimpsest::cli
