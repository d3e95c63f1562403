// Options that must lie in a range: one sentence for all of them.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "palimpsest/base/error.h"

namespace palimpsest::lab {

// Throws Error unless least <= value <= most, which NaN is not. `name` opens the sentence: "the
// number of layers".
template <class Number>
void require_between(std::string_view name, Number value, Number least, Number most) {
  if (value >= least && value <= most) return;
  throw Error({.what = fmt::format("{} is out of range", name),
               .expected = fmt::format("{} to {}", least, most),
               .found = fmt::format("{}", value)});
}

}  // namespace palimpsest::lab
