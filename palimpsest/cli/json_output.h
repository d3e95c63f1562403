// JSON on standard output. A terminal gets characters that turn the direction of a text as escapes,
// which mean the same in JSON; a file or a pipe gets every byte as it is.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "palimpsest/base/table.h"

namespace palimpsest::cli {

inline void print_json(const std::string& text) {
  fmt::print("{}", ::isatty(STDOUT_FILENO) != 0 ? with_visible_directions(text) : text);
}

}  // namespace palimpsest::cli
