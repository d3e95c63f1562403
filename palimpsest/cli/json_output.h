// Prints JSON on standard output. If standard output is a terminal, characters that change the
// writing direction are replaced by escapes, which mean the same in JSON. A file or a pipe gets
// every byte unchanged.
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
