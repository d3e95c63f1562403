// Bootstrap intervals for every metric of an attack summary. Positives are redrawn from positives and
// negatives from negatives, since the sizes of the two sets were chosen, not observed; the threshold
// and the predictions stay as they are. BCa, except for effective_epsilon, which is a maximum: there
// the percentiles of its resamples, a statement about its spread rather than a bound of epsilon (it
// is biased upwards; see two_step_epsilon.h for bounds).
//
// Rates of exactly 0 or 1 and AUCs of exactly 0 or 1, whose resamples do not vary, get exact
// intervals; differences of two such rates the sum of both, each at half the error.
#pragma once

#include <span>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/stat/bootstrap.h"

namespace palimpsest::report {

// Sets the intervals of the metrics, `selected` being their numbers as in SummaryOptions. An undefined
// metric gets none.
void add_bootstrap_intervals(AttackSummary& summary, std::span<const size_t> selected,
                             const stat::BootstrapOptions& options);

// The same for many, in parallel. The result does not depend on the number of threads.
void add_bootstrap_intervals(std::span<AttackSummary> summaries, std::span<const size_t> selected,
                             const stat::BootstrapOptions& options);

}  // namespace palimpsest::report
