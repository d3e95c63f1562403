// What follows from an evaluator's numbers once all of them are there: intervals, the effect behind
// forget quality, the distance from several retrained models, the one answer of the attacks. Computed
// from the log, the data and the settings alone, so that a rerun which finds everything finished draws
// the same conclusions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/eval/internal/attack_family.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

struct Conclusions {
  std::map<std::string, stat::Interval> intervals;  // by metric
  std::map<std::string, Spread> spreads;            // by metric
  std::map<std::string, ForgetQuality> quality;     // by metric
  std::optional<attack::Answer> answer;
  std::optional<RunClusters> clusters;
  std::optional<RetrainedModels> retrained;
  std::vector<std::string> notes;
};

Conclusions draw_conclusions(const AttackFamilyInput& input);

// For a p-value that takes examples as independent.
inline constexpr const char* kPublishedDefinition =
    "published definition: its p-value takes every example for independent";

}  // namespace palimpsest::eval
