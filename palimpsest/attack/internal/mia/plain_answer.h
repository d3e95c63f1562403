// The answer of an audit in plain words, for readers who have to decide but do not work with
// statistics: a short headline, how certain it is, and what the audit would and would not have
// detected. The numbers are those of the answer (answer.h); nothing is computed here beyond
// rounding and one conversion:
//
//   An AUC of A means that an observer recognises about 2Φ(Φ⁻¹(A)/√2) - 1 of the forget records
//   beyond chance at the best threshold, if the scores of both sets are normal with equal variance.
#pragma once

#include <cstddef>
#include <string>

#include "palimpsest/attack/mia/answer.h"

namespace palimpsest::attack {

struct PlainAnswer {
  std::string headline;   // "Remembered. Of 100 records to be forgotten, an observer could …"
  std::string certainty;  // how sure the headline is; may be empty
  std::string detects;    // what the audit would have detected; empty if that is not known
  std::string misses;     // what it would not have detected; empty for a void audit
};

PlainAnswer plain_answer(const Answer& answer);

// Text for a terminal: the verdict in capitals with the headline, then the sentence with its
// statistics and the reasons, wrapped at `width` characters.
std::string answer_to_text(const Answer& answer, size_t width);

// The share of records that an observer recognises beyond chance at an AUC, see above. `auc` is in
// (0, 1); the result is negative below ½.
double excess_at_auc(double auc);

}  // namespace palimpsest::attack
