#include "palimpsest/stat/binned_roc_stat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

// Far above any useful resolution; keeps a hostile file from reserving all memory.
constexpr int64_t kMaxBins = int64_t{1} << 24;

struct PairCounts {
  double in_order = 0;  // positive in a higher bin
  double tied = 0;      // the same bin
  double all = 0;
};

PairCounts count_pairs(std::span<const double> positives, std::span<const double> negatives) {
  PairCounts pairs;
  double negatives_below = 0;
  double positives_so_far = 0;
  for (size_t b = 0; b < positives.size(); ++b) {
    pairs.in_order += positives[b] * negatives_below;
    pairs.tied += positives[b] * negatives[b];
    negatives_below += negatives[b];
    positives_so_far += positives[b];
  }
  pairs.all = positives_so_far * negatives_below;
  return pairs;
}

}  // namespace

BinnedRocStat::BinnedRocStat(Shape shape, const BinnedRocRange& range)
    : range_(range), shape_(std::move(shape)) {
  const bool ordered =
      std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high;
  if (!ordered || range.bins < 1 || range.bins > kMaxBins) {
    throw Error(fmt::format("a binned ROC needs low < high and 1 to {} bins", kMaxBins));
  }
  Shape with_bins = shape_;
  with_bins.push_back(range.bins);
  positives_ = negatives_ = Array::zeros(std::move(with_bins));
}

void BinnedRocStat::count(int64_t element, double label, double score) {
  if (label != 0 && label != 1) throw Error(fmt::format("the label {} is neither 0 nor 1", label));
  if (std::isnan(score)) throw Error("a score is not a number");
  const double relative = (score - range_.low) / (range_.high - range_.low);
  const double bin = std::floor(relative * static_cast<double>(range_.bins));
  const auto last = static_cast<double>(range_.bins - 1);
  Array& counts = label == 1 ? positives_ : negatives_;
  counts.values()[element * range_.bins + static_cast<int64_t>(std::clamp(bin, 0.0, last))] += 1;
}

BinnedRocStat BinnedRocStat::of(std::span<const int> labels, std::span<const double> scores,
                                const BinnedRocRange& range) {
  if (labels.size() != scores.size()) {
    throw Error(fmt::format("there are {} labels but {} scores", labels.size(), scores.size()));
  }
  BinnedRocStat stat({}, range);
  for (size_t i = 0; i < labels.size(); ++i) stat.count(0, labels[i], scores[i]);
  return stat;
}

BinnedRocStat BinnedRocStat::make(const Array& labels, const Array& scores,
                                  const BinnedRocRange& range) {
  require_same_shape(labels, scores);
  BinnedRocStat stat(labels.shape(), range);
  for (int64_t i = 0; i < labels.size(); ++i) stat.count(i, labels.values()[i], scores.values()[i]);
  return stat;
}

BinnedRocStat BinnedRocStat::zero() const {
  return BinnedRocStat(shape_, range_);
}

BinnedRocStat BinnedRocStat::merge(const BinnedRocStat& other) const {
  if (range_ != other.range_) throw Error("binned ROC curves over different bins do not merge");
  BinnedRocStat merged = *this;
  merged.positives_ = add(positives_, other.positives_);
  merged.negatives_ = add(negatives_, other.negatives_);
  return merged;
}

BinnedRocStat BinnedRocStat::reduce(std::optional<int64_t> axis) const {
  if (!axis) return reduce_all(*this, static_cast<int64_t>(shape_.size()));
  const int64_t from_front = *axis < 0 ? *axis + static_cast<int64_t>(shape_.size()) : *axis;
  BinnedRocStat reduced = *this;
  reduced.shape_ = split_axis(shape_, from_front).rest;
  reduced.positives_ = sum_axis(positives_, from_front);
  reduced.negatives_ = sum_axis(negatives_, from_front);
  return reduced;
}

Array BinnedRocStat::auc_bounds() const {
  Shape with_bounds = shape_;
  with_bounds.push_back(2);
  Array bounds = Array::zeros(std::move(with_bounds));
  for (int64_t i = 0; i < element_count(shape_); ++i) {
    const auto bins = static_cast<size_t>(range_.bins);
    const PairCounts pairs =
        count_pairs(positives_.values().subspan(static_cast<size_t>(i) * bins, bins),
                    negatives_.values().subspan(static_cast<size_t>(i) * bins, bins));
    // Without pairs 0/0 gives NaN: undefined.
    bounds.values()[2 * i] = pairs.in_order / pairs.all;
    bounds.values()[2 * i + 1] = (pairs.in_order + pairs.tied) / pairs.all;
  }
  return bounds;
}

Array BinnedRocStat::result() const {
  const Array bounds = auc_bounds();
  Array auc = Array::zeros(shape_);
  for (int64_t i = 0; i < auc.size(); ++i) {
    auc.values()[i] = (bounds.values()[2 * i] + bounds.values()[2 * i + 1]) / 2;
  }
  return auc;
}

Fields BinnedRocStat::save() const {
  return {{"low", range_.low},
          {"high", range_.high},
          {"positives", positives_},
          {"negatives", negatives_}};
}

BinnedRocStat BinnedRocStat::load(const Fields& fields) {
  const Array& positives = field(fields, "positives");
  const Array& negatives = field(fields, "negatives");
  if (positives.rank() == 0) throw Error("the field 'positives' has no bins");
  if (field(fields, "low").rank() != 0 || field(fields, "high").rank() != 0) {
    throw Error("the fields 'low' and 'high' must be single numbers");
  }
  require_same_shape(positives, negatives);
  require_counts(positives, "positives");
  require_counts(negatives, "negatives");
  BinnedRocStat stat(Shape(positives.shape().begin(), positives.shape().end() - 1),
                     {.low = field(fields, "low").scalar(),
                      .high = field(fields, "high").scalar(),
                      .bins = positives.shape().back()});
  stat.positives_ = positives;
  stat.negatives_ = negatives;
  return stat;
}

}  // namespace palimpsest::stat
