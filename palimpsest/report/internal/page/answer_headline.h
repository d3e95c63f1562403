// The headline of a page: does the model still remember the forget set? Where an audit drew an answer
// (attack/mia/answer.h) the headline says it and nothing else; a run without one gets a headline that
// shows its AUC and interval and judges nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/report/page/page_data.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

// `model` may be empty. The caller adds the AUC that is drawn below the sentence.
PageHeadline answer_headline(const std::string& model, const attack::Answer& answer);

// What the answer rests on, as key figures: clusters, margins, what would have been detected.
std::vector<PageEntry> answer_figures(const attack::Answer& answer);

// An AUC that nobody drew an answer from.
struct AucFinding {
  std::string attack;
  double auc = 0;  // in [0, 1]
  std::optional<stat::Interval> interval;
  double confidence = 0.95;  // of the interval
  size_t attacks = 1;        // among how many it is the highest
};
PageHeadline neutral_headline(const std::string& model, const AucFinding& finding);

// The headline where no AUC is known. `model` may be empty.
PageHeadline unknown_headline(const std::string& model);

// How a verdict looks at first sight.
PageTone tone_of(attack::AnswerVerdict verdict);

// "0.812 (95% interval 0.768 … 0.829)", the interval where there is one.
std::string shown_auc(double auc, const std::optional<stat::Interval>& interval, double confidence);

}  // namespace palimpsest::report
