// What the membership-inference handlers share: an attack's scores of the data sets 'forget' and
// 'holdout', and the AUC between them (see attack/mia.h for how to read it).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// Of every attack.
MetricNeeds mia_needs();

// agg_value and auc are the AUC; forget and holdout hold the mean and each example's score.
MetricResult mia_auc(const MetricInput& input, std::string_view attack,
                     const AttackOptions& options);

// The share k of a Min-K attack. Throws Error unless it is in (0, 1].
AttackOptions share_options(const MetricSetting& setting);
// mia_needs() of an attack with such a share, which is checked.
MetricNeeds share_needs(const MetricSetting& setting);

// The attack that a handler runs, by its name in the table of attacks: "min_k" of mia_min_k.
std::string attack_name(const Handler& handler);

// The numbers that an attack was configured with (k, p): those of its handler's keys that are numbers.
using AttackParameters = std::vector<std::pair<std::string, double>>;
AttackParameters attack_parameters(const Handler& handler, const MetricSetting& setting);
// For tables: "mia_min_k (k=0.4)".
std::string with_parameters(const std::string& name, const AttackParameters& parameters);

inline constexpr std::string_view kAucOrientation =
    "1: the forget set is plainly recognised; 0.5: indistinguishable, the goal; 0: over-forgotten";

}  // namespace palimpsest::eval
