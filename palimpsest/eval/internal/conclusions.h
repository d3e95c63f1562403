// The conclusions from an evaluator's results once all of them are available: intervals, the effect
// size behind forget quality, the distance from several retrained models, and the one answer of the
// attacks with its red flags. They depend only on the log, the data and the settings. So a second
// run that finds everything finished draws the same conclusions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/eval/internal/attack_family.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

struct Conclusions {
  std::map<std::string, stat::Interval> intervals;  // by metric
  // By attack that takes part in the answer: of its AUC, 97%, simultaneous over these attacks.
  std::map<std::string, stat::Interval> simultaneous;
  std::map<std::string, Spread> spreads;         // by metric
  std::map<std::string, ForgetQuality> quality;  // by metric
  std::optional<attack::Answer> answer;
  std::vector<attack::RedFlag> flags;
  std::optional<RunClusters> clusters;
  std::optional<RetrainedModels> retrained;
  std::vector<std::string> notes;
};

Conclusions draw_conclusions(const AttackFamilyInput& input);

// Puts them into the record, and the intervals of attacks into their results too. Metrics of the
// log that are not in the graph stay as they are.
void store_conclusions(Conclusions conclusions, const MetricGraph& graph, EvalLog& log,
                       RunRecord& record);

// A note for a p-value that treats examples as independent.
inline constexpr const char* kPublishedDefinition =
    "published definition: its p-value treats every example as independent";

}  // namespace palimpsest::eval
