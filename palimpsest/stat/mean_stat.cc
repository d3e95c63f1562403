#include "palimpsest/stat/mean_stat.h"

#include <limits>
#include <utility>

namespace palimpsest::stat {

MeanStat MeanStat::make(Array accum, Array weight) {
  require_same_shape(accum, weight);
  MeanStat stat;
  stat.accum_ = std::move(accum);
  stat.weight_ = std::move(weight);
  auto accums = stat.accum_.values();
  auto weights = stat.weight_.values();
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) continue;
    weights[i] = 0;
    accums[i] = 0;
  }
  return stat;
}

MeanStat MeanStat::zero() const {
  return make(Array::zeros(accum_.shape()), Array::zeros(accum_.shape()));
}

MeanStat MeanStat::merge(const MeanStat& other) const {
  if (weight_.is_scalar_zero()) return other;
  if (other.weight_.is_scalar_zero()) return *this;
  return make(add(accum_, other.accum_), add(weight_, other.weight_));
}

MeanStat MeanStat::reduce(std::optional<int64_t> axis) const {
  if (!axis) return reduce_all(*this, accum_.rank());
  return make(sum_axis(accum_, *axis), sum_axis(weight_, *axis));
}

Array MeanStat::result() const {
  Array mean = accum_;
  for (int64_t i = 0; i < mean.size(); ++i) {
    double& value = mean.values()[i];
    const double weight = weight_.values()[i];
    value = weight > 0 ? value / weight : std::numeric_limits<double>::quiet_NaN();
  }
  return mean;
}

Fields MeanStat::save() const {
  return {{"accum", accum_}, {"weight", weight_}};
}

MeanStat MeanStat::load(const Fields& fields) {
  require_defined(field(fields, "accum"), "accum");
  require_counts(field(fields, "weight"), "weight");
  return make(field(fields, "accum"), field(fields, "weight"));
}

}  // namespace palimpsest::stat
