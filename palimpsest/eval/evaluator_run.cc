#include "palimpsest/eval/internal/evaluator_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/log.h"
#include "palimpsest/eval/internal/attack_family.h"
#include "palimpsest/eval/internal/conclusions.h"
#include "palimpsest/eval/internal/earlier_run.h"
#include "palimpsest/eval/internal/eval_log.h"
#include "palimpsest/eval/internal/fingerprints.h"
#include "palimpsest/eval/internal/mia_metric.h"
#include "palimpsest/eval/internal/result_hash.h"
#include "palimpsest/eval/run_record.h"
#include "palimpsest/run/internal/journal.h"
#include "palimpsest/run/team.h"

namespace palimpsest::eval {
namespace {

class EvaluatorRun {
 public:
  EvaluatorRun(const EvaluatorPlan& plan, const EvaluatorRunContext& context)
      : plan_(plan),
        context_(context),
        references_(context),
        data_(data_fingerprints(context.data)),
        fingerprints_(metric_fingerprints(plan.graph, data_, context, references_)),
        passes_(context.data, context.tokenizer, plan.graph,
                {.run = {.folder = run::journal_folder(plan.output_dir / plan.name),
                         .display = context.context.display,
                         .stop = context.context.stop,
                         .work = context.context.work},
                 .seed = context.seed}) {
    load();
    choose();
  }

  // Every pass that a whole run would make, and nothing of what follows from it.
  void run_shard() {
    if (!left_.empty()) run_passes();
  }

  Evaluation run() {
    if (left_.empty()) {
      log_info("{}: every metric is finished already", plan_.name);
    } else {
      // A run that computes nothing may find that work is missing, and then leaves nothing behind.
      if (computes()) write_record();
      run_passes();
      PALIMPSEST_CHECK(left_.empty());
    }
    describe_metrics();
    write_logs();
    record_.complete = true;
    record_.planned.clear();
    conclude();
    write_record();
    run::remove_journals(plan_.output_dir / plan_.name);
    return outcome();
  }

 private:
  const MetricNode& node(size_t i) const { return plan_.graph.nodes[i]; }
  const std::string& name(size_t i) const { return node(i).setting.name; }

  std::filesystem::path traces_folder() const {
    return plan_.output_dir / fmt::format("{}_TRACES", plan_.name);
  }

  // A trace file as the record names it.
  std::string trace_path(const std::string& file) const {
    return (traces_folder().filename() / file).string();
  }

  void load() {
    notes_ = plan_.notes;
    record_.name = plan_.name;
    record_.versions = context_.context.versions;
    record_.model = context_.settings.name;
    record_.model_fingerprint = context_.model.fingerprint();
    record_.tokenizer_fingerprint = context_.tokenizer_fingerprint;
    record_.seed = context_.seed;
    const WarningCapture capture;
    EarlierRun earlier = load_earlier(plan_, record_, fingerprints_,
                                      has_results() ? EarlierFiles::kKeep : EarlierFiles::kRead);
    record_ = std::move(earlier.record);
    earlier_plan_ = std::move(earlier.planned);
    log_ = std::move(earlier.log);
    notes_.insert(notes_.end(), capture.warnings().begin(), capture.warnings().end());
  }

  bool is_finished(size_t i) const { return log_.contains(name(i)); }

  // The metric and all that it is made of.
  void add_whole(size_t i, std::set<size_t>& into) const {
    if (!into.insert(i).second) return;
    for (const auto& [access_key, other] : node(i).pre_compute) add_whole(other, into);
  }

  // What is left, and what the passes are planned for: all that the interrupted run had planned, so
  // that its journals fit.
  void choose() {
    for (size_t i = 0; i < plan_.graph.nodes.size(); ++i) {
      if (node(i).requested) add_whole(i, left_);
    }
    std::erase_if(left_, [&](size_t i) { return is_finished(i); });
    std::set<size_t> planned = left_;
    std::set<size_t> before;
    for (size_t i = 0; i < plan_.graph.nodes.size(); ++i) {
      const auto found = earlier_plan_.find(name(i));
      if (found != earlier_plan_.end() && found->second == fingerprints_[i]) before.insert(i);
    }
    if (!left_.empty() && before.size() == earlier_plan_.size()) planned.merge(before);
    // The leader's files decide what is left.
    if (team() != nullptr) planned = team()->broadcast_numbers(planned);
    if (context_.context.work.follows()) left_ = planned;
    for (const size_t i : planned) {
      passes_.request(node(i));
      record_.planned[name(i)] = fingerprints_[i];
    }
  }

  run::Team* team() const { return context_.context.work.team; }
  bool has_results() const { return context_.context.work.has_results(); }
  // A run that only puts parts together writes nothing before it has found all of them.
  bool computes() const { return context_.context.work.computes; }

  // A team goes through all passes together, whoever still needs them.
  void run_passes() {
    compute_ready();
    const bool all = team() != nullptr || !has_results();
    if (all || !left_.empty()) passes_.run_traces(context_.model);
    if (has_results()) passes_.write_traces(traces_folder(), context_.settings.name);
    compute_ready();
    if (all || !left_.empty()) passes_.run_generations(context_.model);
    compute_ready();
    if (!all && left_.empty()) return;
    context_.model.unload();
    for (const std::string& reference : passes_.reference_models()) {
      run::LazyModel& model = references_.get(reference);
      passes_.run_traces(model, reference);
      model.unload();
      compute_ready();
    }
  }

  // A pass whose results were all in a journal has loaded no model. If the run that left the
  // journal was killed before it wrote what it knew about the model, the model is loaded for that.
  void note_model() {
    const bool is_known = noted_ || !record_.device.empty();
    if (!context_.model.is_loaded() && (is_known || passes_.records().empty())) return;
    noted_ = true;
    const std::optional<run::ModelFacts>& told = passes_.model_of_parts();
    if (!context_.model.is_loaded() && told) {
      record_.device = told->device;
      record_.dtype = told->dtype;
      record_.num_parameters = told->parameters;
      return;
    }
    const model::ModelInfo& info = context_.model.get().info();
    record_.device = info.device;
    record_.dtype = info.dtype;
    record_.num_parameters = info.num_parameters;
  }

  // Every metric whose needs are met; nodes stand after those they need. The log is written once,
  // with all of them: a run that is killed before finds the pass in its journal and computes them
  // again.
  void compute_ready() {
    if (!has_results()) return;
    note_model();
    const size_t before = left_.size();
    for (const size_t i : std::set(left_)) {
      const bool ready =
          passes_.has(node(i)) && std::ranges::all_of(node(i).pre_compute, [&](const auto& entry) {
            return is_finished(entry.second);
          });
      if (!ready) continue;
      compute(i);
      left_.erase(i);
    }
    // What the last pass made possible is written at the end.
    if (left_.size() == before || left_.empty() || !computes()) return;
    describe_metrics();
    write_logs();
  }

  void compute(size_t i) {
    const auto start = std::chrono::steady_clock::now();
    MetricInput input{.setting = node(i).setting, .threads = context_.settings.options.threads};
    passes_.fill(node(i), input);
    for (const auto& [access_key, other] : node(i).pre_compute) {
      input.pre_compute.emplace_back(access_key, &log_.at(name(other)));
    }
    MetricResult result = node(i).handler->compute(input);
    // Before it is stored: a stored result counts as finished, also when its handler was mended.
    require_keys(result, node(i).handler->name);
    if (node(i).handler->is_attack())
      require_scores(node(i), result, example_keys(node(i), context_.data));
    for (const std::string& note : result.notes) log_warning("{}", note);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    record_.metrics[name(i)] = {.fingerprint = fingerprints_[i],
                                .handler = node(i).handler->name,
                                .requested = node(i).requested,
                                .agg_value = result.agg_value,
                                .examples = result.examples,
                                .seconds = took.count(),
                                .reference = result.reference,
                                .warnings = result.notes,
                                .result_hash = result_hash(result)};
    log_info("{}: {}", name(i),
             result.agg_value ? fmt::format("{:.4g}", *result.agg_value) : "n/a");
    log_[name(i)] = std::move(result);
    computed_.insert(name(i));
  }

  // What the configuration says about each metric; older records lack it.
  void describe_metrics() {
    for (size_t i = 0; i < plan_.graph.nodes.size(); ++i) {
      const auto found = record_.metrics.find(name(i));
      if (found == record_.metrics.end()) continue;
      const Handler& handler = *node(i).handler;
      MetricRecord& metric = found->second;
      metric.requested = node(i).requested;
      metric.source = source_of(i);
      if (handler.is_attack()) metric.parameters = attack_parameters(handler, node(i).setting);
      metric.note = handler.tests_distribution ? kPublishedDefinition : "";
    }
  }

  MetricSource source_of(size_t i) {
    const MetricNode& metric = node(i);
    MetricSource source{.has_generations = metric.needs.generation.has_value(),
                        .reference_logs = metric.reference_files};
    for (const auto& [key, spec] : metric.data) {
      source.data[key] = data_.at(spec.key);
      source.pairing[key] = pairing_of(spec);
      if (!metric.needs.traces) continue;
      const std::string file = passes_.trace_file(metric, spec);
      std::error_code ignored;
      if (std::filesystem::exists(traces_folder() / file, ignored))
        source.traces[key] = trace_path(file);
    }
    source.attack = metric.handler->attack;
    if (metric.handler->averaged != nullptr) {
      source.averaged = metric.handler->averaged(metric.setting);
      const DatasetPlan* spec = plan_.graph.data_of(i);
      if (spec != nullptr) source.cluster_size = spec->clusters.size;
      if (spec != nullptr && metric.data.empty()) source.pairing[kOnlyData] = pairing_of(*spec);
    }
    if (metric.needs.reference_model) {
      source.reference_model = *metric.needs.reference_model;
      source.reference_fingerprint = references_.get(source.reference_model).fingerprint();
    }
    return source;
  }

  // Data sets of the same records have the same; what the configuration says of them is not shown.
  static std::string pairing_of(const DatasetPlan& spec) {
    return Fingerprint().add(spec.source).hex();
  }

  // Also where nothing was left to compute: the settings may be others.
  void conclude() {
    const std::map<std::string, trace::TraceInput> made = passes_.traces_by_file();
    const auto traces = [&](const MetricNode& attack, const DatasetPlan& spec) {
      const std::string file = passes_.trace_file(attack, spec);
      const auto found = made.find(file);
      return found != made.end() ? found->second : trace::TraceInput(traces_folder() / file);
    };
    Conclusions conclusions = draw_conclusions({.plan = plan_,
                                                .data = context_.data,
                                                .log = log_,
                                                .records = record_.metrics,
                                                .model_fingerprint = record_.model_fingerprint,
                                                .seed = context_.seed,
                                                .threads = context_.settings.options.threads,
                                                .traces = traces,
                                                .stop = context_.context.stop});
    store_conclusions(std::move(conclusions), plan_.graph, log_, record_);
    add_warnings(record_.notes);
  }

  // Everything that concerns the numbers and was said in the log alone, each once.
  void add_warnings(std::vector<std::string>& notes) const {
    const auto add = [&](const std::vector<std::string>& more) {
      for (const std::string& note : more) {
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
      }
    };
    add(context_.notes);
    for (const MetricNode& one : plan_.graph.nodes) {
      add(one.notes);
      for (const auto& [key, spec] : one.data) add(context_.data.at(spec.key).notes);
    }
    add(passes_.notes());
    for (const MetricNode& one : plan_.graph.nodes) {
      const auto found = record_.metrics.find(one.setting.name);
      if (found != record_.metrics.end()) add(found->second.warnings);
    }
  }

  // With the passes of this run.
  RunRecord whole_record() const {
    RunRecord record = record_;
    const std::vector<PassRecord>& fresh = passes_.records();
    record.passes.insert(record.passes.end(), fresh.begin(), fresh.end());
    return record;
  }

  void write_record() const { write_run_record(plan_.file("RUN"), whole_record()); }

  // The record first, not yet complete: with the hashes of the results that the log is about to
  // hold it says of every result whether it is this run's, whether the log is the new one or still
  // that of before. So a run that is killed between two files neither takes an older result for its
  // own nor its own for somebody else's.
  void write_logs() {
    write_record();
    write_eval_log(plan_.file("EVAL"), log_);
    write_summary(plan_.file("SUMMARY"), log_, plan_.requested());
  }

  // Nothing can be asked of this object afterwards.
  Evaluation outcome() {
    Evaluation done{.name = plan_.name,
                    .log = plan_.file("EVAL"),
                    .summary = plan_.file("SUMMARY"),
                    .record = plan_.file("RUN")};
    for (const bool requested : {true, false}) {
      for (const MetricNode& one : plan_.graph.nodes) {
        const auto found = log_.find(one.setting.name);
        if (one.requested != requested || found == log_.end()) continue;
        const MetricRecord& record = record_.metrics.at(one.setting.name);
        done.rows.push_back({.name = one.setting.name,
                             .requested = requested,
                             .value = found->second.agg_value,
                             .interval = record.interval,
                             .examples = found->second.examples,
                             .reused = !computed_.contains(one.setting.name),
                             .parameters = record.parameters.value_or(AttackParameters{}),
                             .quality = record.quality,
                             .note = record.note});
      }
    }
    for (const auto& [file, traces] : passes_.traces_by_file()) {
      done.traces[trace_path(file)] = traces;
    }
    done.results = std::move(log_);
    done.run = whole_record();
    done.notes = notes_;
    return done;
  }

  const EvaluatorPlan& plan_;
  const EvaluatorRunContext& context_;
  ReferenceModels references_;
  DataFingerprints data_;
  std::vector<std::string> fingerprints_;
  Passes passes_;
  std::map<std::string, std::string> earlier_plan_;
  EvalLog log_;
  RunRecord record_;
  std::vector<std::string> notes_;  // Evaluation::notes
  std::set<size_t> left_;           // metrics to compute
  std::set<std::string> computed_;
  bool noted_ = false;  // the model, in the record
};

}  // namespace

Evaluation run_evaluator(const EvaluatorPlan& plan, const EvaluatorRunContext& context) {
  return EvaluatorRun(plan, context).run();
}

void run_evaluator_shard(const EvaluatorPlan& plan, const EvaluatorRunContext& context) {
  EvaluatorRun(plan, context).run_shard();
}

}  // namespace palimpsest::eval
