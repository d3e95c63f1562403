// Which examples are in both the forget set and the holdout set? Such an example was either seen in
// training or not, so no attack can tell its two copies apart: the AUC is drawn towards ½ and a
// model that remembers looks clean.
//
// Two examples are the same if their texts are equal after normalised_text() (example_facts.h). If
// both traces have a prompt, the prompts must be equal in the same way, since "Yes." answers many
// questions. If a trace has no text, its labelled token ids are compared instead. An empty text
// counts as no text. An example that has neither a text nor ids never counts as shared. Texts and
// ids are compared by their 128-bit hashes.
//
//   share = max(shared_holdout / holdout examples, shared_forget / forget examples)
//
// The caller decides what follows from the share, with the two constants below.
#pragma once

#include <span>

#include "palimpsest/attack/example_facts.h"
#include "palimpsest/attack/mia/findings.h"

namespace palimpsest::attack {

// At this share there is nothing to compare, and check_soundness() throws Error.
inline constexpr double kOverlapRefused = 1.0;
// Above this share the audit is void, unless the user accepts the overlap.
inline constexpr double kOverlapVoid = 0.05;

Overlap find_overlap(std::span<const ExampleFacts> forget, std::span<const ExampleFacts> holdout);

}  // namespace palimpsest::attack
