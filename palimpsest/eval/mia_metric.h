// The attacks of the attack table as metrics: 'mia_NAME' scores the data sets 'forget' and 'holdout'
// and gives the AUC between them (see attack/mia.h for how to read it). Its keys are the attack's
// parameters, all of which the configuration has to set, and reference_model_path where the attack
// compares with a reference model.
#pragma once

#include <string>

#include "palimpsest/attack/attack.h"
#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// One per attack, in the order of the table. They own copies of the attacks. Throws Error for a table
// that is not valid.
//
// Of the results agg_value and auc are the AUC; forget and holdout hold the mean and each example's
// score.
HandlerTable attack_handlers(const AttackTable& attacks);

// The attack that a handler runs, by its name in the table of attacks: "min_k" of mia_min_k.
std::string attack_name(const Handler& handler);

// The numbers that an attack was configured with (k, p): those of its handler's keys that are numbers.
using AttackParameters = ParameterValues;
AttackParameters attack_parameters(const Handler& handler, const MetricSetting& setting);
// For tables: "mia_min_k (k=0.4)".
std::string with_parameters(const std::string& name, const AttackParameters& parameters);

}  // namespace palimpsest::eval
