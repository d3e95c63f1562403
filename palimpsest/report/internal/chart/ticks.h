// Where the ticks of an axis stand, and what is written at them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct Tick {
  double value = 0;
  std::string label;  // may be empty: a tick without a number
};

// Multiples of 1, 2 or 5 times a power of ten within the range, at most `most` (at least 2). A
// range in which doubles cannot tell such multiples apart has one tick at its lower end.
std::vector<Tick> linear_ticks(const stat::Interval& range, size_t most);

// The powers of ten within the range; every second, third … where there are more than `most`. A
// range with fewer than two powers of ten has their multiples by 2 and 5 as well.
std::vector<Tick> log_ticks(const stat::Interval& range, size_t most);

// The given values within the range, with as many decimals as the one that needs most.
std::vector<Tick> ticks_at(const std::vector<double>& values, const stat::Interval& range);

}  // namespace palimpsest::report
