#include "palimpsest/stat/harmonic_mean.h"

#include <fmt/format.h>

#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {

std::optional<double> harmonic_mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double reciprocals = 0;
  bool has_zero = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] < 0) {
      throw Error({.what = "a harmonic mean needs finite values that are not negative",
                   .where = fmt::format("item {}", i),
                   .found = fmt::format("{}", values[i])});
    }
    has_zero = has_zero || values[i] == 0;
    reciprocals += 1 / values[i];
  }
  // A zero by its own rule: the reciprocal of -0 is -inf, which would turn the sum around.
  return has_zero ? 0 : static_cast<double>(values.size()) / reciprocals;
}

}  // namespace palimpsest::stat
