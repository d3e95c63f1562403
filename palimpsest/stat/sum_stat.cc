#include "palimpsest/stat/sum_stat.h"

#include <utility>

namespace palimpsest::stat {

SumStat SumStat::make(Array accum) {
  SumStat stat;
  stat.accum_ = std::move(accum);
  return stat;
}

SumStat SumStat::zero() const {
  return make(Array::zeros(accum_.shape()));
}

SumStat SumStat::merge(const SumStat& other) const {
  if (accum_.is_scalar_zero()) return other;
  if (other.accum_.is_scalar_zero()) return *this;
  return make(add(accum_, other.accum_));
}

SumStat SumStat::reduce(std::optional<int64_t> axis) const {
  if (!axis) return reduce_all(*this, accum_.rank());
  return make(sum_axis(accum_, *axis));
}

SumStat SumStat::load(const Fields& fields) {
  require_defined(field(fields, "accum"), "accum");
  return make(field(fields, "accum"));
}

}  // namespace palimpsest::stat
