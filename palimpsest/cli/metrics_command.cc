#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/model_metrics.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/metric/evaluate_records.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/metric/per_domain_metric.h"

namespace palimpsest::cli {
namespace {

struct MetricsOptions {
  std::string data;
  std::vector<std::string> specs;
  std::string domain_key = "domain_id";
  std::optional<int64_t> num_domains;
  std::string mask_key;
  ResultOptions results;
  ModelMetricsOptions with_model;  // its model and how texts become examples
};

// The statistics are named as they were asked for, so that merge can tell whether files fit.
metric::NamedMetrics make_metrics(const MetricsOptions& options, const metric::MetricTable& table) {
  metric::NamedMetrics metrics;
  for (const std::string& spec : options.specs) {
    const bool twice = std::any_of(metrics.begin(), metrics.end(),
                                   [&](const auto& named) { return named.first == spec; });
    if (twice) throw Error({.what = fmt::format("the metric '{}' is asked for twice", spec)});
    metric::MetricPtr metric = metric::make_metric(spec, table);
    if (options.num_domains) {
      metric = std::make_shared<metric::PerDomainMetric>(
          std::move(metric), metric::PerDomainOptions{.num_domains = *options.num_domains,
                                                      .domain_id_key = options.domain_key});
    }
    metrics.emplace_back(spec, std::move(metric));
  }
  return metrics;
}

// With --model: the data are texts, as for an audit, and the model predicts their tokens.
void run_model_metrics(const MetricsOptions& options, const ProgramContext& context,
                       const std::stop_token& stop) {
  const auto lock = lock_output_file(options.results.out, "palimpsest metrics");
  ModelMetricsOptions how = options.with_model;
  how.data = options.data;
  how.specs = options.specs;
  how.domain_key = options.domain_key;
  how.num_domains = options.num_domains;
  const ModelMetrics result = evaluate_language_model(how, context.tables.metrics, context, stop);
  report_results(result.stats, options.results);
  if (options.results.json) return;
  fmt::print("\n{} example{}\n", result.examples, result.examples == 1 ? "" : "s");
}

void run_metrics(const MetricsOptions& options, const metric::MetricTable& table) {
  const auto lock = lock_output_file(options.results.out, "palimpsest metrics");
  if (options.specs.empty()) {
    throw Error(
        {.what = "--metric is required", .hint = "`palimpsest list metrics` names the metrics"});
  }
  const metric::NamedMetrics metrics = make_metrics(options, table);
  const auto display = progress_on(stderr);
  const metric::RecordEvaluation evaluation =
      metric::evaluate_records(options.data == "-" ? "/dev/stdin" : options.data, metrics,
                               {.mask_key = options.mask_key, .progress = display.get()});
  report_results(evaluation.stats, options.results);
  if (options.results.json) return;
  fmt::print("\n{} example{}", evaluation.num_examples, evaluation.num_examples == 1 ? "" : "s");
  if (!options.mask_key.empty()) fmt::print(", {} masked", evaluation.num_masked);
  fmt::print("\n");
}

}  // namespace

void add_metrics_command(Command& program, const ProgramContext& context) {
  Command command = program.subcommand(
      "metrics",
      "Evaluate metrics over a file of targets and predictions, or of a model over texts");
  auto options = std::make_shared<MetricsOptions>();
  command
      .option("--data", options->data,
              "JSON lines, one object per example: {\"y\": 1, \"pred\": [1.2, 0.4]}; - reads "
              "standard input; with --model a data set of texts")
      .required();
  command
      .option("--metric", options->specs,
              "NAME[:arg=value,…]; may be repeated; `palimpsest list metrics` names them")
      .one_value_per_use();
  Option num_domains = command.option("--num-domains", options->num_domains,
                                      "Evaluate every metric for each of this many domains apart");
  command.option("--domain-key", options->domain_key, "Key of the number of an example's domain")
      .show_default()
      .needs(num_domains);
  Option mask = command.option("--mask-key", options->mask_key,
                               "Key whose 0 or false leaves an example out (padding)");
  command.option("--out", options->results.out,
                 "Write the statistics to this file, for `palimpsest merge`");
  command.flag("--json", options->results.json, "Print the statistics as JSON");
  Command model = command.group("A model over texts");
  model
      .option("--model", options->with_model.model.model,
              "Checkpoint folder or hub id: run this model over the data set and evaluate the "
              "tokens that it predicts")
      .excludes(mask);
  add_device_options(command, options->with_model.model);
  add_data_options(command, options->with_model.data_arguments);
  command.action([options, &context] {
    options->results.axis = options->num_domains ? "domain" : "position";
    if (options->with_model.model.model.empty()) {
      run_metrics(*options, context.tables.metrics);
      return;
    }
    interruptible(AfterStop::kBeginsAnew,
                  [&](const std::stop_token& stop) { run_model_metrics(*options, context, stop); });
  });
}

}  // namespace palimpsest::cli
