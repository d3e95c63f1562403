// The harmonic mean n / Σ 1/x: near the smallest value, so that one bad score is not averaged away.
//
//   harmonic_mean({1, 4})   // 2 / (1 + 1/4) = 1.6
#pragma once

#include <optional>
#include <span>

namespace palimpsest::stat {

// A zero makes it 0; nullopt where there are no values. Throws Error (with the item's number) on a
// value that is negative, NaN or infinite.
std::optional<double> harmonic_mean(std::span<const double> values);

}  // namespace palimpsest::stat
