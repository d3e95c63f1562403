#include "palimpsest/stat/statistic.h"

#include <fmt/format.h>

#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {

const Array& field(const Fields& fields, std::string_view name) {
  for (const auto& [key, array] : fields) {
    if (key == name) return array;
  }
  throw Error(fmt::format("the statistic has no field '{}'", name));
}

void require_same_shape(const Array& a, const Array& b) {
  if (a.shape() == b.shape()) return;
  throw Error(fmt::format("statistics of the shapes {} and {} do not merge", to_string(a.shape()),
                          to_string(b.shape())));
}

void require_defined(const Array& array, std::string_view name) {
  for (double value : array.values()) {
    if (std::isnan(value))
      throw Error(fmt::format("the field '{}' holds a value that is not a number", name));
  }
}

void require_counts(const Array& array, std::string_view name) {
  for (double value : array.values()) {
    if (std::isfinite(value) && value >= 0) continue;
    throw Error({.what = fmt::format("the field '{}' holds {}", name, value),
                 .expected = "finite numbers that are not negative"});
  }
}

Array add(const Array& a, const Array& b) {
  require_same_shape(a, b);
  Array sum = a;
  for (int64_t i = 0; i < sum.size(); ++i) sum.values()[i] += b.values()[i];
  return sum;
}

}  // namespace palimpsest::stat
