#include "palimpsest/stat/labelled_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

// Below this std::sort is faster.
constexpr size_t kRadixFrom = 2048;
constexpr int kDigitBits = 11;
constexpr int kDigits = 6;  // 6 * 11 >= 64
constexpr size_t kBuckets = size_t{1} << kDigitBits;

// A number whose unsigned order is the doubles' order: negative ones are turned around.
uint64_t to_key(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  return (bits >> 63) != 0 ? ~bits : bits | (uint64_t{1} << 63);
}

double from_key(uint64_t key) {
  return std::bit_cast<double>((key >> 63) != 0 ? key & ~(uint64_t{1} << 63) : ~key);
}

size_t digit(uint64_t key, int d) {
  return (key >> (d * kDigitBits)) & (kBuckets - 1);
}

void radix_sort(std::vector<double>& values) {
  std::vector<uint64_t> keys(values.size());
  std::vector<uint64_t> moved(values.size());
  std::vector<std::array<size_t, kBuckets>> counts(kDigits);
  for (size_t i = 0; i < values.size(); ++i) {
    keys[i] = to_key(values[i]);
    for (int d = 0; d < kDigits; ++d) ++counts[static_cast<size_t>(d)][digit(keys[i], d)];
  }
  for (int d = 0; d < kDigits; ++d) {
    auto& begins = counts[static_cast<size_t>(d)];
    // A digit that all keys share (often the sign and exponent) moves nothing.
    if (begins[digit(keys[0], d)] == keys.size()) continue;
    size_t before = 0;
    for (size_t& begin : begins) before += std::exchange(begin, before);
    for (uint64_t key : keys) moved[begins[digit(key, d)]++] = key;
    keys.swap(moved);
  }
  std::transform(keys.begin(), keys.end(), values.begin(), from_key);
}

}  // namespace

LabelledScores split_by_label(std::span<const int> labels, std::span<const double> scores) {
  if (labels.size() != scores.size()) {
    throw Error(fmt::format("there are {} labels but {} scores", labels.size(), scores.size()));
  }
  LabelledScores split;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != 0 && labels[i] != 1) {
      throw Error({.what = "a label is neither 0 nor 1",
                   .where = fmt::format("item {}", i),
                   .found = std::to_string(labels[i])});
    }
    if (!std::isfinite(scores[i])) {
      throw Error({.what = "a score is NaN or infinite", .where = fmt::format("item {}", i)});
    }
    (labels[i] == 1 ? split.positives : split.negatives).push_back(scores[i]);
  }
  return split;
}

void require_finite_scores(std::span<const double> scores, const char* what) {
  for (size_t i = 0; i < scores.size(); ++i) {
    if (std::isfinite(scores[i])) continue;
    throw Error(
        {.what = "a score is NaN or infinite", .where = fmt::format("{}, item {}", what, i)});
  }
}

std::vector<ScoreGroup> group_scores(const ScoresView& scores) {
  std::vector<double> positives(scores.positives.begin(), scores.positives.end());
  std::vector<double> negatives(scores.negatives.begin(), scores.negatives.end());
  sort_ascending(positives);
  sort_ascending(negatives);
  std::vector<ScoreGroup> groups;
  size_t p = 0;
  size_t n = 0;
  while (p < positives.size() || n < negatives.size()) {
    const bool from_positives =
        n == negatives.size() || (p < positives.size() && positives[p] <= negatives[n]);
    ScoreGroup group{.score = from_positives ? positives[p] : negatives[n]};
    for (; p < positives.size() && positives[p] == group.score; ++p) ++group.positives;
    for (; n < negatives.size() && negatives[n] == group.score; ++n) ++group.negatives;
    groups.push_back(group);
  }
  return groups;
}

void sort_ascending(std::vector<double>& values) {
  if (values.size() < kRadixFrom) {
    std::sort(values.begin(), values.end());
  } else {
    radix_sort(values);
  }
}

}  // namespace palimpsest::stat
