#include "palimpsest/report/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/report/scores_file.h"
#include "palimpsest/stat/delong.h"

namespace palimpsest {
namespace {

using ByIndex = std::map<std::string, double>;

std::optional<double> member_number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : number_from_json(*found);
}

std::optional<Interval> member_interval(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->size() != 2) return std::nullopt;
  const auto low = number_from_json((*found)[0]);
  const auto high = number_from_json((*found)[1]);
  if (!low || !high) return std::nullopt;
  return Interval{*low, *high};
}

// One field of value_by_index, examples without a finite number left out.
ByIndex field_of(const Json& by_index, const std::string& field) {
  ByIndex values;
  for (const auto& [index, entry] : by_index.items()) {
    if (!entry.is_object() || !entry.contains(field)) continue;
    const auto value = number_from_json(entry[field]);
    if (value && std::isfinite(*value)) values[index] = *value;
  }
  return values;
}

const Json* value_by_index(const Json& entry) {
  if (!entry.is_object()) return nullptr;
  const auto found = entry.find("value_by_index");
  return found != entry.end() && found->is_object() ? &*found : nullptr;
}

double mean_of(const ByIndex& values) {
  double sum = 0;
  for (const auto& [index, value] : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// An entry may hold several numbers an example (prob and avg_loss); the one that was averaged is the
// one whose mean is the result.
ByIndex averaged_field(const Json& by_index, double mean) {
  if (by_index.empty() || !by_index.begin()->is_object()) return {};
  for (const auto& [field, unused] : by_index.begin()->items()) {
    ByIndex values = field_of(by_index, field);
    if (!values.empty() && std::abs(mean_of(values) - mean) <= 1e-6 * std::max(1.0, std::abs(mean)))
      return values;
  }
  return {};
}

std::optional<Interval> mean_interval(const ByIndex& by_index, BootstrapOptions options) {
  const std::vector<double> values = values_of(by_index);
  options.method = BootstrapMethod::kPercentile;
  const auto count = static_cast<int64_t>(values.size());
  const auto estimate = bootstrap(
      {&count, 1},
      [&](const Resample& resample) -> std::optional<double> {
        double sum = 0;
        for (int64_t item : resample[0]) sum += values[static_cast<size_t>(item)];
        return sum / static_cast<double>(count);
      },
      options);
  return estimate ? std::optional(estimate->interval) : std::nullopt;
}

// The scores of one of an attack's sets.
ByIndex set_scores(const Json& entry, const char* set) {
  const auto found = entry.find(set);
  if (found == entry.end()) return {};
  const Json* by_index = value_by_index(*found);
  return by_index == nullptr ? ByIndex() : field_of(*by_index, "score");
}

// What mia.json says of all attacks together.
std::optional<SeparatingTexts> separating_texts(const Json& audit) {
  if (!audit.is_object()) return std::nullopt;
  const auto blind = audit.find("blind_baseline");
  if (blind == audit.end() || !blind->is_object()) return std::nullopt;
  const auto separates = blind->find("separates");
  const std::optional<double> auc = member_number(*blind, "auc");
  if (separates == blind->end() || *separates != true || !auc) return std::nullopt;
  return SeparatingTexts{.auc = *auc, .null_range = member_interval(*blind, "null_range")};
}

RunMetric read_metric(const std::string& name, const Json& entry,
                      const BootstrapOptions& bootstrap) {
  RunMetric metric{.name = name, .value = member_number(entry, "agg_value")};
  metric.forget = set_scores(entry, "forget");
  metric.holdout = set_scores(entry, "holdout");
  if (metric.is_auc()) {
    // A higher score means holdout.
    metric.interval = delong_interval({values_of(metric.holdout), values_of(metric.forget)},
                                      bootstrap.confidence);
    return metric;
  }
  const Json* by_index = value_by_index(entry);
  if (by_index != nullptr && metric.value) {
    metric.by_index = averaged_field(*by_index, *metric.value);
    if (!metric.by_index.empty() && bootstrap.resamples > 0)
      metric.interval = mean_interval(metric.by_index, bootstrap);
  }
  return metric;
}

class RunReader {
 public:
  RunReader(std::filesystem::path folder, const BootstrapOptions& bootstrap)
      : bootstrap_(bootstrap) {
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
  void add_file(const std::string& file, const std::string& kind) {
    const std::string where = (run_.folder / file).string();
    const Json document = parse_json(read_file(where), where);
    if (!document.is_object()) {
      throw Error({.what = "this is not a log of results",
                   .where = where,
                   .expected = "an object with an entry a metric",
                   .found = describe(document)});
    }
    for (const auto& [name, entry] : document.items()) {
      if (kind == "mia.json") {
        if (name == "audit") {
          run_.separating_texts = separating_texts(entry);
        } else if (entry.is_object()) {
          add("mia_" + name, entry);
        }
      } else if (kind == "_EVAL.json") {
        if (entry.is_object() && entry.contains("agg_value")) add(name, entry);
      } else if (const auto value = number_from_json(entry)) {
        summarized_.insert(name);
        add(name, {{"agg_value", *value}});
      }
    }
  }

  void add(const std::string& name, const Json& entry) {
    const bool known = std::any_of(run_.metrics.begin(), run_.metrics.end(),
                                   [&](const RunMetric& metric) { return metric.name == name; });
    if (!known) run_.metrics.push_back(read_metric(name, entry, bootstrap_));
  }

  RunResults run_;
  std::set<std::string> summarized_;  // what a summary holds was asked for
  BootstrapOptions bootstrap_;
};

}  // namespace

std::vector<double> values_of(const ByIndex& by_index) {
  std::vector<double> values;
  for (const auto& [index, value] : by_index) values.push_back(value);
  return values;
}

RunResults read_run(const std::filesystem::path& folder, const BootstrapOptions& bootstrap) {
  return RunReader(folder, bootstrap).read();
}

std::vector<RunResults> read_runs(const std::vector<std::filesystem::path>& folders,
                                  const BootstrapOptions& bootstrap) {
  std::vector<RunResults> runs;
  std::map<std::string, int64_t> names;
  for (const auto& folder : folders) {
    runs.push_back(read_run(folder, bootstrap));
    ++names[runs.back().name];
  }
  for (RunResults& run : runs) {
    if (names[run.name] > 1) run.name = run.folder.string();
  }
  return runs;
}

}  // namespace palimpsest
