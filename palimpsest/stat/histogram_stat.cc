#include "palimpsest/stat/histogram_stat.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {

HistogramStat::HistogramStat(const Shape& shape, std::vector<double> edges)
    : edges_(std::move(edges)), below_(Array::zeros(shape)), above_(Array::zeros(shape)) {
  if (edges_.size() < 2) throw Error("a histogram needs at least two edges");
  for (size_t i = 0; i < edges_.size(); ++i) {
    if (std::isfinite(edges_[i]) && (i == 0 || edges_[i - 1] < edges_[i])) continue;
    throw Error("a histogram's edges must be finite and increase");
  }
  Shape with_bins = shape;
  with_bins.push_back(static_cast<int64_t>(edges_.size()) - 1);
  counts_ = Array::zeros(std::move(with_bins));
}

void HistogramStat::count(int64_t element, double value) {
  if (!std::isfinite(value)) throw Error("a histogram takes finite values only");
  if (value < edges_.front()) {
    below_.values()[element] += 1;
  } else if (value > edges_.back()) {
    above_.values()[element] += 1;
  } else {
    const auto bins = static_cast<int64_t>(edges_.size()) - 1;
    const int64_t after = std::upper_bound(edges_.begin(), edges_.end(), value) - edges_.begin();
    counts_.values()[element * bins + std::min(after - 1, bins - 1)] += 1;
  }
}

HistogramStat HistogramStat::of(std::span<const double> values, std::vector<double> edges) {
  HistogramStat stat({}, std::move(edges));
  for (double value : values) stat.count(0, value);
  return stat;
}

HistogramStat HistogramStat::make(const Array& values, std::vector<double> edges) {
  HistogramStat stat(values.shape(), std::move(edges));
  for (int64_t i = 0; i < values.size(); ++i) stat.count(i, values.values()[i]);
  return stat;
}

HistogramStat HistogramStat::zero() const {
  return HistogramStat(below_.shape(), edges_);
}

HistogramStat HistogramStat::merge(const HistogramStat& other) const {
  if (edges_ != other.edges_) throw Error("histograms with different edges do not merge");
  HistogramStat merged = *this;
  merged.counts_ = add(counts_, other.counts_);
  merged.below_ = add(below_, other.below_);
  merged.above_ = add(above_, other.above_);
  return merged;
}

HistogramStat HistogramStat::reduce(std::optional<int64_t> axis) const {
  if (!axis) return reduce_all(*this, below_.rank());
  const int64_t from_front = *axis < 0 ? *axis + below_.rank() : *axis;
  HistogramStat reduced = *this;
  reduced.below_ = sum_axis(below_, from_front);
  reduced.above_ = sum_axis(above_, from_front);
  reduced.counts_ = sum_axis(counts_, from_front);
  return reduced;
}

Fields HistogramStat::save() const {
  return {
      {"edges", Array::vector(edges_)}, {"counts", counts_}, {"below", below_}, {"above", above_}};
}

HistogramStat HistogramStat::load(const Fields& fields) {
  const Array& edges = field(fields, "edges");
  const Array& below = field(fields, "below");
  HistogramStat stat(below.shape(), {edges.values().begin(), edges.values().end()});
  require_same_shape(stat.counts_, field(fields, "counts"));
  require_same_shape(stat.above_, field(fields, "above"));
  stat.counts_ = field(fields, "counts");
  stat.below_ = below;
  stat.above_ = field(fields, "above");
  require_counts(stat.counts_, "counts");
  require_counts(stat.below_, "below");
  require_counts(stat.above_, "above");
  return stat;
}

}  // namespace palimpsest::stat
