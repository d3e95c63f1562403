// Bootstrap intervals for the metrics of an attack summary. Positives are redrawn from positives
// and negatives from negatives, because the sizes of the two sets were chosen and not observed. The
// threshold and the predictions stay fixed. The intervals are BCa, except for effective_epsilon,
// which is a maximum. Its interval consists of percentiles of its resamples and describes its
// spread. It is not a bound on epsilon, because the estimate is biased upwards; for bounds see
// two_step_epsilon.h.
//
// Rates and AUCs of exactly 0 or 1 get exact intervals, because their resamples do not vary. The
// difference of two such rates gets the sum of both intervals, each at half the error.
#pragma once

#include <span>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/stat/bootstrap.h"

namespace palimpsest::report {

// Sets the intervals of the metrics. `selected` has the positions of the metrics, as in
// SummaryOptions. An undefined metric gets no interval.
void add_bootstrap_intervals(AttackSummary& summary, std::span<const size_t> selected,
                             const stat::BootstrapOptions& options);

// Does the same for many summaries in parallel. The result does not depend on the number of
// threads.
void add_bootstrap_intervals(std::span<AttackSummary> summaries, std::span<const size_t> selected,
                             const stat::BootstrapOptions& options);

}  // namespace palimpsest::report
