#include "palimpsest/report/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/leading_attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/report/internal/logged_values.h"
#include "palimpsest/report/internal/run_clusters.h"
#include "palimpsest/report/run_intervals.h"

namespace palimpsest {
namespace {

constexpr std::string_view kAttackPrefix = "mia_";

const Json* find_member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> member_number(const Json& object, const char* key) {
  const Json* found = find_member(object, key);
  return found == nullptr ? std::nullopt : number_from_json(*found);
}

std::optional<Interval> member_interval(const Json& object, const char* key) {
  const Json* found = find_member(object, key);
  if (found == nullptr || !found->is_array() || found->size() != 2) return std::nullopt;
  const auto low = number_from_json((*found)[0]);
  const auto high = number_from_json((*found)[1]);
  if (!low || !high) return std::nullopt;
  return Interval{*low, *high};
}

std::optional<MetricParameters> member_parameters(const Json& object) {
  const Json* found = find_member(object, "parameters");
  if (found == nullptr || !found->is_object()) return std::nullopt;
  MetricParameters parameters;
  for (const auto& [name, value] : found->items()) {
    const std::optional<double> number = number_from_json(value);
    parameters[name] = number              ? fmt::format("{}", *number)
                       : value.is_string() ? value.get<std::string>()
                                           : to_line(value);
  }
  return parameters;
}

std::optional<Answer> member_answer(const Json& object, const std::string& where) {
  const Json* found = find_member(object, "answer");
  if (found == nullptr) return std::nullopt;
  return answer_from_json(to_text(*found), where);
}

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
  auto text = [&](const char* key) {
    const Json* found = find_member(entry, key);
    return found != nullptr && found->is_string() ? found->get<std::string>() : "";
  };
  const std::string side = text("side");
  return fmt::format("'{}'{}", text("feature"), side.empty() ? "" : fmt::format(" ({})", side));
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

RunMetric read_metric(const std::string& name, const Json& entry, const RunClusters& clusters) {
  RunMetric metric{.name = name, .value = member_number(entry, "agg_value")};
  metric.parameters = member_parameters(entry);
  metric.simultaneous = member_interval(entry, "auc_ci_simultaneous");
  metric.forget = set_scores(entry, "forget", clusters, metric.forget_clusters);
  metric.holdout = set_scores(entry, "holdout", clusters, metric.holdout_clusters);
  if (metric.is_auc()) return metric;
  const Json* by_index = value_by_index(entry);
  if (by_index != nullptr && metric.value) {
    metric.by_index = averaged_values(*by_index, *metric.value);
    metric.clusters = clusters.of(data_of_metric(name), example_keys(*by_index));
  }
  return metric;
}

// What NAME_RUN.json records of NAME_EVAL.json.
struct RecordedRun {
  RunClusters clusters;
  std::optional<Answer> answer;
  std::map<std::string, MetricParameters> parameters;
  std::map<std::string, std::pair<double, Interval>> intervals;  // with the number that it is of
  std::vector<RunMetric> effects;  // beside p-values: how large the difference is
  std::vector<std::string> notes;
};

// What stands beside a metric whose number is a p-value (forget_quality).
void read_effect(const std::string& name, const Json& metric, RecordedRun& record) {
  const Json* effect = find_member(metric, "effect");
  if (effect == nullptr) return;
  for (const char* part : {"mean_difference", "ks_distance"}) {
    const std::optional<double> value = member_number(*effect, part);
    if (!value) continue;
    record.effects.push_back(
        {.name = name + "_" + part,
         .value = value,
         .interval = member_interval(*effect, (std::string(part) + "_interval").c_str())});
  }
}

RecordedRun read_record(const std::filesystem::path& path) {
  const std::string where = path.string();
  RecordedRun record;
  if (!std::filesystem::exists(path)) return record;
  const Json document = parse_json(read_file(path), where);
  if (const Json* clusters = find_member(document, "clusters"))
    record.clusters = RunClusters(*clusters, where);
  record.answer = member_answer(document, where);
  const Json* metrics = find_member(document, "metrics");
  if (metrics == nullptr || !metrics->is_object()) return record;
  if (const Json* retrained = find_member(document, "retrained_models")) {
    const Json* sentence = find_member(*retrained, "sentence");
    if (sentence != nullptr && sentence->is_string())
      record.notes.push_back(sentence->get<std::string>());
  }
  for (const auto& [name, metric] : metrics->items()) {
    if (auto parameters = member_parameters(metric)) record.parameters[name] = *parameters;
    const auto value = member_number(metric, "agg_value");
    const auto interval = member_interval(metric, "interval");
    read_effect(name, metric, record);
    // Records of version 0.1 say nothing about their data, and their intervals know no clusters.
    if (metric.contains("data") && value && interval)
      record.intervals.emplace(name, std::pair(*value, *interval));
  }
  return record;
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
    // Full logs first: summaries only add what no log has.
    for (const char* kind : {"mia.json", "_EVAL.json", "_SUMMARY.json"}) {
      for (const std::string& file : files) {
        if (!file.ends_with(kind) || (kind[0] == 'm' && file != kind)) continue;
        any = true;
        add_file(file, kind);
      }
    }
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
    RecordedRun record;
    if (const Json* audit = find_member(document, "audit")) {
      run_.separating_texts = separating_texts(*audit);
      record.answer = member_answer(*audit, where);
      if (const Json* clusters = find_member(*audit, "clusters"))
        record.clusters = RunClusters(*clusters, where);
    }
    take(record);
    for (const auto& [name, entry] : document.items()) {
      if (name == "audit" || !entry.is_object()) continue;
      add(read_metric(std::string(kAttackPrefix) + name, entry, record.clusters));
    }
  }

  void add_evaluation(const Json& document, const std::string& name) {
    RecordedRun record = read_record(run_.folder / (name + "_RUN.json"));
    take(record);
    for (const auto& [metric_name, entry] : document.items()) {
      if (!entry.is_object() || !entry.contains("agg_value")) continue;
      RunMetric metric = read_metric(metric_name, entry, record.clusters);
      const auto parameters = record.parameters.find(metric_name);
      if (parameters != record.parameters.end()) metric.parameters = parameters->second;
      const auto recorded = record.intervals.find(metric_name);
      if (options_.confidence == 0.95 && recorded != record.intervals.end() &&
          metric.value == recorded->second.first)
        metric.interval = recorded->second.second;
      add(std::move(metric));
    }
    for (RunMetric& effect : record.effects) {
      if (options_.confidence != 0.95) effect.interval.reset();  // the record's are of 95%
      add(std::move(effect));
    }
    run_.notes.insert(run_.notes.end(), record.notes.begin(), record.notes.end());
  }

  // What files without clusters lack, the user may have said.
  void take(RecordedRun& record) {
    if (!record.clusters.is_given()) record.clusters = RunClusters(options_.clusters.size);
    if (run_.cluster_name.empty()) run_.cluster_name = record.clusters.name();
    if (!run_.answer) run_.answer = record.answer;
  }

  void add(RunMetric metric) {
    const bool known =
        std::ranges::find(run_.metrics, metric.name, &RunMetric::name) != run_.metrics.end();
    if (known) return;
    metric.attack = attack_of_metric(metric.name, options_.attacks);
    if (!metric.interval) metric.interval = metric_interval(metric, options_.confidence);
    run_.metrics.push_back(std::move(metric));
  }

  void add_composites() {
    for (RunMetric& metric : run_.metrics) {
      if (!metric.interval)
        metric.interval = composite_interval(metric, run_.metrics, options_.confidence);
    }
  }

  RunResults run_;
  std::set<std::string> summarized_;  // what a summary holds was asked for
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
