// A ROC curve in constant memory: the positives and negatives are counted in B equal bins of a
// range of scores. The exact curve needs every score. This one never grows, and curves from several
// machines can be merged.
//
//   domain    counts >= 0 of positives and negatives in each bin of [low, high]; scores outside the
//             range fall into the first or the last bin
//   merge     sums of the counts; range and number of bins must be the same
//   result    the AUC: P(positive > negative) + ½ P(equal), where scores in one bin count as equal;
//             undefined unless both classes have items
//
// The exact AUC lies within auc_bounds(). The lower bound counts all pairs in the same bin as
// wrong, and the upper bound counts them as right.
//
//   BinnedRocStat roc = BinnedRocStat::of({1, 0}, {0.9, 0.1}, {.low = 0, .high = 1, .bins = 10});
//   roc.result();   // 1
#pragma once

#include <cstdint>
#include <span>

#include "palimpsest/stat/statistic.h"

namespace palimpsest::stat {

struct BinnedRocRange {
  double low = 0;
  double high = 1;
  int64_t bins = 1000;

  friend bool operator==(const BinnedRocRange&, const BinnedRocRange&) = default;
};

class BinnedRocStat {
 public:
  static constexpr std::string_view kType = "binned_roc";

  // Label 1 is positive, label 0 negative; a higher score means more likely positive. Throws Error
  // for another label, a NaN score, lengths that differ, or an empty range.
  static BinnedRocStat of(std::span<const int> labels, std::span<const double> scores,
                          const BinnedRocRange& range);
  // The two arrays have the same shape. Every element is a curve of one item; reduce() merges them.
  static BinnedRocStat make(const Array& labels, const Array& scores, const BinnedRocRange& range);

  const BinnedRocRange& range() const { return range_; }
  const Array& positives() const { return positives_; }
  const Array& negatives() const { return negatives_; }
  // The lower and the upper bound of the AUC, along a new last axis.
  Array auc_bounds() const;

  BinnedRocStat zero() const;
  BinnedRocStat merge(const BinnedRocStat& other) const;
  BinnedRocStat reduce(std::optional<int64_t> axis = 0) const;
  Array result() const;
  Fields save() const;
  static BinnedRocStat load(const Fields& fields);

 private:
  BinnedRocStat(Shape shape, const BinnedRocRange& range);
  void count(int64_t element, double label, double score);

  BinnedRocRange range_;
  Shape shape_;
  Array positives_;  // [..., bins]
  Array negatives_;  // [..., bins]
};

}  // namespace palimpsest::stat
