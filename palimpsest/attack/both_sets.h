// The two sets of every audit: the examples that the model should have forgotten, and examples of
// the same kind that it never saw. BothSets<T> holds one T (a data file, a trace file, scores) for
// each set.
#pragma once

namespace palimpsest::attack {

template <class T>
struct BothSets {
  T forget = {};
  T holdout = {};
};

}  // namespace palimpsest::attack
