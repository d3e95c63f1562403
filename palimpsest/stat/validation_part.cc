#include "palimpsest/stat/validation_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest {

void require_validation_share(double share) {
  if (share > 0 && share < 1) return;
  throw Error({.what = fmt::format("the validation split {} is out of range", share),
               .expected = "a number between 0 and 1"});
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

}  // namespace palimpsest
