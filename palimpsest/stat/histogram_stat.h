// A histogram with fixed edges e_0 < e_1 < … < e_B, in constant memory.
//
//   domain    counts >= 0: below e_0, in each bin [e_b, e_b+1) (the last includes e_B), above e_B
//   merge     sums of the counts; the edges must be the same
//   result    the counts of the bins: an array with one more axis, of extent B; all 0 if empty
//
//   HistogramStat h = HistogramStat::of({0.1, 0.6, 0.6, 7}, {0, 0.5, 1});
//   h.result();   // {1, 2}
//   h.above();    // 1
#pragma once

#include <span>
#include <vector>

#include "palimpsest/stat/statistic.h"

namespace palimpsest::stat {

class HistogramStat {
 public:
  static constexpr std::string_view kType = "histogram";

  // Puts all values into one histogram of rank 0. Throws Error if the edges do not increase, if
  // there are fewer than two, or if a value is not finite.
  static HistogramStat of(std::span<const double> values, std::vector<double> edges);
  // Makes one histogram per element of `values`; reduce() merges them.
  static HistogramStat make(const Array& values, std::vector<double> edges);

  const std::vector<double>& edges() const { return edges_; }
  const Array& counts() const { return counts_; }
  const Array& below() const { return below_; }
  const Array& above() const { return above_; }

  HistogramStat zero() const;
  HistogramStat merge(const HistogramStat& other) const;
  HistogramStat reduce(std::optional<int64_t> axis = 0) const;
  Array result() const { return counts_; }
  Fields save() const;
  static HistogramStat load(const Fields& fields);

 private:
  HistogramStat(const Shape& shape, std::vector<double> edges);
  void count(int64_t element, double value);

  std::vector<double> edges_;  // [B + 1]
  Array counts_;               // [..., B]
  Array below_;                // [...]
  Array above_;                // [...]
};

}  // namespace palimpsest::stat
