#include "palimpsest/report/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/leading_attack.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/report/internal/guesses.h"
#include "palimpsest/report/internal/json_members.h"
#include "palimpsest/report/internal/logged_values.h"
#include "palimpsest/report/internal/run_clusters.h"
#include "palimpsest/report/internal/run_record.h"
#include "palimpsest/report/page/mia_examples.h"
#include "palimpsest/report/run_intervals.h"

namespace palimpsest {
namespace {

constexpr std::string_view kAttackPrefix = "mia_";

// The scores of one of an attack's sets, with their clusters.
ValueByExample set_scores(const Json& entry, const char* set, const RunClusters& clusters,
                          ClusterByExample& of_examples) {
  const Json* found = find_member(entry, set);
  const Json* by_index = found == nullptr ? nullptr : value_by_index(*found);
  if (by_index == nullptr) return {};
  of_examples = clusters.of(set, example_keys(*by_index));
  return logged_field(*by_index, "score");
}

// {"feature": "was born", "side": "forget"} as "'was born' (forget)".
std::string telling_words(const Json& entry) {
  if (entry.is_string()) return fmt::format("'{}'", entry.get<std::string>());
  const std::string side = member_text(entry, "side");
  return fmt::format("'{}'{}", member_text(entry, "feature"),
                     side.empty() ? "" : fmt::format(" ({})", side));
}

// What mia.json says of the texts. Older files had an interval in place of a p-value.
std::optional<SeparatingTexts> separating_texts(const Json& audit) {
  const Json* blind = find_member(audit, "blind_baseline");
  if (blind == nullptr) return std::nullopt;
  const Json* separates = find_member(*blind, "separates");
  const std::optional<double> auc = member_number(*blind, "auc");
  if (separates == nullptr || *separates != true || !auc) return std::nullopt;
  SeparatingTexts texts{.auc = *auc,
                        .p_value = member_number(*blind, "p_value"),
                        .null_range = member_interval(*blind, "null_range")};
  const Json* telling = find_member(*blind, "telling");
  if (telling != nullptr && telling->is_array()) {
    for (const Json& word : *telling) texts.telling.push_back(telling_words(word));
  }
  return texts;
}

std::optional<std::string> logged_text(const Json& entry, const char* key) {
  const Json* found = find_member(entry, key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return shortened(found->get<std::string>(), kMostLoggedText);
}

std::map<std::string, GeneratedExample> logged_generations(const Json& by_index) {
  std::map<std::string, GeneratedExample> texts;
  for (const auto& [key, entry] : by_index.items()) {
    if (auto generation = logged_text(entry, "generation")) {
      texts[key] = {std::move(*generation), logged_text(entry, "input"),
                    logged_text(entry, "ground_truth")};
    }
  }
  return texts;
}

// What a file says of all its metrics.
struct FileContext {
  RunRecordFile record;
  bool has_own_clusters = false;  // of the attacks' sets: the file's, not the user's

  ClusterByExample clusters_of(const RunMetric& metric,
                               const std::vector<std::string>& keys) const {
    const RecordedMetric* recorded = record.find(metric.name);
    if (metric.data_set.empty() || recorded == nullptr)
      return record.clusters.of(guess_data_set(metric.name), keys);
    const bool is_attacked = metric.data_set == "forget" || metric.data_set == "holdout";
    if (is_attacked && has_own_clusters) return record.clusters.of(metric.data_set, keys);
    if (recorded->cluster_size > 0)
      return RunClusters(recorded->cluster_size).of(metric.data_set, keys);
    if (has_own_clusters) return {};
    return record.clusters.of(guess_data_set(metric.name), keys);
  }
};

RunMetric read_metric(const std::string& name, const Json& entry, const FileContext& context) {
  RunMetric metric{.name = name, .value = member_number(entry, "agg_value")};
  metric.parameters = member_parameters(entry);
  metric.simultaneous = member_interval(entry, "auc_ci_simultaneous");
  const RunClusters& clusters = context.record.clusters;
  metric.forget = set_scores(entry, "forget", clusters, metric.forget_clusters);
  metric.holdout = set_scores(entry, "holdout", clusters, metric.holdout_clusters);
  if (metric.is_auc()) return metric;
  const Json* by_index = value_by_index(entry);
  if (by_index == nullptr || !metric.value) return metric;
  const RecordedMetric* recorded = context.record.find(name);
  if (context.record.version < 2 || recorded == nullptr) {
    metric.by_index = guess_averaged_values(*by_index, *metric.value);
  } else {
    metric.data_set = context.record.data_set(*recorded);
    if (!recorded->field.empty())
      metric.by_index = logged_field(*by_index, recorded->field, recorded->form);
  }
  metric.clusters = context.clusters_of(metric, example_keys(*by_index));
  metric.generations = logged_generations(*by_index);
  return metric;
}

// "mia_min_k" and, as an audit names it, "mia_min_k:k=0.3" come from the attack min_k.
std::shared_ptr<const Attack> attack_of_metric(std::string_view name, const AttackTable& table) {
  if (!name.starts_with(kAttackPrefix)) return nullptr;
  name.remove_prefix(kAttackPrefix.size());
  const auto found = std::ranges::find(table, name.substr(0, name.find(':')), &Attack::name);
  return found == table.end() ? nullptr : std::make_shared<const Attack>(*found);
}

class RunReader {
 public:
  RunReader(std::filesystem::path folder, const RunReadOptions& options) : options_(options) {
    run_.folder = std::move(folder);
    run_.name = std::filesystem::weakly_canonical(run_.folder).filename().string();
  }

  RunResults read() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(run_.folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
    }
    std::sort(files.begin(), files.end());
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
    add_composites();
    std::ranges::stable_sort(run_.metrics, {}, [&](const RunMetric& metric) {
      return metric.is_auc() ? 0 : summarized_.contains(metric.name) ? 1 : 2;
    });
    if (std::find(files.begin(), files.end(), "scores.csv") != files.end()) {
      any = true;
      run_.scores = run_.folder / "scores.csv";
    }
    if (any) return std::move(run_);
    throw Error({.what = "the folder holds no results",
                 .where = run_.folder.string(),
                 .expected = "mia.json, scores.csv, NAME_EVAL.json or NAME_SUMMARY.json",
                 .hint = "give the folder that `palimpsest mia --out` or an evaluation wrote"});
  }

 private:
  Json read_log(const std::string& file) const {
    const std::string where = (run_.folder / file).string();
    Json document = parse_json(read_file(where), where);
    if (document.is_object()) return document;
    throw Error({.what = "this is not a log of results",
                 .where = where,
                 .expected = "an object with one entry per metric",
                 .found = describe(document)});
  }

  void add_file(const std::string& file, const std::string& kind) {
    const Json document = read_log(file);
    if (kind == "mia.json") {
      add_audit(document, (run_.folder / file).string());
    } else if (kind == "_EVAL.json") {
      add_evaluation(document, file.substr(0, file.size() - kind.size()));
    } else {
      for (const auto& [name, entry] : document.items()) {
        const auto value = number_from_json(entry);
        if (!value) continue;
        summarized_.insert(name);
        add({.name = name, .value = *value});
      }
    }
  }

  void add_audit(const Json& document, const std::string& where) {
    FileContext context;
    int64_t version = 1;
    if (const Json* audit = find_member(document, "audit")) {
      if (const Json* stated = find_member(*audit, "palimpsest_mia"))
        version = require_version(*stated, kMiaFileVersion, "mia.json", where);
      run_.separating_texts = separating_texts(*audit);
      context.record.answer = member_answer(*audit, where);
      if (const Json* clusters = find_member(*audit, "clusters"))
        context.record.clusters = RunClusters(*clusters, where);
    }
    take(context);
    for (const auto& [name, entry] : document.items()) {
      if (name == "audit" || !entry.is_object()) continue;
      RunMetric metric = read_metric(std::string(kAttackPrefix) + name, entry, context);
      // Intervals of version 0.1 know no clusters.
      if (version >= 2 && !has_users_clusters(context) &&
          member_number(entry, "confidence") == options_.confidence)
        metric.interval = member_interval(entry, "auc_ci");
      add(std::move(metric));
    }
  }

  void add_evaluation(const Json& document, const std::string& name) {
    FileContext context{.record = read_run_record(run_.folder / (name + "_RUN.json"))};
    take(context);
    const bool is_level_of_record = options_.confidence == 0.95;
    const bool is_recorded = is_level_of_record && !has_users_clusters(context);
    for (const auto& [metric_name, entry] : document.items()) {
      if (!entry.is_object() || !entry.contains("agg_value")) continue;
      RunMetric metric = read_metric(metric_name, entry, context);
      const RecordedMetric* recorded = context.record.find(metric_name);
      if (recorded != nullptr) take_source(*recorded, metric);
      if (recorded != nullptr && is_recorded && metric.value == recorded->value) {
        metric.interval = recorded->interval;
        if (context.record.is_settled()) settled_.insert(metric_name);
      }
      add(std::move(metric));
    }
    for (RunMetric& effect : context.record.effects) {
      if (!is_level_of_record) effect.interval.reset();
      add(std::move(effect));
    }
    const std::vector<std::string>& notes = context.record.notes;
    run_.notes.insert(run_.notes.end(), notes.begin(), notes.end());
  }

  // Whether the user says more about clusters than the file does, so that its intervals do not count.
  bool has_users_clusters(const FileContext& context) const {
    return !context.has_own_clusters && options_.clusters.size > 0;
  }

  void take_source(const RecordedMetric& recorded, RunMetric& metric) const {
    if (recorded.parameters) metric.parameters = recorded.parameters;
    metric.data = recorded.data;
    const auto file = [&](const char* set) {
      const auto found = recorded.traces.find(set);
      if (found == recorded.traces.end()) return std::filesystem::path();
      const std::filesystem::path path = run_.folder / found->second;
      return std::filesystem::exists(path) ? path : std::filesystem::path();
    };
    metric.traces = {file("forget"), file("holdout")};
  }

  // What files without clusters lack, the user may have said.
  void take(FileContext& context) {
    RunRecordFile& record = context.record;
    context.has_own_clusters = record.clusters.is_given();
    if (!context.has_own_clusters) record.clusters = RunClusters(options_.clusters.size);
    if (run_.cluster_name.empty()) run_.cluster_name = record.clusters.name();
    if (!run_.answer) run_.answer = record.answer;
  }

  void add(RunMetric metric) {
    const bool known =
        std::ranges::find(run_.metrics, metric.name, &RunMetric::name) != run_.metrics.end();
    if (known) return;
    metric.attack = attack_of_metric(metric.name, options_.attacks);
    if (!metric.interval && !settled_.contains(metric.name))
      metric.interval = metric_interval(metric, options_.confidence);
    run_.metrics.push_back(std::move(metric));
  }

  void add_composites() {
    for (RunMetric& metric : run_.metrics) {
      if (!metric.interval && !settled_.contains(metric.name))
        metric.interval = guess_composite_interval(metric, run_.metrics, options_.confidence);
    }
  }

  RunResults run_;
  std::set<std::string> summarized_;  // what a summary holds was asked for
  std::set<std::string> settled_;     // whose interval, or that there is none, a record says
  RunReadOptions options_;
};

bool is_default(const Attack& attack, const std::string& name, const std::string& value) {
  const auto found = std::ranges::find(attack.parameters, name, &AttackParameter::name);
  return found != attack.parameters.end() && fmt::format("{}", found->default_value) == value;
}

}  // namespace

std::string label_of(const RunMetric& metric) {
  // "mia_min_k:k=0.3" says it already; other metrics than attacks have no defaults to differ from.
  const bool says_it = metric.name.find(':') != std::string::npos;
  if (metric.attack == nullptr || !metric.parameters || says_it) return metric.name;
  std::string shown;
  for (const auto& [name, value] : *metric.parameters) {
    if (is_default(*metric.attack, name, value)) continue;
    shown += fmt::format("{}{}={}", shown.empty() ? "" : ", ", name, value);
  }
  return shown.empty() ? metric.name : fmt::format("{} ({})", metric.name, shown);
}

bool is_same_metric(const RunMetric& a, const RunMetric& b) {
  return a.name == b.name && (!a.parameters || !b.parameters || *a.parameters == *b.parameters);
}

const RunMetric* leading_attack(const RunResults& run) {
  const std::string asked = run.answer ? run.answer->attack : "";
  std::vector<std::optional<double>> aucs;
  std::vector<bool> named;
  for (const RunMetric& metric : run.metrics) {
    aucs.push_back(metric.is_auc() ? metric.value : std::nullopt);
    // Audits name attacks without the prefix, evaluations with it.
    const auto is_asked = [&](const std::string& name) {
      return name == asked || name == std::string(kAttackPrefix) + asked;
    };
    named.push_back(!asked.empty() && (is_asked(metric.name) || is_asked(label_of(metric))));
  }
  const std::optional<size_t> leading = leading_attack(aucs, named);
  return leading ? &run.metrics[*leading] : nullptr;
}

std::vector<double> values_of(const ValueByExample& by_index) {
  std::vector<double> values;
  for (const auto& [index, value] : by_index) values.push_back(value);
  return values;
}

RunResults read_run(const std::filesystem::path& folder, const RunReadOptions& options) {
  require_confidence(options.confidence);
  require_valid(options.clusters);
  if (!options.clusters.key.empty())
    throw Error("a log holds no data to look a cluster key up in: give a cluster size");
  return RunReader(folder, options).read();
}

std::vector<RunResults> read_runs(const std::vector<std::filesystem::path>& folders,
                                  const RunReadOptions& options) {
  std::vector<RunResults> runs;
  std::map<std::string, int64_t> names;
  for (const auto& folder : folders) {
    runs.push_back(read_run(folder, options));
    ++names[runs.back().name];
  }
  for (RunResults& run : runs) {
    if (names[run.name] > 1) run.name = run.folder.string();
  }
  return runs;
}

}  // namespace palimpsest
