// What an audit says beside its answer, where the truth is known: whether examples belong together
// (the dependence detector), whether the holdout set is of another source (the blind baseline), and
// how often somebody who decides by a threshold is right (decision thresholds). Used by
// audit_calibration_slow_test.cc, which holds the library to it, and by answer_table.cc, which
// prints the rates for docs/calibration.md. Seeds are fixed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/attack/mia/answer_calibration.h"

namespace palimpsest::attack {

// The order of the examples in a set's file.
enum class FileOrder { kByAuthor, kShuffled };

// Random splits of `each` authors against as many others, whose texts stand in the sets in this
// order and whom no column names. The number of splits in which the detector suspects that examples
// belong together.
int64_t suspected_dependence(const ScoredAuthors& scored, int64_t each, int64_t splits,
                             FileOrder order);

// One text of each author, drawn at random: independent examples.
ScoredAuthors one_text_per_author(const ScoredAuthors& scored);

// Notes on made-up towns, in blocks of `notes` about one: another source than made_up_authors().
AuthorTexts made_up_towns(int64_t towns, int64_t notes);

// Forget sets of `each` random authors, holdout sets of `other_each` random ones of another source.
// The number of audits that the blind baseline makes void.
int64_t noticed_sources(const AuthorTexts& authors, const AuthorTexts& others, int64_t each,
                        int64_t other_each, int64_t audits);

struct DecisionCase {
  std::string name;
  AuditTruth truth;  // with one attack
};
std::vector<DecisionCase> decision_cases();

// The shares of audits whose 95% intervals contain the rates that the chosen threshold really has.
struct DecisionCoverage {
  double tpr = 0;
  double fpr = 0;
  double fpr_by_example = 0;  // Clopper and Pearson's, which takes examples as independent
};
DecisionCoverage decision_coverage(const DecisionCase& setting, int64_t audits);

}  // namespace palimpsest::attack
