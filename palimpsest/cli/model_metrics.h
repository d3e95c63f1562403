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
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/stat/stat_file.h"

namespace palimpsest::cli {

struct ModelMetricsOptions {
  ModelArguments model;
  DataArguments data_arguments;
  std::string data;
  std::vector<std::string> specs = {};  // NAME[:arg=value,…]; empty: the most common ones
  std::string domain_key = {};
  std::optional<int64_t> num_domains = {};
};

struct ModelMetrics {
  stat::NamedStats stats;
  int64_t examples = 0;
};

// Throws Error for metrics that need more than a trace holds, and for data or models that cannot be
// used.
ModelMetrics evaluate_language_model(const ModelMetricsOptions& options,
                                     const metric::MetricTable& table,
                                     const ProgramContext& context, std::stop_token stop);

}  // namespace palimpsest::cli
