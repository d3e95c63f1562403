// For deletion requests: is this one record still recognised? Each forget record gets a conformal
// p-value against the holdout scores, small where it is more familiar than unseen text, and the
// p-values are corrected for their number by Benjamini and Hochberg. Of the records called
// recognised at the rate r, a share of at most r is expected to be called so wrongly, if forget
// records that were really forgotten look like holdout records.
//
// A p-value is at least 1/(n + 1) with n holdout records, so m forget records need m/r - 1 holdout
// records before one of them can stand out alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest {

struct RecordTests {
  // One a forget example, undefined where its score is.
  std::vector<std::optional<double>> p_values;
  std::vector<std::optional<double>> q_values;
  std::vector<size_t> recognised;  // numbers of the examples with q at most the rate, ascending
};

// Throws Error unless 0 < rate < 1.
void require_discovery_rate(double rate);

// The rate must be valid.
RecordTests test_records(const ScoreColumns& scores, double rate);

// With fewer holdout records than this no record can stand out alone, only several together.
int64_t holdout_for_one_record(int64_t forget_records, double rate);

}  // namespace palimpsest
