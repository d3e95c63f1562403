// The harmonic mean n / Σ 1/x. It is close to the smallest value, so good scores cannot average
// away a bad one.
//
//   harmonic_mean({1, 4})   // 2 / (1 + 1/4) = 1.6
#pragma once

#include <optional>
#include <span>

namespace palimpsest::stat {

// It is 0 if one of the values is 0. Returns nullopt if there are no values. Throws Error, with the
// number of the item, for a value that is negative, NaN or infinite.
std::optional<double> harmonic_mean(std::span<const double> values);

}  // namespace palimpsest::stat
