// What the metrics of the benchmarks are called for people, and which question each of them
// answers. A metric that is not known keeps its own name.
#pragma once

#include <string>

#include "palimpsest/report/result_table.h"

namespace palimpsest::report {

enum class MetricQuestion { kRemembers, kAnswers, kIntact, kOther };

// "Does it remember?"
std::string words_of(MetricQuestion question);

struct MetricFacts {
  std::string shown;  // "Answers to forgotten questions"
  MetricQuestion question = MetricQuestion::kOther;
  CellScale scale = CellScale::kNone;  // kShare only for metrics that are shares
  // The position among the metrics that a summary shows first; larger is later. Metrics of equal
  // rank keep their order.
  int rank = 0;
};

// `label` is the name of a metric, with parameters if it has some: "mia_min_k (k=0.4)".
// `is_attack` says whether it is the AUC of an attack.
MetricFacts facts_of(const std::string& label, bool is_attack);

}  // namespace palimpsest::report
