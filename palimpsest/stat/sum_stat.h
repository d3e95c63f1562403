// A sum, such as a count or a confusion matrix.
//
//   domain    accum, any number
//   merge     a1 + a2
//   result    accum; the sum of nothing is 0
//
//   SumStat::make(1).merge(SumStat::make(2));                 // 3
//   SumStat::make(Array::vector({1, 2, 1})).reduce(0);        // 4
#pragma once

#include "palimpsest/stat/statistic.h"

namespace palimpsest::stat {

class SumStat {
 public:
  static constexpr std::string_view kType = "sum";

  SumStat() = default;  // the rank-0 identity
  static SumStat make(Array accum);

  const Array& accum() const { return accum_; }

  SumStat zero() const;
  SumStat merge(const SumStat& other) const;
  SumStat reduce(std::optional<int64_t> axis = 0) const;
  Array result() const { return accum_; }
  Fields save() const { return {{"accum", accum_}}; }
  static SumStat load(const Fields& fields);

 private:
  Array accum_;  // any shape
};

}  // namespace palimpsest::stat
