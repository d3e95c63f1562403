// Makes every attack of the attack table a metric. The metric 'mia_NAME' scores the data sets
// 'forget' and 'holdout' and returns the AUC between them (attack/mia.h explains how to read it).
// Its parameters are those of the attack, all of which the configuration must set, and
// reference_model_path if the attack compares with a reference model.
#pragma once

#include <string>

#include "palimpsest/attack/attack.h"
#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// One handler per attack, in the order of the table. The handlers own copies of the attacks. Throws
// Error if the table is not valid.
//
// In the results, agg_value and auc are the AUC. The parts forget and holdout hold the mean and the
// score of each example.
HandlerTable attack_handlers(const attack::AttackTable& attacks);

// The attack that a handler runs, by its name in the table of attacks: "min_k" of mia_min_k.
std::string attack_name(const Handler& handler);

// The numeric parameters (such as k and p) with which an attack was configured.
using AttackParameters = attack::ParameterValues;
AttackParameters attack_parameters(const Handler& handler, const MetricSetting& setting);
// For tables: "mia_min_k (k=0.4)".
std::string with_parameters(const std::string& name, const AttackParameters& parameters);

}  // namespace palimpsest::eval
