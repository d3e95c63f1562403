#include "palimpsest/attack/internal/mia/text_histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::attack {
namespace {

using Levels = std::array<std::string_view, 8>;
constexpr Levels kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr Levels kAscii = {".", ":", "-", "=", "+", "*", "#", "@"};

// The share of the scores in each bin.
std::vector<double> shares_of(std::span<const std::optional<double>> scores, double low,
                              double high, size_t bins) {
  std::vector<double> shares(bins, 0.0);
  double count = 0;
  for (const std::optional<double>& score : scores) {
    if (!score) continue;
    // Halves, since the difference of two finite numbers may overflow.
    const double bin =
        high > low ? (*score / 2 - low / 2) / (high / 2 - low / 2) * static_cast<double>(bins) : 0;
    const double last = static_cast<double>(bins) - 1;
    shares[static_cast<size_t>(std::clamp(std::floor(bin), 0.0, last))] += 1;
    count += 1;
  }
  for (double& share : shares) share /= std::max(count, 1.0);
  return shares;
}

std::string row_of(const std::vector<double>& shares, double largest, const Levels& levels) {
  std::string row;
  for (double share : shares) {
    if (share == 0) {
      row += ' ';
      continue;
    }
    const auto level =
        static_cast<size_t>(std::ceil(share / largest * static_cast<double>(levels.size()))) - 1;
    row += levels[std::min(level, levels.size() - 1)];
  }
  return row;
}

}  // namespace

TextHistogram text_histogram(const ScoreColumns& scores, size_t bins, bool ascii) {
  PALIMPSEST_CHECK(bins > 0);
  std::vector<double> all;
  for (const auto& set : {scores.forget, scores.holdout}) {
    for (const std::optional<double>& score : set) {
      if (score) all.push_back(*score);
    }
  }
  if (all.empty()) return {};
  stat::sort_ascending(all);
  TextHistogram histogram;
  histogram.low = all[all.size() / 100];
  histogram.high = all[all.size() - 1 - all.size() / 100];
  const auto forget = shares_of(scores.forget, histogram.low, histogram.high, bins);
  const auto holdout = shares_of(scores.holdout, histogram.low, histogram.high, bins);
  const double largest = std::max(*std::max_element(forget.begin(), forget.end()),
                                  *std::max_element(holdout.begin(), holdout.end()));
  const Levels& levels = ascii ? kAscii : kBlocks;
  histogram.forget = row_of(forget, largest, levels);
  histogram.holdout = row_of(holdout, largest, levels);
  return histogram;
}

}  // namespace palimpsest::attack
