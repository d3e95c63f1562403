#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/figures/roc_figure.h"

namespace palimpsest::report {
namespace {

// Finer than any screen.
constexpr double kCells = 4096;

// Coordinates brought to [0, 1], as a square plot shows them.
std::vector<double> scaled(std::span<const double> values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  const double range = *high - *low;
  std::vector<double> result;
  for (double value : values) result.push_back(range > 0 ? (value - *low) / range : 0);
  return result;
}

// The first and the last point of each run within one cell.
std::vector<size_t> ends_of_cells(const std::vector<double>& x, const std::vector<double>& y) {
  auto cell = [&](size_t i) {
    return std::pair(std::floor(x[i] * kCells), std::floor(y[i] * kCells));
  };
  std::vector<size_t> kept;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool first = i == 0 || cell(i) != cell(i - 1);
    const bool last = i + 1 == x.size() || cell(i) != cell(i + 1);
    if (first || last) kept.push_back(i);
  }
  return kept;
}

// A stretch between two points that are kept, and the point between them that is farthest off.
struct Stretch {
  double distance = 0;
  size_t begin = 0;
  size_t end = 0;
  size_t farthest = 0;

  bool operator<(const Stretch& other) const { return distance < other.distance; }
};

class Thinner {
 public:
  Thinner(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {}

  std::vector<size_t> thin(size_t most) const {
    std::vector<size_t> candidates = ends_of_cells(x_, y_);
    if (candidates.size() <= most) return candidates;
    std::vector<size_t> kept = {0, candidates.size() - 1};
    std::priority_queue<Stretch> stretches;
    stretches.push(stretch(candidates, kept[0], kept[1]));
    while (kept.size() < most && !stretches.empty()) {
      const Stretch widest = stretches.top();
      stretches.pop();
      if (widest.distance <= 0) break;
      kept.push_back(widest.farthest);
      stretches.push(stretch(candidates, widest.begin, widest.farthest));
      stretches.push(stretch(candidates, widest.farthest, widest.end));
    }
    std::ranges::sort(kept);
    for (size_t& index : kept) index = candidates[index];
    return kept;
  }

 private:
  // Distance of point p from the segment between points a and b.
  double distance(size_t p, size_t a, size_t b) const {
    const double dx = x_[b] - x_[a];
    const double dy = y_[b] - y_[a];
    const double length = dx * dx + dy * dy;
    double along = 0;
    if (length > 0) {
      along = std::clamp(((x_[p] - x_[a]) * dx + (y_[p] - y_[a]) * dy) / length, 0.0, 1.0);
    }
    return std::hypot(x_[p] - x_[a] - along * dx, y_[p] - y_[a] - along * dy);
  }

  Stretch stretch(const std::vector<size_t>& candidates, size_t begin, size_t end) const {
    Stretch result{.distance = 0, .begin = begin, .end = end, .farthest = begin};
    for (size_t i = begin + 1; i < end; ++i) {
      const double d = distance(candidates[i], candidates[begin], candidates[end]);
      if (d > result.distance) {
        result.distance = d;
        result.farthest = i;
      }
    }
    return result;
  }

  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace

std::vector<size_t> thin_polyline(std::span<const double> x, std::span<const double> y,
                                  int64_t max_points) {
  PALIMPSEST_CHECK(x.size() == y.size() && max_points >= 2);
  if (static_cast<int64_t>(x.size()) <= max_points) {
    std::vector<size_t> all(x.size());
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }
  return Thinner(scaled(x), scaled(y)).thin(static_cast<size_t>(max_points));
}

}  // namespace palimpsest::report
