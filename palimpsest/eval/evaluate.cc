#include "palimpsest/eval/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "palimpsest/attack/internal/mia/plain_answer.h"
#include "palimpsest/attack/scored_attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/base/log.h"
#include "palimpsest/eval/internal/data_clusters.h"
#include "palimpsest/eval/internal/evaluator.h"
#include "palimpsest/eval/internal/evaluator_run.h"
#include "palimpsest/eval/internal/mia_metric.h"
#include "palimpsest/eval/internal/model_settings.h"
#include "palimpsest/eval/internal/passes.h"
#include "palimpsest/model/internal/adapter_base.h"
#include "palimpsest/run/internal/vocabulary_check.h"

namespace palimpsest::eval {
namespace {

// That a folder cannot be written is found now rather than after an hour.
std::vector<OutputLock> lock_folders(const std::vector<EvaluatorPlan>& plans,
                                     const EvaluationContext& context) {
  const std::optional<run::Shard>& shard = context.work.shard;
  const std::string part = shard ? shard->part() : std::string();
  std::vector<OutputLock> locks;
  if (context.work.follows()) return locks;
  // Evaluators may share a folder.
  std::map<std::filesystem::path, const EvaluatorPlan*> folders;
  for (const EvaluatorPlan& plan : plans)
    folders.try_emplace(real_output_path(plan.output_dir), &plan);
  for (const auto& [path, plan] : folders)
    locks.push_back(OutputLock::of_folder(plan->output_dir, context.command, part));
  return locks;
}

bool needs_gradients(const std::vector<EvaluatorPlan>& plans) {
  return std::ranges::any_of(plans, [](const EvaluatorPlan& plan) {
    return std::ranges::any_of(plan.graph.nodes, [](const MetricNode& node) {
      return !node.needs.gradient_norms.empty();
    });
  });
}

// Said before hours of computing, not after.
void require_whole_models(const std::vector<EvaluatorPlan>& plans) {
  for (const EvaluatorPlan& plan : plans) {
    for (const MetricNode& node : plan.graph.nodes) {
      if (!node.needs.generation) continue;
      throw Error(
          {.what = fmt::format("the metric {} needs generated texts, for which every process "
                               "has to hold a whole model",
                               node.setting.name),
           .hint = "leave out --split-layers, or this metric; --weights streamed runs models "
                   "that do not fit into memory"});
    }
  }
}

// All data sets of all metrics, each prepared once.
DataStore prepare_all(const std::vector<EvaluatorPlan>& plans, const DataContext& context) {
  DataStore store;
  for (const EvaluatorPlan& plan : plans) {
    for (const MetricNode& node : plan.graph.nodes) {
      for (const auto& [access_key, spec] : node.data) {
        if (store.contains(spec.key)) continue;
        try {
          store[spec.key] = prepare(spec, context);
        } catch (const Error& error) {
          throw error.located(fmt::format("data set {} of {}", spec.name, node.setting.name));
        }
        for (const std::string& note : store[spec.key].notes) log_warning("{}", note);
      }
    }
  }
  return store;
}

// A prompt that cannot be continued is found before the model is loaded.
void check_prompts(const std::vector<EvaluatorPlan>& plans, const DataStore& store) {
  for (const EvaluatorPlan& plan : plans) {
    for (const MetricNode& node : plan.graph.nodes) {
      if (!node.needs.generation) continue;
      for (const auto& [access_key, spec] : node.data) {
        for (const data::Example& example : store.at(spec.key).examples) {
          const auto& prompt = spec.predict_with_generate ? example.prompt_ids : example.ids;
          if (!prompt.empty()) continue;
          throw Error(
              {.what = "the prompt has no tokens, so nothing can be generated from it",
               .where = fmt::format("{}, example {}", store.at(spec.key).title, example.index),
               .hint = "check prefix_key"});
        }
      }
    }
  }
}

// Reference models are found, and read the same tokens, before the model is loaded.
void check_references(const std::vector<EvaluatorPlan>& plans, const DataStore& store,
                      const tokenizer::Tokenizer& tokenizer, const model::HubEnvironment& hub) {
  for (const EvaluatorPlan& plan : plans) {
    for (const MetricNode& node : plan.graph.nodes) {
      if (!node.needs.reference_model) continue;
      std::filesystem::path folder;
      try {
        folder = model::find_model(*node.needs.reference_model, hub);
      } catch (const Error& error) {
        throw error.located(node.setting.parameters.find("reference_model_path") != nullptr
                                ? node.setting.parameters.at("reference_model_path").where()
                                : node.setting.where);
      }
      std::vector<run::ExampleList> lists;
      for (const auto& [access_key, spec] : node.data) {
        lists.push_back(run::make_example_list(spec.name, store.at(spec.key).examples));
      }
      run::require_same_tokens(lists, tokenizer, {folder, folder.string()}, hub);
    }
  }
}

// What readers of the results must know of the files of the model and of its references.
std::vector<std::string> notes_on_models(const std::vector<EvaluatorPlan>& plans,
                                         const std::filesystem::path& model,
                                         const model::ModelOptions& options,
                                         const EvaluationContext& context) {
  std::vector<std::string> notes = context.loader.notes(model, options);
  std::set<std::string> references;
  for (const EvaluatorPlan& plan : plans) {
    for (const MetricNode& node : plan.graph.nodes) {
      const std::optional<std::string>& name = node.needs.reference_model;
      if (!name || !references.insert(*name).second) continue;
      for (std::string& note : context.loader.notes(model::find_model(*name, context.hub), options))
        notes.push_back(std::move(note));
    }
  }
  return notes;
}

// The tokenizer, with its warnings among the notes.
tokenizer::Tokenizer load_tokenizer(const std::filesystem::path& folder,
                                    std::vector<std::string>& notes) {
  const WarningCapture capture;
  tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(folder);
  notes.insert(notes.end(), capture.warnings().begin(), capture.warnings().end());
  return tokenizer;
}

// Checks everything before the first model is loaded, then runs the evaluators. A shard has no
// results.
std::vector<Evaluation> run_evaluators(const EvaluationSpec& spec,
                                       const EvaluationContext& context) {
  const GraphTables tables{context.handlers, context.datasets};
  const std::vector<EvaluatorPlan> plans = plan_evaluators(spec.evaluators, tables);
  const ModelSettings& settings = spec.model;
  ModelFolders folders = find_folders(settings, context.hub);
  context.loader.check(settings.options, needs_gradients(plans));
  if (context.work.splits_layers()) require_whole_models(plans);
  const tokenizer::Tokenizer tokenizer = load_tokenizer(folders.tokenizer, folders.notes);
  const DataLocations locations{.data_dir = spec.data_dir, .hub = context.hub};
  const DataStore store =
      prepare_all(plans, {.locations = locations,
                          .tokenizer = tokenizer,
                          .tokenizer_folder = folders.tokenizer,
                          .prompt = settings.prompt ? &*settings.prompt : nullptr,
                          .now = context.now,
                          .threads = settings.options.threads});
  check_prompts(plans, store);
  for (const EvaluatorPlan& plan : plans) DataClusters(plan.graph, store);
  check_references(plans, store, tokenizer, context.hub);
  for (std::string& note : notes_on_models(plans, folders.model, settings.options, context))
    folders.notes.push_back(std::move(note));
  const std::vector<OutputLock> locks = lock_folders(plans, context);
  if (context.before_models) context.before_models();

  run::LazyModel lazy(context.loader, settings.name, folders.model, settings.options);
  const EvaluatorRunContext run{
      .model = lazy,
      .settings = settings,
      .tokenizer = tokenizer,
      .tokenizer_fingerprint = model::tokenizer_fingerprint(folders.tokenizer),
      .data = store,
      .seed = spec.seed,
      .context = context,
      .notes = folders.notes};
  std::vector<Evaluation> done;
  for (const EvaluatorPlan& plan : plans) {
    if (context.work.has_results()) {
      done.push_back(run_evaluator(plan, run));
    } else {
      run_evaluator_shard(plan, run);
    }
  }
  if (context.work.has_results() && context.on_finished) context.on_finished(done);
  return done;
}

}  // namespace

std::vector<Evaluation> evaluate(const EvaluationSpec& spec, const EvaluationContext& context) {
  PALIMPSEST_CHECK(context.work.has_results());
  return run_evaluators(spec, context);
}

void evaluate_shard(const EvaluationSpec& spec, const EvaluationContext& context) {
  PALIMPSEST_CHECK(!context.work.has_results());
  run_evaluators(spec, context);
}

std::string results_table(const Evaluation& evaluation) {
  Table table({"metric", "value", "95% interval", "examples"});
  const auto add = [&](const std::string& name, const Number& value,
                       const std::optional<stat::Interval>& interval, int64_t examples) {
    table.add_row({name, value ? format_number(*value) : "n/a",
                   interval ? format_interval(interval->low, interval->high) : "",
                   examples > 0 ? std::to_string(examples) : ""});
  };
  for (const MetricRow& row : evaluation.rows) {
    const std::string indent = row.requested ? "" : "  ";
    std::string name = indent + attack::with_parameters(row.name, row.parameters);
    if (!row.note.empty()) name += " (published definition)";
    add(name, row.value, row.interval, row.examples);
    if (!row.quality) continue;
    add(indent + "  KS distance", row.quality->ks_distance, std::nullopt, 0);
    add(indent + "  mean difference", row.quality->mean_difference, row.quality->interval,
        row.quality->examples);
  }
  return table.to_string();
}

std::string conclusions_text(const Evaluation& evaluation, size_t width) {
  std::string text;
  if (evaluation.run.retrained) {
    Table table({"mean distance from the other models", "this model", "retrained ones", "p"});
    for (const RetrainedComparison& one : evaluation.run.retrained->comparisons) {
      std::vector<std::string> others;
      for (const double distance : one.retrained) others.push_back(format_number(distance));
      table.add_row({one.metric, format_number(one.model),
                     fmt::format("{}", fmt::join(others, ", ")), format_number(one.p_value)});
    }
    text += table.to_string() + wrapped(evaluation.run.retrained->sentence(), width, 0) + "\n";
  }
  if (evaluation.run.answer) text += attack::answer_to_text(*evaluation.run.answer, width);
  text += attack::flags_to_text(evaluation.run.flags, width);
  for (const std::string& note : evaluation.run.notes) text += wrapped("Note: " + note, width, 2);
  return without_controls(text);  // a note may quote a file
}

}  // namespace palimpsest::eval
