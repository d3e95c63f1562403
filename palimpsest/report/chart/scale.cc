#include "palimpsest/report/internal/chart/scale.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::report {

namespace {

// Where a value lies in the domain of an axis, from 0 to 1.
double share_of(const ChartAxis& axis, double value) {
  const auto [low, high] = axis.domain;
  if (axis.scale == ScaleKind::kLog)
    return std::log(std::max(value, low) / low) / std::log(high / low);
  // The difference of two large numbers may overflow.
  if (!std::isfinite(high - low)) return (value / 4 - low / 4) / (high / 4 - low / 4);
  return (value - low) / (high - low);
}

}  // namespace

Scale::Scale(const ChartAxis& of, double start, double end) : axis(of), from(start), to(end) {
  if (axis.scale == ScaleKind::kCategory) return;
  PALIMPSEST_CHECK(std::isfinite(axis.domain.low) && std::isfinite(axis.domain.high));
  PALIMPSEST_CHECK(axis.domain.low < axis.domain.high);
  PALIMPSEST_CHECK(axis.scale != ScaleKind::kLog || axis.domain.low > 0);
}

double Scale::at(double value) const {
  if (axis.scale == ScaleKind::kCategory)
    return from + (value + 0.5) * (to - from) /
                      static_cast<double>(std::max<size_t>(1, axis.categories.size()));
  return from + std::clamp(share_of(axis, value), -2.0, 2.0) * (to - from);
}

double Scale::step() const {
  return std::abs(to - from) / static_cast<double>(std::max<size_t>(1, axis.categories.size()));
}

}  // namespace palimpsest::report
