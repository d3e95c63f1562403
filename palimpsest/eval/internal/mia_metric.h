// Turns every attack in the attack table into a metric. The metric 'mia_NAME' scores the data sets
// 'forget' and 'holdout' and returns the AUC between them (attack/mia.h explains how to read it).
// Parameters of the attack that the configuration does not set have their defaults. It must set
// reference_model_path if the attack compares with a reference model.
#pragma once

#include <string>

#include "palimpsest/attack/attack.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

// Returns one handler per attack, in the order of the table. The handlers own copies of the
// attacks. Throws Error if the table is invalid.
//
// In the results, agg_value and auc are both the AUC. `scored` holds the score of every example.
HandlerTable attack_handlers(const attack::AttackTable& attacks);

AttackParameters attack_parameters(const Handler& handler, const MetricSetting& setting);

}  // namespace palimpsest::eval
