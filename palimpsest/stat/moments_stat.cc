#include "palimpsest/stat/moments_stat.h"

#include <limits>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

struct Moments {
  double count = 0;
  double mean = 0;
  double m2 = 0;

  void merge(const Moments& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const double total = count + other.count;
    const double delta = other.mean - mean;
    mean += delta * other.count / total;
    m2 += other.m2 + delta * delta * count * other.count / total;
    count = total;
  }
};

}  // namespace

MomentsStat MomentsStat::make(Array values) {
  MomentsStat stat;
  stat.count_ = Array::zeros(values.shape());
  for (double& count : stat.count_.values()) count = 1;
  stat.m2_ = Array::zeros(values.shape());
  stat.mean_ = std::move(values);
  return stat;
}

MomentsStat MomentsStat::of(std::span<const double> values) {
  Moments all;
  for (double value : values) all.merge({.count = 1, .mean = value, .m2 = 0});
  MomentsStat stat;
  stat.count_ = all.count;
  stat.mean_ = all.mean;
  stat.m2_ = all.m2;
  return stat;
}

Array MomentsStat::variance() const {
  Array variance = m2_;
  for (int64_t i = 0; i < variance.size(); ++i) {
    const double count = count_.values()[i];
    double& value = variance.values()[i];
    value = count > 1 ? value / (count - 1) : kUndefined;
  }
  return variance;
}

MomentsStat MomentsStat::zero() const {
  MomentsStat stat;
  stat.count_ = stat.mean_ = stat.m2_ = Array::zeros(count_.shape());
  return stat;
}

MomentsStat MomentsStat::merge(const MomentsStat& other) const {
  if (count_.is_scalar_zero()) return other;
  if (other.count_.is_scalar_zero()) return *this;
  require_same_shape(count_, other.count_);
  MomentsStat merged = *this;
  for (int64_t i = 0; i < count_.size(); ++i) {
    Moments sum{count_.values()[i], mean_.values()[i], m2_.values()[i]};
    sum.merge({other.count_.values()[i], other.mean_.values()[i], other.m2_.values()[i]});
    merged.count_.values()[i] = sum.count;
    merged.mean_.values()[i] = sum.mean;
    merged.m2_.values()[i] = sum.m2;
  }
  return merged;
}

MomentsStat MomentsStat::reduce(std::optional<int64_t> axis) const {
  if (!axis) return reduce_all(*this, count_.rank());
  const AxisSplit split = split_axis(count_.shape(), *axis);
  MomentsStat reduced;
  reduced.count_ = reduced.mean_ = reduced.m2_ = Array::zeros(split.rest);
  for (int64_t o = 0; o < split.outer; ++o) {
    for (int64_t i = 0; i < split.inner; ++i) {
      Moments sum;
      for (int64_t a = 0; a < split.extent; ++a) {
        const int64_t from = (o * split.extent + a) * split.inner + i;
        sum.merge({count_.values()[from], mean_.values()[from], m2_.values()[from]});
      }
      const int64_t to = o * split.inner + i;
      reduced.count_.values()[to] = sum.count;
      reduced.mean_.values()[to] = sum.mean;
      reduced.m2_.values()[to] = sum.m2;
    }
  }
  return reduced;
}

Array MomentsStat::result() const {
  const Array variances = variance();
  Shape shape = count_.shape();
  shape.push_back(2);
  std::vector<double> values;
  for (int64_t i = 0; i < count_.size(); ++i) {
    values.push_back(count_.values()[i] > 0 ? mean_.values()[i] : kUndefined);
    values.push_back(variances.values()[i]);
  }
  return Array(std::move(shape), std::move(values));
}

MomentsStat MomentsStat::load(const Fields& fields) {
  MomentsStat stat;
  stat.count_ = field(fields, "count");
  stat.mean_ = field(fields, "mean");
  stat.m2_ = field(fields, "m2");
  require_counts(stat.count_, "count");
  require_defined(stat.mean_, "mean");
  require_counts(stat.m2_, "m2");
  require_same_shape(stat.count_, stat.mean_);
  require_same_shape(stat.count_, stat.m2_);
  return stat;
}

}  // namespace palimpsest::stat
