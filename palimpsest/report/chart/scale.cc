#include "palimpsest/report/internal/chart/scale.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::report {

Scale::Scale(const ChartAxis& axis, double from, double to) : axis_(axis), from_(from), to_(to) {
  if (axis.scale == ScaleKind::kCategory) return;
  PALIMPSEST_CHECK(std::isfinite(axis.domain.low) && std::isfinite(axis.domain.high));
  PALIMPSEST_CHECK(axis.domain.low < axis.domain.high);
  PALIMPSEST_CHECK(axis.scale != ScaleKind::kLog || axis.domain.low > 0);
}

double Scale::share(double value) const {
  const auto [low, high] = axis_.domain;
  if (axis_.scale == ScaleKind::kLog)
    return std::log(std::max(value, low) / low) / std::log(high / low);
  // The difference of two large numbers may overflow.
  if (!std::isfinite(high - low)) return (value / 4 - low / 4) / (high / 4 - low / 4);
  return (value - low) / (high - low);
}

double Scale::at(double value) const {
  if (axis_.scale == ScaleKind::kCategory)
    return from_ + (value + 0.5) * (to_ - from_) /
                       static_cast<double>(std::max<size_t>(1, axis_.categories.size()));
  return from_ + std::clamp(share(value), -2.0, 2.0) * (to_ - from_);
}

double Scale::step() const {
  return std::abs(to_ - from_) / static_cast<double>(std::max<size_t>(1, axis_.categories.size()));
}

}  // namespace palimpsest::report
