#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/internal/read_results.h"
#include "palimpsest/report/internal/audit_parts.h"
#include "palimpsest/report/internal/cluster_lookup.h"
#include "palimpsest/report/internal/guesses.h"
#include "palimpsest/report/internal/json_members.h"
#include "palimpsest/report/internal/logged_metric.h"
#include "palimpsest/report/internal/repeated_metrics.h"
#include "palimpsest/report/internal/run_intervals.h"
#include "palimpsest/report/internal/run_record.h"
#include "palimpsest/report/internal/written_results.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {
namespace {

// The last part of the path. open-unlearning evaluates a model that it has just trained into a
// folder `evals` within the folder of the task. The name of the task then says more.
std::string name_of_folder(const std::filesystem::path& folder) {
  const bool is_part = folder.filename() == "evals" && folder.parent_path().has_filename();
  return (is_part ? folder.parent_path() : folder).filename().string();
}

class RunReader {
 public:
  // `evaluations` wrote into the folder; what they hold is not read again.
  RunReader(std::filesystem::path folder, const RunReadOptions& options,
            std::vector<const eval::Evaluation*> evaluations = {})
      : evaluations_(std::move(evaluations)), options_(options) {
    run_.folder = std::move(folder);
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(run_.folder, failed);
    run_.name = name_of_folder(failed ? run_.folder : whole);
  }

  RunResults read() {
    const std::set<std::string> files = results_files();
    // Evaluations in memory have just replaced what provenance.json knows.
    if (evaluations_.empty()) {
      written_ = WrittenResults(run_.folder);
      written_.require_present(files);
      for (const std::string& file : written_.without_hash(files))
        run_.notes.push_back("provenance.json does not list " + file +
                             ": another run wrote it, or it was added by hand");
    }
    bool any = false;
    bool any_log = false;
    // Full logs first: summaries only add what no log has.
    for (const char* kind : {"mia.json", "_EVAL.json", "_SUMMARY.json"}) {
      for (const std::string& file : files) {
        if (!file.ends_with(kind) || (kind[0] == 'm' && file != kind)) continue;
        any = true;
        any_log = any_log || kind[0] == '_';
        add_file(file, kind);
      }
    }
    if (any && !any_log) run_.audit = run_.folder / "mia.json";
    finish();
    if (files.contains("scores.csv")) {
      any = true;
      written_.require("scores.csv");
      run_.scores = run_.folder / "scores.csv";
    }
    if (any) return std::move(run_);
    throw Error({.what = "the folder holds no results",
                 .where = run_.folder.string(),
                 .expected = "mia.json, scores.csv, NAME_EVAL.json or NAME_SUMMARY.json",
                 .hint = "give the folder that `palimpsest mia --out` or an evaluation wrote"});
  }

  // An audit that is in memory, instead of a folder.
  RunResults take_audit(const attack::MiaReport& audit, const std::string& name) {
    run_.name = name;
    add_audit(audit);
    finish();
    return std::move(run_);
  }

 private:
  void finish() {
    add_composites();
    find_flags();
    for (std::string& note : repeated_.notes()) run_.notes.push_back(std::move(note));
    std::ranges::stable_sort(run_.metrics, {}, [&](const RunMetric& metric) {
      return metric.is_auc() ? 0 : summarized_.contains(metric.name) ? 1 : 2;
    });
  }

  // Each finding once, in the words of the first file that has it.
  void add_flags(const std::vector<attack::RedFlag>& flags) {
    for (const attack::RedFlag& flag : flags) {
      if (std::ranges::find(run_.flags, flag.code, &attack::RedFlag::code) == run_.flags.end())
        run_.flags.push_back(flag);
    }
  }

  // Those that no file has: a log of another program says none, and some follow from two files.
  void find_flags() {
    attack::RedFlagFacts facts{.separating_texts = run_.separating_texts};
    if (run_.answer) facts.verdict = run_.answer->verdict;
    if (const RunMetric* attack = leading_attack(run_)) facts.auc = attack->value;
    attack::set_accuracies(
        [&](const std::string& name) {
          const RunMetric* metric = find(name);
          return metric == nullptr ? nullptr : &metric->value;
        },
        facts);
    add_flags(attack::red_flags(facts));
    std::ranges::stable_sort(run_.flags, {}, &attack::RedFlag::is_caution);
  }

  // Those that are there, and those that the evaluations stand for.
  std::set<std::string> results_files() const {
    std::set<std::string> files;
    std::error_code ignored;
    if (evaluations_.empty() || std::filesystem::is_directory(run_.folder, ignored))
      files = files_in_folder(run_.folder);
    for (const eval::Evaluation* evaluation : evaluations_) {
      files.insert(evaluation->log.filename().string());
      files.insert(evaluation->summary.filename().string());
    }
    return files;
  }

  const eval::Evaluation* evaluation_of(const std::string& file) const {
    for (const eval::Evaluation* evaluation : evaluations_) {
      if (file == evaluation->log.filename() || file == evaluation->summary.filename())
        return evaluation;
    }
    return nullptr;
  }

  Json read_log(const std::string& file) const {
    const std::string where = (run_.folder / file).string();
    const std::string text = read_file(where);
    written_.require(file, text);
    Json document = parse_json(text, where);
    if (document.is_object()) return document;
    throw Error({.what = "this is not a log of results",
                 .where = where,
                 .expected = "an object with one entry per metric",
                 .found = describe(document)});
  }

  void add_file(const std::string& file, const std::string& kind) {
    const bool is_log = kind == "_EVAL.json";
    const std::string name = file.substr(0, file.size() - kind.size());  // of the evaluator
    repeated_.begin_file(file, name);
    if (const eval::Evaluation* evaluation = evaluation_of(file))
      return is_log ? add_evaluation(*evaluation) : add_summary(*evaluation);
    const Json document = read_log(file);
    if (kind == "mia.json") return add_audit(document, (run_.folder / file).string());
    if (is_log) return add_evaluation(document, name);
    for (const auto& [metric, entry] : document.items()) {
      if (const auto value = number_from_json(entry)) add_summarized(metric, *value);
    }
  }

  void add_summarized(const std::string& name, double value) {
    summarized_.insert(name);
    add({.name = name, .value = value});
  }

  void add_summary(const eval::Evaluation& evaluation) {
    for (const eval::MetricRow& row : evaluation.rows) {
      if (row.requested && defined(row.value)) add_summarized(row.name, *row.value);
    }
  }

  void add_audit(const Json& document, const std::string& where) {
    RunRecordFile record;
    attack::MiaRecord made;  // version 1 has none
    int64_t version = 1;
    if (const Json* audit = find_member(document, "audit")) {
      if (const Json* stated = find_member(*audit, "palimpsest_mia"))
        version = require_version(*stated, attack::kMiaFileVersion, "mia.json", where);
      run_.separating_texts = separating_texts(*audit);
      if (const std::string name = member_text(*audit, "model_name"); !name.empty())
        run_.name = name;
      record = audit_record(*audit, where);
      made = member_texts(*audit, "record");
    }
    take(record);
    for (const auto& [name, entry] : document.items()) {
      if (name == "audit" || !entry.is_object()) continue;
      const eval::MetricResult result = audit_result(entry, name, where);
      RunMetric metric = run_metric(std::string(kAttackPrefix) + name, result, record);
      metric.parameters = member_parameters(entry);
      metric.attack = find_attack(attack::row_named_in(name));
      // Intervals of version 0.1 know no clusters.
      if (version >= 2 && !has_users_clusters(record) &&
          member_number(entry, "confidence") == options_.confidence)
        metric.interval = member_interval(entry, "auc_ci");
      add(std::move(metric));
    }
    if (version >= 2) add_traces(made);
  }

  // To the metrics of the audit, which are the first that are read.
  void add_traces(const attack::MiaRecord& made) {
    RecordedTraces found = recorded_traces(made, run_.folder, written_, run_.metrics);
    for (RunMetric& metric : run_.metrics) metric.traces = found.traces;
    run_.unfit_traces = std::move(found.unfit);
  }

  void add_audit(const attack::MiaReport& audit) {
    run_.separating_texts = attack::separating_texts(audit.blind, audit.answer.margin);
    RunRecordFile record = audit_record(audit);
    take(record);
    for (const attack::AttackOutcome& outcome : audit.outcomes) {
      RunMetric metric{.name = std::string(kAttackPrefix) + outcome.name,
                       .value = outcome.auc,
                       .attack = find_attack(outcome.attack),
                       .traces = trace::BothSets<trace::TraceInput>()};
      take_scores(outcome, record, metric);
      metric.parameters = parameter_texts(outcome.parameters);
      if (!has_users_clusters(record) && audit.confidence == options_.confidence)
        metric.interval = outcome.auc_ci;
      add(std::move(metric));
    }
  }

  void add_evaluation(const Json& document, const std::string& name) {
    const std::string file = name + "_RUN.json";
    written_.require(file);
    RunRecordFile record = read_run_record(run_.folder / file);
    take(record);
    const std::filesystem::path log = run_.folder / (name + "_EVAL.json");
    for (const auto& [metric, entry] : document.items()) {
      // Another program may add what is no metric.
      if (!entry.is_object() && record.find(metric) == nullptr) continue;
      const eval::MetricResult result = eval::result_from_json(entry, log.string() + ": " + metric);
      record.require_unchanged(metric, result, log);
      if (entry.contains("agg_value")) add_recorded(run_metric(metric, result, record), record, {});
    }
    add_record(record);
  }

  void add_evaluation(const eval::Evaluation& evaluation) {
    RunRecordFile record = record_of(evaluation.run);
    take(record);
    for (const auto& [metric, result] : evaluation.results)
      add_recorded(run_metric(metric, result, record), record, evaluation.traces);
    add_record(record);
  }

  // A metric with what the record says of it.
  void add_recorded(RunMetric metric, const RunRecordFile& record,
                    const std::map<std::string, trace::TraceInput>& traces) {
    const eval::MetricRecord* recorded = record.find(metric.name);
    if (recorded != nullptr && recorded->parameters)
      metric.parameters = parameter_texts(*recorded->parameters);
    recorded = record.find_stated(metric.name);
    if (recorded == nullptr) return add(std::move(metric));
    metric.attack = find_attack(recorded->source.attack);
    metric.data = recorded->source.data;
    if (find(metric.name) != nullptr) return add(std::move(metric));
    metric.traces = source_traces(recorded->source, run_.folder, traces);
    stated_.insert(metric.name);
    if (!has_users_clusters(record) && metric.value == defined(recorded->agg_value)) {
      const bool is_composite = !metric.is_auc() && metric.by_index.empty();
      if (metric.scored) metric.scored->auc_ci_simultaneous = recorded->auc_ci_simultaneous;
      if (is_level_of_records()) {
        metric.interval = recorded->interval;
      } else if (recorded->spread && metric.value) {
        metric.interval = spread_interval(*metric.value, *recorded->spread, options_.confidence);
      }
      // At other levels means and AUCs are computed from their examples.
      if (record.is_settled() && (is_level_of_records() || is_composite))
        settled_.insert(metric.name);
    }
    add(std::move(metric));
  }

  void add_record(const RunRecordFile& record) {
    for (RunMetric& effect : record.effects()) {
      if (!is_level_of_records()) effect.interval.reset();
      add(std::move(effect));
    }
    if (record.run.retrained) run_.notes.push_back(record.run.retrained->sentence());
  }

  bool is_level_of_records() const { return options_.confidence == 0.95; }

  // Whether the user says more about clusters than the file does, so that its intervals do not
  // count.
  bool has_users_clusters(const RunRecordFile& record) const {
    return !record.has_own_clusters && options_.clusters.size > 0;
  }

  std::shared_ptr<const attack::Attack> find_attack(std::string_view name) const {
    const auto found = std::ranges::find(options_.attacks, name, &attack::Attack::name);
    if (found == options_.attacks.end()) return nullptr;
    return std::make_shared<const attack::Attack>(*found);
  }

  void take(const std::optional<attack::Answer>& answer) {
    if (!answer) return;
    if (run_.answer && run_.answer->sentence != answer->sentence) repeated_.leave_out("the answer");
    if (run_.answer) return;
    run_.answer = answer;
    repeated_.take("the answer");
  }

  // What files without clusters lack, the user may have said.
  void take(RunRecordFile& record) {
    record.has_own_clusters = record.clusters.is_given();
    if (!record.has_own_clusters) record.clusters = ClusterLookup(options_.clusters.size);
    if (run_.cluster_name.empty()) run_.cluster_name = record.clusters.name();
    take(record.run.answer);
    add_flags(record.run.flags);
  }

  const RunMetric* find(const std::string& name) const {
    const auto found = std::ranges::find(run_.metrics, name, &RunMetric::name);
    return found == run_.metrics.end() ? nullptr : &*found;
  }

  void add(RunMetric metric) {
    if (const RunMetric* known = find(metric.name)) {
      const bool has_other_data =
          !known->data.empty() && !metric.data.empty() && known->data != metric.data;
      if (known->value != metric.value || has_other_data) repeated_.leave_out(metric.name);
      return;
    }
    repeated_.take(metric.name);
    if (metric.attack == nullptr && !stated_.contains(metric.name))
      metric.attack = find_attack(guess_attack(metric.name));
    if (!metric.interval && !settled_.contains(metric.name))
      metric.interval = metric_interval(metric, options_.confidence);
    run_.metrics.push_back(std::move(metric));
  }

  // Of those whose interval no record says, or says for other clusters than the user's.
  void add_composites() {
    for (RunMetric& metric : run_.metrics) {
      if (!metric.interval && !settled_.contains(metric.name))
        metric.interval = guess_composite_interval(metric, run_.metrics, options_.confidence);
    }
  }

  std::vector<const eval::Evaluation*> evaluations_;
  WrittenResults written_;
  RunResults run_;
  RepeatedMetrics repeated_;
  std::set<std::string> summarized_;  // what a summary holds was asked for
  std::set<std::string> stated_;      // of which a record says what they are computed from
  std::set<std::string> settled_;     // whose interval, or that there is none, a record says
  RunReadOptions options_;
};

void require_valid(const RunReadOptions& options) {
  stat::require_confidence(options.confidence);
  attack::require_valid(options.clusters);
  if (!options.clusters.key.empty())
    throw Error("a log holds no data to look a cluster key up in: give a cluster size");
}

}  // namespace

RunResults read_run(const std::filesystem::path& folder, const RunReadOptions& options) {
  require_valid(options);
  return RunReader(folder, options).read();
}

RunResults run_of(const std::vector<const eval::Evaluation*>& evaluations,
                  const RunReadOptions& options) {
  require_valid(options);
  PALIMPSEST_CHECK(!evaluations.empty());
  return RunReader(evaluations.front()->log.parent_path(), options, evaluations).read();
}

RunResults run_of(const attack::MiaReport& audit, const std::string& name,
                  const RunReadOptions& options) {
  require_valid(options);
  return RunReader("", options).take_audit(audit, name);
}

}  // namespace palimpsest::report
