// A ROC curve in constant memory: positives and negatives counted in B equal bins of a score range.
// Where the exact curve needs every score, this one merges across machines and never grows.
//
//   domain    counts >= 0 of positives and negatives in each bin of [low, high]; scores outside the
//             range fall into the first or the last bin
//   merge     sums of the counts; range and number of bins must be the same
//   result    the AUC, P(positive > negative) + ½ P(equal), scores of one bin counted as equal;
//             undefined without both classes
//
// The exact AUC lies within auc_bounds(): all pairs that share a bin counted against and in favour.
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

  // Label 1 is positive, 0 negative; a higher score means positive. Throws Error on another label,
  // a score that is NaN, lengths that differ, or an empty range.
  static BinnedRocStat of(std::span<const int> labels, std::span<const double> scores,
                          const BinnedRocRange& range);
  // One (label, score) per element, both of one shape: a curve for each, ready for reduce().
  static BinnedRocStat make(const Array& labels, const Array& scores, const BinnedRocRange& range);

  const BinnedRocRange& range() const { return range_; }
  const Array& positives() const { return positives_; }
  const Array& negatives() const { return negatives_; }
  // {least, greatest} along a new last axis.
  Array auc_bounds() const;

  BinnedRocStat zero() const;
  BinnedRocStat merge(const BinnedRocStat& other) const;
  BinnedRocStat reduce(int64_t axis) const;
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
