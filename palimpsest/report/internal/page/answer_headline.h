// The headline of a page: does the model still remember what it was asked to forget? If an audit
// has an answer (attack/mia/answer.h), the headline states it in plain words
// (attack/internal/mia/plain_answer.h), with the statistics in smaller type. A run without an
// answer gets a headline that shows its AUC and interval without a verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/report/page/page_data.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

// `model` may be empty. The caller adds the AUC that is drawn below the sentence.
PageHeadline answer_headline(const std::string& model, const attack::Answer& answer);

PageFlag page_flag(const attack::RedFlag& flag);

// The basis of the answer as key figures: what could be picked out, clusters, margins, and the
// effect that would have been detected. Figures that are not defined are left out.
std::vector<PageEntry> answer_figures(const attack::Answer& answer);

// An AUC for which there is no answer.
struct AucFinding {
  std::string attack;
  double auc = 0;  // in [0, 1]
  std::optional<stat::Interval> interval;
  double confidence = 0.95;  // of the interval
  size_t attacks = 1;        // the number of attacks among which it is the highest
};
PageHeadline neutral_headline(const std::string& model, const AucFinding& finding);

// The headline if no AUC is known. `model` may be empty.
PageHeadline unknown_headline(const std::string& model);

// The tone in which a verdict is shown.
PageTone tone_of(attack::AnswerVerdict verdict);

// The AUC as text: "0.812 (95% interval 0.768 … 0.829)", without the interval if there is none.
std::string shown_auc(double auc, const std::optional<stat::Interval>& interval, double confidence);

}  // namespace palimpsest::report
