// The weighted mean.
//
//   domain    (accum, weight) with weight > 0, and the identity (0, 0)
//   merge     (a1 + a2, w1 + w2)
//   result    accum / weight; undefined if the weight is 0
//
//   MeanStat a = MeanStat::make(1, 2), b = MeanStat::make(2, 3);
//   a.merge(b);                                                       // accum 3, weight 5: 0.6
//   MeanStat::make(Array::vector({1, 2, 4}), Array::vector({1, 1, 0})).reduce(0);   // 3, 2: 1.5
//
// make() replaces every element whose weight is not positive with the identity (0, 0), whatever its
// accum. Otherwise a pair such as (4, 0) would distort every sum that it enters. accum may be
// negative, as for log-probabilities.
#pragma once

#include "palimpsest/stat/statistic.h"

namespace palimpsest::stat {

class MeanStat {
 public:
  static constexpr std::string_view kType = "mean";

  MeanStat() = default;  // the rank-0 identity
  // The two arrays have the same shape.
  static MeanStat make(Array accum, Array weight);

  const Array& accum() const { return accum_; }
  const Array& weight() const { return weight_; }

  MeanStat zero() const;
  MeanStat merge(const MeanStat& other) const;
  MeanStat reduce(std::optional<int64_t> axis = 0) const;
  Array result() const;
  Fields save() const;
  static MeanStat load(const Fields& fields);

 private:
  Array accum_;   // any shape
  Array weight_;  // the same shape
};

}  // namespace palimpsest::stat
