// A closed interval of real numbers. All confidence procedures here return it.
#pragma once

namespace palimpsest::stat {

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// The part of an interval that lies within the range of possible values.
Interval cut_at(const Interval& interval, const Interval& range);

// Throws Error unless 0 < confidence < 1.
void require_confidence(double confidence);

}  // namespace palimpsest::stat
