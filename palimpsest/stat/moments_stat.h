// The count, mean and variance of values, computed without cancellation (Welford's update, Chan's
// merge).
//
//   domain    (count, mean, m2), count >= 0, m2 = Σ (x - mean)² >= 0; identity (0, 0, 0)
//   merge     n = n1 + n2, d = mean2 - mean1:
//             mean = mean1 + d n2/n,  m2 = m2_1 + m2_2 + d² n1 n2/n
//   result    {mean, sample variance m2/(n-1)} along a new last axis; the mean of no values and the
//             variance of fewer than two values are undefined
//
//   MomentsStat::of({1, 2, 3, 4}).result();   // {2.5, 1.6666…}
#pragma once

#include <span>

#include "palimpsest/stat/statistic.h"

namespace palimpsest::stat {

class MomentsStat {
 public:
  static constexpr std::string_view kType = "moments";

  MomentsStat() = default;  // the rank-0 identity
  // Makes one statistic per element, with count 1 and m2 = 0.
  static MomentsStat make(Array values);
  // Puts all values into one rank-0 statistic.
  static MomentsStat of(std::span<const double> values);

  const Array& count() const { return count_; }
  const Array& mean() const { return mean_; }
  Array variance() const;

  MomentsStat zero() const;
  MomentsStat merge(const MomentsStat& other) const;
  MomentsStat reduce(std::optional<int64_t> axis = 0) const;
  Array result() const;
  Fields save() const { return {{"count", count_}, {"mean", mean_}, {"m2", m2_}}; }
  static MomentsStat load(const Fields& fields);

 private:
  Array count_;  // any shape
  Array mean_;   // the same shape
  Array m2_;     // the same shape
};

}  // namespace palimpsest::stat
