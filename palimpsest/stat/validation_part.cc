#include "palimpsest/stat/internal/validation_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {

void require_validation_share(double share) {
  // A share that leaves either side without a record is a slip of the pen.
  constexpr double kLeast = 0.001;
  if (share >= kLeast && share <= 1 - kLeast) return;
  throw Error({.what = fmt::format("the validation split {} is out of range", share),
               .expected = fmt::format("a number from {} to {}", kLeast, 1 - kLeast)});
}

std::vector<bool> draw_validation_part(size_t count, double share, Random random) {
  require_validation_share(share);
  std::vector<bool> drawn(count, false);
  if (count < 2) return drawn;
  std::vector<size_t> items(count);
  std::iota(items.begin(), items.end(), size_t{0});
  const size_t wanted =
      std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(count)));
  for (size_t i = 0; i < wanted; ++i) {
    std::swap(items[i], items[i + random.below(count - i)]);
    drawn[items[i]] = true;
  }
  return drawn;
}

}  // namespace palimpsest::stat
