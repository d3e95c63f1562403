// How often is the answer wrong? Audits with a known truth, drawn again and again, and audits of
// real or made-up text by a model that saw none of its authors. Used by answer_slow_test.cc, which
// holds the answer to its promise, and by answer_table.cc, which prints the rates for
// docs/calibration.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "tests/attack/mia/audit_scores.h"

namespace palimpsest::attack {

struct HeadlineRates {
  int64_t audits = 0;
  int64_t remembered = 0;
  int64_t over_forgotten = 0;
  int64_t within_margin = 0;  // detectable, but within the margin
  int64_t equivalent = 0;
  int64_t not_decided = 0;

  int64_t alarms() const { return remembered + over_forgotten; }
  void count(AnswerVerdict verdict);
};

struct HeadlineCase {
  std::string name;
  AuditTruth truth;
  double margin = 0.05;
  double found = 0;  // the share of audits that must find what is remembered
};

// Nothing is remembered: every alarm is false.
std::vector<HeadlineCase> innocent_cases();
// The true AUC lies on the margin: every clearance is false.
std::vector<HeadlineCase> marginal_cases();
// Something is remembered: what share is found?
std::vector<HeadlineCase> guilty_cases();

HeadlineRates simulate_headline(const HeadlineCase& setting, int64_t audits);

// The largest count among `audits` that chance explains where the true rate is `rate`, at a level
// of 1% divided by the number of cases that are looked at.
int64_t tolerated(int64_t audits, double rate, int64_t cases);

// Texts of authors, in file order.
struct AuthorTexts {
  std::vector<std::string> texts;
  std::vector<int64_t> authors;  // one per text, from 0
};

AuthorTexts made_up_authors(int64_t authors, int64_t questions);
// Records with a question and an answer; `questions` consecutive ones are of one author.
AuthorTexts read_authors(const std::string& path, int64_t questions);

// Scores of loss, min_k and zlib under an interpolated trigram model of words that was trained on
// the first `trained` authors; the texts of the others are what is scored.
struct ScoredAuthors {
  AuthorTexts texts;                 // of the others, authors numbered from 0
  std::vector<ScoreColumn> columns;  // one per attack
};
ScoredAuthors score_authors(const AuthorTexts& texts, int64_t trained);

// For each author 0 (forget), 1 (holdout) or 2 (neither): `each` of the first two, drawn at random.
std::vector<int> draw_split(int64_t authors, int64_t each, Random random);

// Random splits of `each` authors against as many others: whatever is found is false.
HeadlineRates audit_splits(const ScoredAuthors& scored, int64_t each, int64_t splits);

// The number of splits in which the blind baseline has p <= 0.05.
int64_t blind_alarms(const AuthorTexts& texts, int64_t each, int64_t splits);

}  // namespace palimpsest::attack
