// The tables of attacks, metrics and so on by which the program can be extended. The commands use
// these tables and no others.
#pragma once

#include "palimpsest/attack/attack.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/read_evaluation.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/stat/any_stat.h"

namespace palimpsest::cli {

struct Tables {
  attack::AttackTable attacks = attack::default_attack_table();
  eval::HandlerTable own_handlers = {};  // besides those of the library
  eval::DatasetTable datasets = eval::default_dataset_table();
  eval::EvaluatorTable evaluators = eval::default_evaluator_table();
  metric::MetricTable metrics = metric::default_metric_table();
  stat::StatTable statistics = stat::default_stat_table();

  // The metric handlers of the library, one per attack among them, and own_handlers.
  eval::HandlerTable handlers() const {
    eval::HandlerTable all = eval::make_handler_table(attacks);
    all.insert(all.end(), own_handlers.begin(), own_handlers.end());
    return all;
  }
};

}  // namespace palimpsest::cli
