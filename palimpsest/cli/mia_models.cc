#include "palimpsest/cli/mia_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia/soundness.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/hash.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/model/adapter_base.h"
#include "palimpsest/run/audit_traces.h"
#include "palimpsest/run/vocabulary_check.h"

namespace palimpsest::cli {
namespace {

std::vector<NormOrder> gradient_norms(const MiaTracing& tracing, const ModelOptions& model,
                                      const ModelLoader& loader) {
  std::vector<NormOrder> orders;
  for (const std::string& key : gradient_norms_of(tracing.attacks)) {
    const std::optional<NormOrder> order = find_order(key);
    PALIMPSEST_CHECK(order.has_value());
    orders.push_back(*order);
  }
  loader.check(model, false);
  if (orders.empty()) return orders;
  try {
    loader.check(model, true);
  } catch (const Error& error) {
    if (!tracing.only_possible) throw;
    for (const Attack& attack : tracing.attacks) {
      if (!gradient_norms_of({attack}).empty())
        log_warning("{} is left out: {}", attack.name, error.what());
    }
    return {};
  }
  return orders;
}

AuditSet prepare(const DataPreparation& preparation, const std::string& file) {
  AuditSet set{.dataset = file, .examples = preparation.prepare(file).examples};
  if (set.examples.empty()) {
    throw Error({.what = "the data set has no example", .where = file});
  }
  return set;
}

// Sets of which one holds the other are refused before anything is run.
void require_different(const AuditSets& sets) {
  auto all_stand_in = [](const std::vector<Example>& these, const std::vector<Example>& those) {
    std::set<std::vector<int64_t>> known;
    for (const Example& example : those) known.insert(example.ids);
    return std::ranges::all_of(these,
                               [&](const Example& example) { return known.contains(example.ids); });
  };
  if (all_stand_in(sets.forget.examples, sets.holdout.examples) ||
      all_stand_in(sets.holdout.examples, sets.forget.examples))
    refuse_equal_sets();
}

ClusterSource cluster_source(const std::vector<Example>& examples, const std::string& key,
                             const std::string& file) {
  ClusterSource source;
  for (const Example& example : examples) {
    source.index.push_back(example.index);
    if (key.empty()) continue;
    const auto found = example.groups.find(key);
    if (found == example.groups.end()) {
      throw Error({.what = fmt::format("the record '{}' has no '{}', which --cluster-key names",
                                       example.index, key),
                   .where = file});
    }
    source.value.push_back(found->second);
  }
  return source;
}

// What the sizes can tell: before hours of computing, not after.
void say_power(const AuditSets& sets, const ClusterChoice& choice) {
  const ExampleClusters clusters =
      clusters_of(choice, cluster_source(sets.forget.examples, choice.key, sets.forget.dataset),
                  cluster_source(sets.holdout.examples, choice.key, sets.holdout.dataset));
  const std::optional<double> detected = planned_detection(clusters);
  const std::string sizes = fmt::format(
      "{} forget and {} holdout examples{}", sets.forget.examples.size(),
      sets.holdout.examples.size(),
      clusters.is_given() ? fmt::format(" in {} clusters ({})", clusters.count(), clusters.name)
                          : "");
  if (!detected || *detected >= 1) {
    log_warning("{} can tell no AUC from 0.5: more are needed", sizes);
  } else {
    log_info("{} would show an AUC of about {:.2f} or more (with probability 80%)", sizes,
             *detected);
  }
}

// A model beside the audited one: found, and checked to speak of the same tokens.
AuditModel companion(const std::string& name, const std::string& option, const std::string& files,
                     const AuditSets& sets, const Tokenizer& tokenizer,
                     const HubEnvironment& environment) {
  const std::filesystem::path folder = find_model(name, environment);
  require_same_tokens({list_of(sets.forget.dataset, sets.forget.examples),
                       list_of(sets.holdout.dataset, sets.holdout.examples)},
                      tokenizer, {folder, fmt::format("{} {}", option, name)}, environment);
  return {.model = {.name = name, .folder = folder}, .files = files};
}

}  // namespace

void add_mia_model_options(Command& command, MiaModels& models) {
  command.option("--model", models.model.model,
                 "The model to audit: a checkpoint folder, or a hub id in the local cache");
  command.option("--forget", models.forget,
                 "Data that the model should not know: .json, .jsonl or .csv");
  command.option("--holdout", models.holdout, "Data of the same kind that it never saw");
  command.option(
      "--reference", models.reference,
      "A model to compare with, for the attacks that do (see `palimpsest list attacks`)");
  command.option("--baseline", models.baseline,
                 "A model retrained without the forget set: how far is the audited one from it?");
  add_data_options(command, models.data);
  add_device_options(command, models.model);
}

MiaTraces trace_mia(const MiaModels& models, const MiaTracing& tracing) {
  const HubEnvironment environment = hub_environment();
  const ModelOptions how = model_options(models.model);
  const std::filesystem::path folder = find_model(models.model.model, environment);
  const std::unique_ptr<ModelLoader> loader = make_model_loader(environment);
  const DataPreparation preparation(models.data, find_tokenizer(folder, environment));
  const AuditSets sets = {.forget = prepare(preparation, models.forget),
                          .holdout = prepare(preparation, models.holdout)};
  require_different(sets);
  const std::vector<NormOrder> norms = gradient_norms(tracing, how, *loader);
  std::vector<AuditModel> run_models = {{.model = {.name = models.model.model, .folder = folder},
                                         .files = "",
                                         .gradient_norms = norms}};
  const Tokenizer& tokenizer = preparation.tokenizer();
  if (!models.reference.empty()) {
    run_models.push_back(
        companion(models.reference, "--reference", "reference-", sets, tokenizer, environment));
  }
  if (!models.baseline.empty()) {
    run_models.push_back(
        companion(models.baseline, "--baseline", "baseline-", sets, tokenizer, environment));
    run_models.back().gradient_norms = norms;
  }
  for (const AuditModel& model : run_models) loader->files(model.model.folder);
  say_power(sets, tracing.clusters);

  const auto display = progress_on(stderr);
  const std::filesystem::path out = tracing.out / "traces";
  TraceRunOptions run_options;
  run_options.run.folder = journal_folder(out);
  run_options.run.display = display.get();
  run_options.model = how;
  TraceRun run(*loader, run_options);
  const std::vector<AuditTraces> traces =
      trace_audit(run, sets, run_models, tokenizer,
                  {.folder = out, .masked_token = preparation.masked_token()});
  remove_journals(out);
  MiaTraces result;
  Fingerprint of_tokenizer;
  const std::filesystem::path tokenizer_folder = find_tokenizer(folder, environment);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    const std::filesystem::path file = tokenizer_folder / name;
    if (std::filesystem::exists(file)) of_tokenizer.add_file(file);
  }
  result.fingerprints.emplace_back("tokenizer, fingerprint", of_tokenizer.hex());
  for (size_t i = 0; i < traces.size(); ++i) {
    SetTraces& place = i == 0                                ? result.model
                       : run_models[i].files == "reference-" ? result.reference
                                                             : result.baseline;
    place = {.forget = traces[i].forget.string(), .holdout = traces[i].holdout.string()};
    const TraceCounts& counts = traces[i].counts;
    result.fingerprints.emplace_back(run_models[i].model.name + ", fingerprint",
                                     counts.model_fingerprint);
    if (counts.resumed > 0) {
      log_info("{}: {} of {} sequences had been run before", run_models[i].model.name,
               counts.resumed, counts.sequences);
    }
  }
  return result;
}

}  // namespace palimpsest::cli
