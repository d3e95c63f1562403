// The two sets of every audit: the forget set, which the model should have forgotten, and the
// holdout set, examples of the same kind that it never saw. BothSets<T> holds one T (such as a data
// file, a trace file or scores) for each of them.
#pragma once

namespace palimpsest::attack {

template <class T>
struct BothSets {
  T forget = {};
  T holdout = {};
};

}  // namespace palimpsest::attack
