#include "palimpsest/cli/model_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/name_key.h"
#include "palimpsest/eval/token_metrics.h"
#include "palimpsest/metric/metric_args.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/model/adapter_base.h"
#include "palimpsest/run/score_run.h"

namespace palimpsest::cli {
namespace {

constexpr const char* kUsualMetrics[] = {"sequence_token_cross_entropy_loss",
                                         "sequence_token_accuracy",
                                         "sequence_cross_entropy_loss",
                                         "sequence_length",
                                         "sequence_token_count",
                                         "sequence_count"};

// The metric of a text such as sequence_token_oov_rate:oov_target_values=0. The table says which
// names and arguments there are.
eval::TokenMetric parse_metric(const std::string& spec, const metric::MetricTable& table) {
  metric::make_metric(spec, table);  // refuses unknown arguments and wrong values
  const metric::MetricArgs args = metric::MetricArgs::parse(spec);
  eval::TokenMetric parsed{.name = args.name()};
  if (const metric::MetricKind* kind = find_by_name(table, args.name())) parsed.name = kind->name;
  for (const char* key : {"target_key", "pred_key", "logits_mask"}) {
    if (!args.has(key)) continue;
    throw Error({.what = fmt::format("'{}' is about a file of predictions, not about a model", key),
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

}  // namespace

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
  const data::DataPreparation preparation(std::move(prepare),
                                          model::find_tokenizer(folder, environment));
  for (const std::string& choice : preparation.choices()) log_info("{}", choice);
  for (const std::string& note : preparation.notes()) log_warning("{}", note);
  const data::PreparedFile prepared = preparation.prepare(options.data);
  for (const std::string& note : prepared.notes) log_warning("{}", note);
  const bool ranks =
      std::ranges::any_of(metrics, [](const eval::TokenMetric& metric) { return metric.k > 1; });
  const Traced traced = run_model(
      *loader->load(folder, how), prepared.examples, preparation,
      {.masked_token = preparation.masked_token(), .ranks = ranks, .stop = std::move(stop)});
  ModelMetrics result{.examples = std::ssize(prepared.examples)};
  for (size_t i = 0; i < specs.size(); ++i) {
    result.stats.emplace_back(
        specs[i], eval::token_statistic(metrics[i], traced.traces, domains, traced.ranks));
  }
  return result;
}

}  // namespace palimpsest::cli
