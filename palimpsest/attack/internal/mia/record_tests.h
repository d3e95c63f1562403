// A test of single records, for deletion requests: is this record still recognised? Each forget
// record gets a conformal p-value against the holdout scores. It is small if the record is more
// familiar to the model than unseen text. The p-values are corrected for their number by the method
// of Benjamini and Hochberg. Among the records called recognised at the false discovery rate r, the
// expected share of wrong ones is at most r, provided that records which were really forgotten look
// like holdout records.
//
// With n holdout records a p-value is at least 1/(n + 1). So with m forget records, m/r - 1 holdout
// records are needed before one record on its own can be called recognised.
#pragma once

#include <cstdint>

#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {

// Throws Error unless 0 < rate < 1.
void require_discovery_rate(double rate);

// `rate` must satisfy require_discovery_rate().
RecordTests test_records(const ScoreColumns& scores, double rate);

// The number of holdout records that are needed before one record on its own can be called
// recognised. With fewer, only several records together can be.
int64_t holdout_for_one_record(int64_t forget_records, double rate);

}  // namespace palimpsest::attack
