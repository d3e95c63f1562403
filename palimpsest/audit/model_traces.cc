#include "palimpsest/audit/internal/model_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/internal/mia/soundness.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/audit/internal/prepared_sets.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/model/internal/adapter_base.h"
#include "palimpsest/run/internal/vocabulary_check.h"
#include "palimpsest/run/trace_run.h"

namespace palimpsest::audit {
namespace {

using Sets = BothSets<PreparedSet>;

// A model that was found, and what it is to compute.
struct FoundModel {
  ModelRole role = ModelRole::kAudited;
  run::TracedModel model;
  std::vector<model::NormOrder> gradient_norms = {};
};

void require_roles(const std::vector<AuditModel>& models) {
  const auto count = [&](ModelRole role) {
    return std::ranges::count(models, role, &AuditModel::role);
  };
  if (count(ModelRole::kAudited) != 1) {
    throw Error({.what = "an audit has one audited model",
                 .found = std::to_string(count(ModelRole::kAudited))});
  }
  for (const ModelRole role : {ModelRole::kReference, ModelRole::kBaseline}) {
    if (count(role) > 1)
      throw Error(fmt::format("an audit has at most one {} model", role_name(role)));
  }
}

FoundModel found(const AuditModel& model, const model::HubEnvironment& hub, AuditLog& log) {
  const std::filesystem::path folder =
      model.folder.empty() ? model::find_model(model.name, hub) : model.folder;
  log.add_input(folder, shown_name(model.name));
  log.add_folder(model::find_tokenizer(folder, hub));
  return {.role = model.role, .model = {.name = model.name, .folder = folder}};
}

// Those of the audited model and the baseline; none where the loader cannot compute them and the
// attacks that need them may be left out.
std::vector<model::NormOrder> gradient_norms(const TraceRequest& request,
                                             const model::ModelOptions& options,
                                             const model::ModelLoader& loader, AuditLog& log) {
  std::vector<model::NormOrder> orders;
  for (const std::string& key : attack::gradient_norms_of(request.attacks)) {
    const std::optional<model::NormOrder> order = run::find_order(key);
    if (!order) throw Error(fmt::format("there is no gradient norm of order '{}'", key));
    orders.push_back(*order);
  }
  loader.check(options, false);
  if (orders.empty()) return orders;
  try {
    loader.check(options, true);
  } catch (const Error& error) {
    if (!request.only_possible) throw;
    for (const attack::Attack& attack : request.attacks) {
      if (!attack::gradient_norms_of({attack}).empty())
        log.warn(fmt::format("{} is left out: {}", attack.name, error.what()));
    }
    return {};
  }
  return orders;
}

// Sets of which one holds the other are refused before anything is run.
void require_different(const Sets& sets) {
  auto all_stand_in = [](const std::vector<data::Example>& these,
                         const std::vector<data::Example>& those) {
    std::set<std::vector<int64_t>> known;
    for (const data::Example& example : those) known.insert(example.ids);
    return std::ranges::all_of(
        these, [&](const data::Example& example) { return known.contains(example.ids); });
  };
  if (all_stand_in(sets.forget.examples(), sets.holdout.examples()) ||
      all_stand_in(sets.holdout.examples(), sets.forget.examples()))
    attack::refuse_equal_sets();
}

// What the sizes can tell: before hours of computing, not after.
void log_detectable_auc(const Sets& sets, const attack::ClusterChoice& choice, AuditLog& log) {
  const auto source = [&](const PreparedSet& set) {
    return attack::cluster_source(set.examples(), choice.key, set.path().string());
  };
  const attack::ExampleClusters clusters =
      attack::clusters_of(choice, source(sets.forget), source(sets.holdout));
  const std::optional<double> detected = attack::planned_detection(clusters);
  const std::string sentence = attack::detectable_auc_sentence(
      fmt::format("{} forget and {} holdout examples{}", sets.forget.examples().size(),
                  sets.holdout.examples().size(),
                  clusters.is_given()
                      ? fmt::format(" in {} clusters ({})", clusters.count(), clusters.name)
                      : ""),
      detected);
  if (attack::detects_any_auc(detected)) {
    log.info("{}", sentence);
  } else {
    log.warn(sentence);
  }
}

// The models beside the audited one, checked to speak of the same tokens.
std::vector<FoundModel> find_companions(const std::vector<AuditModel>& models, const Sets& sets,
                                        const tokenizer::Tokenizer& tokenizer,
                                        const model::HubEnvironment& hub, AuditLog& log) {
  std::vector<FoundModel> companions;
  for (const AuditModel& model : models) {
    if (model.role == ModelRole::kAudited) continue;
    companions.push_back(found(model, hub, log));
    run::require_same_tokens({run::make_example_list(sets.forget.name(), sets.forget.examples()),
                              run::make_example_list(sets.holdout.name(), sets.holdout.examples())},
                             tokenizer,
                             {companions.back().model.folder,
                              fmt::format("the {} model {}", role_name(model.role), model.name)},
                             hub);
  }
  return companions;
}

// Runs one model after the other over the two sets.
class SetTracer {
 public:
  SetTracer(const Sets& sets, const tokenizer::Tokenizer& tokenizer,
            std::optional<int64_t> masked_token, const AuditModels& models,
            const AuditContext& context)
      : sets_(sets),
        tokenizer_(tokenizer),
        masked_token_(masked_token),
        context_(context),
        run_(*context.loader, run_options(models, context)) {
    const std::optional<run::Shard>& shard = context.work.shard;
    if (!context.traces.empty() && !context.work.follows()) {
      lock_ =
          OutputLock::of_folder(context.traces, "audit()", shard ? shard->part() : std::string());
    }
  }

  run::TraceCounts trace(const FoundModel& model, BothSets<trace::TraceInput>& out) {
    const run::TraceOptions options = {.masked_token = masked_token_,
                                       .gradient_norms = model.gradient_norms};
    std::vector<run::TraceTask> tasks = {
        {.dataset = sets_.forget.name(), .examples = &sets_.forget.examples()},
        {.dataset = sets_.holdout.name(), .examples = &sets_.holdout.examples()}};
    if (context_.traces.empty()) {
      run::TracedInMemory traced = run_.trace_in_memory(model.model, tasks, options, tokenizer_);
      if (!context_.work.has_results()) return traced.counts;
      out.forget = std::make_shared<trace::TraceSet>(std::move(traced.sets[0]));
      out.holdout = std::make_shared<trace::TraceSet>(std::move(traced.sets[1]));
      return traced.counts;
    }
    tasks[0].out = context_.traces / trace_file_name(model.role, "forget");
    tasks[1].out = context_.traces / trace_file_name(model.role, "holdout");
    out = {.forget = tasks[0].out, .holdout = tasks[1].out};
    return run_.trace(model.model, tasks, options, tokenizer_);
  }

 private:
  static run::TraceRunOptions run_options(const AuditModels& models, const AuditContext& context) {
    run::TraceRunOptions options;
    options.run.folder =
        context.traces.empty() ? context.journal : run::journal_folder(context.traces);
    options.run.display = context.display;
    options.run.stop = context.stop;
    options.run.work = context.work;
    options.model = models.model_options;
    return options;
  }

  const Sets& sets_;
  const tokenizer::Tokenizer& tokenizer_;
  std::optional<int64_t> masked_token_;
  const AuditContext& context_;
  std::optional<OutputLock> lock_;
  run::TraceRun run_;
};

}  // namespace

ModelTraces trace_models(const AuditModels& models, const TraceRequest& request,
                         const AuditContext& context, AuditLog& log) {
  require_roles(models.models);
  if (context.loader == nullptr)
    throw Error("an audit of models needs a loader in its context, which runs them");
  model::ModelLoader& loader = *context.loader;
  const AuditModel& audited =
      *std::ranges::find(models.models, ModelRole::kAudited, &AuditModel::role);
  std::vector<FoundModel> run_models = {found(audited, context.hub, log)};
  const std::filesystem::path tokenizer_folder =
      model::find_tokenizer(run_models[0].model.folder, context.hub);
  for (const AuditData* set : {&models.data.forget, &models.data.holdout})
    log.add_input(set->path(), shown_name(set->name));
  const auto [sets, tokenizer] =
      prepare_sets(models, request.options, tokenizer_folder, context, log);
  require_different(sets);
  const std::vector<model::NormOrder> norms =
      gradient_norms(request, models.model_options, loader, log);
  for (FoundModel& companion : find_companions(models.models, sets, tokenizer, context.hub, log))
    run_models.push_back(std::move(companion));
  for (FoundModel& model : run_models) {
    if (model.role != ModelRole::kReference) model.gradient_norms = norms;
    // The weights may lie elsewhere: those of an adapter are its base model's.
    for (const std::filesystem::path& file : loader.files(model.model.folder))
      log.add_folder(file.parent_path());
    log.keep(loader.notes(model.model.folder, models.model_options));
  }
  log_detectable_auc(sets, request.options.clusters, log);

  ModelTraces result;
  result.fingerprints.emplace_back("tokenizer, fingerprint",
                                   model::tokenizer_fingerprint(tokenizer_folder));
  SetTracer tracer(sets, tokenizer,
                   data::masked_token(models.preparation.attention_mask, tokenizer), models,
                   context);
  // Only now: the folder of the traces is locked, so nothing refuses the run any more.
  if (context.before_models) context.before_models();
  std::vector<run::TraceCounts> counts;
  for (const FoundModel& model : run_models)
    counts.push_back(tracer.trace(model, result.traces.of(model.role)));
  for (const run::TraceCounts& one : counts) {
    result.counts.sequences += one.sequences;
    result.counts.resumed += one.resumed;
  }
  if (!context.work.has_results()) return result;
  if (!context.traces.empty()) run::remove_journals(context.traces);
  for (size_t i = 0; i < run_models.size(); ++i) {
    const std::string& name = run_models[i].model.name;
    result.fingerprints.emplace_back(name + ", fingerprint", counts[i].model_fingerprint);
    if (counts[i].resumed > 0) {
      log.info("{}: {} of {} sequences had been run before", name, counts[i].resumed,
               counts[i].sequences);
    }
  }
  return result;
}

}  // namespace palimpsest::audit
