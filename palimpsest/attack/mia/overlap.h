// Does the holdout set contain the forget set? Whatever stands in both was either seen in both or
// in neither, so no attack can tell it apart: the AUC is drawn towards ½ and a model that remembers
// looks clean.
//
// Two examples are the same if their texts are, in lower case and with white space squeezed, and
// their prompts likewise where both traces have one ("Yes." answers many questions). Where a trace
// has no text, its labelled token ids are compared instead. An empty text is no text. Without any
// text or ids nothing is shared.
//
//   share = max(shared_holdout / holdout examples, shared_forget / forget examples)
//
// What follows from it is the caller's to decide, by the two constants.
#pragma once

#include <cstdint>
#include <span>

#include "palimpsest/attack/example_facts.h"

namespace palimpsest {

// At this share there is nothing to compare: the call is refused.
inline constexpr double kOverlapRefused = 1.0;
// Above this share the audit is void, unless the user accepts the overlap.
inline constexpr double kOverlapVoid = 0.05;

struct Overlap {
  int64_t shared_holdout = 0;  // holdout examples that stand in the forget set too
  int64_t shared_forget = 0;   // forget examples that stand in the holdout set too
  int64_t exact_holdout = 0;   // of shared_holdout: those with the same text to the letter
  double share = 0;            // 0 for empty sets
};

Overlap find_overlap(std::span<const ExampleFacts> forget, std::span<const ExampleFacts> holdout);

}  // namespace palimpsest
