// `palimpsest metrics --model`: runs a language model over a data set once and evaluates token
// metrics from its traces.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/stat/stat_file.h"

namespace palimpsest::cli {

// The options of `palimpsest metrics`, as the user wrote them.
struct MetricsOptions {
  std::string data;
  std::vector<std::string> specs;  // NAME[:arg=value,…]; with a model, empty: the most common ones
  std::string domain_key = "domain_id";
  std::optional<int64_t> num_domains;
  std::string mask_key;  // not with a model
  ResultOptions results;
  ModelArguments model;  // without a model, the data hold predictions
  DataArguments data_arguments;
};

struct ModelMetrics {
  stat::NamedStats stats;
  int64_t examples = 0;
};

// Throws Error for metrics that need more than a trace holds, and for data or models that cannot be
// used.
ModelMetrics evaluate_language_model(const MetricsOptions& options, const ProgramContext& context,
                                     std::stop_token stop);

}  // namespace palimpsest::cli
