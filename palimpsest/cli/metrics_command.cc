#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/name_key.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/eval/token_metrics.h"
#include "palimpsest/metric/evaluate_records.h"
#include "palimpsest/metric/metric_args.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/metric/per_domain_metric.h"
#include "palimpsest/model/internal/adapter_base.h"
#include "palimpsest/run/internal/score_run.h"
#include "palimpsest/stat/stat_file.h"

namespace palimpsest::cli {
namespace {

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

// The metric of a text. By definition, which is fedjax's, a top-k accuracy is 0 for k below 1.
// Nobody asks for that on purpose.
metric::MetricPtr asked_metric(const std::string& spec, const metric::MetricTable& table) {
  metric::MetricPtr metric = metric::make_metric(spec, table);
  int64_t k = 1;
  metric::MetricArgs::parse(spec).read("k", k);
  if (k >= 1) return metric;
  throw Error({.what = "the value of 'k' is wrong",
               .where = fmt::format("metric '{}'", spec),
               .expected = "a whole number, at least 1",
               .found = fmt::format("'{}'", k)});
}

// The statistics are named as they were asked for, so that merge can tell whether files fit.
metric::NamedMetrics make_metrics(const MetricsOptions& options, const metric::MetricTable& table) {
  metric::NamedMetrics metrics;
  for (const std::string& spec : options.specs) {
    const bool twice = std::any_of(metrics.begin(), metrics.end(),
                                   [&](const auto& named) { return named.first == spec; });
    if (twice) throw Error({.what = fmt::format("the metric '{}' is asked for twice", spec)});
    metric::MetricPtr metric = asked_metric(spec, table);
    if (options.num_domains) {
      metric = std::make_shared<metric::PerDomainMetric>(
          std::move(metric), metric::PerDomainOptions{.num_domains = *options.num_domains,
                                                      .domain_id_key = options.domain_key});
    }
    metrics.emplace_back(spec, std::move(metric));
  }
  return metrics;
}

constexpr const char* kUsualMetrics[] = {"sequence_token_cross_entropy_loss",
                                         "sequence_token_accuracy",
                                         "sequence_cross_entropy_loss",
                                         "sequence_length",
                                         "sequence_token_count",
                                         "sequence_count"};

// The metric of a text such as sequence_token_oov_rate:oov_target_values=0. The table says which
// names and arguments there are.
eval::TokenMetric parse_metric(const std::string& spec, const metric::MetricTable& table) {
  asked_metric(spec, table);  // refuses unknown arguments and wrong values
  const metric::MetricArgs args = metric::MetricArgs::parse(spec);
  eval::TokenMetric parsed{.name = args.name()};
  if (const metric::MetricKind* kind = find_by_name(table, args.name())) parsed.name = kind->name;
  for (const char* key : {"target_key", "pred_key", "logits_mask"}) {
    if (!args.has(key)) continue;
    throw Error({.what = fmt::format("'{}' applies to a file of predictions, not to a model", key),
                 .where = fmt::format("metric '{}'", spec)});
  }
  args.read("per_position", parsed.per_position);
  args.read("k", parsed.k);
  args.read("oov_target_values", parsed.values);
  if (args.has("eos_target_value")) {
    int64_t end = 0;
    args.read("eos_target_value", end);
    parsed.values = {end};
  }
  args.read("masked_target_values", parsed.masked);
  return parsed;
}

struct Traced {
  std::vector<trace::Trace> traces;
  eval::TokenRanks ranks;  // empty unless they were asked for
};

// Everything is kept in memory, and nothing is resumed: a run writes no trace.
Traced run_model(model::LanguageModel& model, const std::vector<data::Example>& examples,
                 const data::DataPreparation& preparation, const model::ScoreOptions& options) {
  constexpr size_t kTogether = 64;
  const auto display = progress_on(stderr);
  Progress progress(display.get(), "examples", std::ssize(examples));
  Traced traced;
  for (size_t first = 0; first < examples.size(); first += kTogether) {
    const size_t end = std::min(examples.size(), first + kTogether);
    std::vector<model::Sequence> sequences;
    for (size_t i = first; i < end; ++i) {
      sequences.push_back({.ids = examples[i].ids, .labels = examples[i].labels});
    }
    std::vector<model::SequenceScores> scores = model.score(sequences, options);
    for (size_t i = first; i < end; ++i) {
      traced.traces.push_back(
          run::to_trace(examples[i], scores[i - first], {}, preparation.tokenizer()));
      if (options.ranks) traced.ranks.push_back(std::move(scores[i - first].rank));
    }
    progress.advance(static_cast<int64_t>(end - first));
  }
  return traced;
}

// Runs a language model over a data set once and evaluates token metrics from its traces. Throws
// Error for metrics that need more than a trace holds, and for data or models that cannot be used.
ModelMetrics evaluate_language_model(const MetricsOptions& options, const ProgramContext& context,
                                     std::stop_token stop) {
  std::vector<std::string> specs = options.specs;
  if (specs.empty()) specs.assign(std::begin(kUsualMetrics), std::end(kUsualMetrics));
  std::vector<eval::TokenMetric> metrics;
  for (const std::string& spec : specs) {
    metrics.push_back(parse_metric(spec, context.tables.metrics));
    eval::token_statistic(metrics.back(), {});  // refuses what it cannot be, before the model runs
  }
  std::optional<eval::TokenDomains> domains;
  if (options.num_domains) {
    if (*options.num_domains < 1) {
      throw Error({.what = "there must be at least one domain", .where = "--num-domains"});
    }
    domains = {.key = options.domain_key, .count = *options.num_domains};
  }
  const model::HubEnvironment environment = hub_environment();
  const std::filesystem::path folder = model::find_model(options.model.model, environment);
  const model::ModelOptions how = model_options(options.model, context);
  const std::unique_ptr<model::ModelLoader> loader = context.make_loader(environment);
  data::PreparationOptions prepare = preparation_options(options.data_arguments);
  prepare.threads = how.threads;
  if (domains) prepare.group_keys = {domains->key};
  const auto [preparation, examples] =
      prepare_data(std::move(prepare), model::find_tokenizer(folder, environment), options.data);
  const bool ranks =
      std::ranges::any_of(metrics, [](const eval::TokenMetric& metric) { return metric.k > 1; });
  const Traced traced = run_model(
      *loader->load(folder, how), examples, preparation,
      {.masked_token = preparation.masked_token(), .ranks = ranks, .stop = std::move(stop)});
  ModelMetrics result{.examples = std::ssize(examples)};
  for (size_t i = 0; i < specs.size(); ++i) {
    result.stats.emplace_back(
        specs[i], eval::token_statistic(metrics[i], traced.traces, domains, traced.ranks));
  }
  return result;
}

// With --model: the data are texts, as for an audit, and the model predicts their tokens.
void run_model_metrics(const MetricsOptions& options, const ProgramContext& context,
                       const std::stop_token& stop) {
  std::vector<std::filesystem::path> inputs = model_folders(options.model.model, hub_environment());
  inputs.insert(inputs.end(), {options.data, options.data_arguments.options.few_shot});
  const auto lock = lock_output_file(options.results.out, "palimpsest metrics", inputs);
  const ModelMetrics result = evaluate_language_model(options, context, stop);
  report_results(result.stats, options.results);
  if (options.results.json) return;
  fmt::print("\n{} example{}\n", result.examples, result.examples == 1 ? "" : "s");
}

void run_metrics(const MetricsOptions& options, const metric::MetricTable& table) {
  const auto lock = lock_output_file(options.results.out, "palimpsest metrics", {options.data});
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
      "metrics", "Evaluate metrics of predictions in a file, or of a model that is run over texts");
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
                                      "Evaluate every metric separately for each of this many "
                                      "domains");
  command
      .option("--domain-key", options->domain_key,
              "Key under which an example has the number of its domain")
      .show_default()
      .needs(num_domains);
  Option mask = command.option("--mask-key", options->mask_key,
                               "Key whose value 0 or false leaves an example out (padding)");
  command.option("--out", options->results.out,
                 "Write the statistics to this file, for `palimpsest merge`");
  command.flag("--json", options->results.json, "Print the statistics as JSON");
  Command model = command.group("A model over texts");
  model
      .option("--model", options->model.model,
              "Checkpoint folder or hub id: run this model over the data set and evaluate the "
              "tokens that it predicts")
      .excludes(mask);
  add_device_options(command, options->model);
  add_data_options(command, options->data_arguments);
  command.action([options, &context] {
    options->results.axis = options->num_domains ? "domain" : "position";
    if (options->model.model.empty()) {
      run_metrics(*options, context.tables.metrics);
      return;
    }
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { run_model_metrics(*options, context, stop); });
  });
}

}  // namespace palimpsest::cli
