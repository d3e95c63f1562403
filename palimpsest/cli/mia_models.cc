#include "palimpsest/cli/mia_models.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/model/adapter_base.h"
#include "palimpsest/run/audit_traces.h"

namespace palimpsest::cli {
namespace {

std::vector<NormOrder> gradient_norms(const MiaTracing& tracing, const ModelOptions& model,
                                      const ModelLoader& loader) {
  std::vector<NormOrder> orders;
  for (const std::string& key : gradient_norms_of(tracing.attacks, tracing.attack)) {
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
    log_warning("gradnorm is left out: {}", error.what());
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

// What the sizes can tell: before hours of computing, not after.
void say_power(const AuditSets& sets) {
  const auto forget = static_cast<int64_t>(sets.forget.examples.size());
  const auto holdout = static_cast<int64_t>(sets.holdout.examples.size());
  const MiaPower power = mia_power(forget, holdout);
  if (!power.smallest_auc) {
    log_warning(
        "{} forget and {} holdout examples can tell no AUC from 0.5; about {} of each are "
        "needed for {}",
        forget, holdout, power.examples_for_example_auc, power.example_auc);
    return;
  }
  log_info(
      "{} forget and {} holdout examples tell an AUC of {:.3f} or more from 0.5 (power {:g}); "
      "{} needs {} of each",
      forget, holdout, *power.smallest_auc, power.power, power.example_auc,
      power.examples_for_example_auc);
}

// A model beside the audited one: found, and checked to speak of the same tokens.
AuditModel companion(const std::string& name, const std::string& option, const std::string& files,
                     const AuditSets& sets, const Tokenizer& tokenizer,
                     const HubEnvironment& environment) {
  const std::filesystem::path folder = find_model(name, environment);
  const std::filesystem::path other = find_tokenizer(folder, environment);
  if (std::filesystem::exists(other / "tokenizer.json")) {
    require_same_tokens(sets, tokenizer, Tokenizer::load(other),
                        fmt::format("{} {}", option, name));
  }
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
  say_power(sets);

  const auto display = progress_on(stderr);
  TraceRun run(*loader,
               {.folder = tracing.out / "journal", .model = how, .display = display.get()});
  const std::vector<AuditTraces> traces =
      trace_audit(run, sets, run_models, tokenizer,
                  {.folder = tracing.out / "traces", .masked_token = preparation.masked_token()});
  MiaTraces result;
  for (size_t i = 0; i < traces.size(); ++i) {
    SetTraces& place = i == 0                                ? result.model
                       : run_models[i].files == "reference-" ? result.reference
                                                             : result.baseline;
    place = {.forget = traces[i].forget.string(), .holdout = traces[i].holdout.string()};
    const TraceCounts& counts = traces[i].counts;
    if (counts.resumed > 0) {
      log_info("{}: {} of {} sequences had been run before", run_models[i].model.name,
               counts.resumed, counts.sequences);
    }
  }
  return result;
}

}  // namespace palimpsest::cli
