// Evaluations as their logs have them, without any model: an evaluator as it is configured, data
// sets of numbered examples, and scores that a test chooses.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/eval/internal/conclusions.h"
#include "palimpsest/eval/internal/mia_metric.h"
#include "tests/eval/setup.h"

namespace palimpsest::eval {

inline Json file_of_records(const std::string& name, const std::string& access_key = "") {
  Json dataset = {{"handler", "QADataset"},
                  {"args", {{"hf_args", {{"path", "data"}, {"name", name}}}}}};
  if (!access_key.empty()) dataset["access_key"] = access_key;
  return dataset;
}

inline Json attack_config(const std::string& handler, const Json& keys = Json::object()) {
  Json config = {
      {"handler", handler},
      {"datasets",
       {{"F", file_of_records("forget", "forget")}, {"H", file_of_records("holdout", "holdout")}}}};
  for (const auto& [key, value] : keys.items()) config[key] = value;
  return config;
}

// One score per example.
inline MetricResult with_scores_of(const std::vector<double>& scores) {
  MetricResult result;
  for (size_t i = 0; i < scores.size(); ++i) {
    result.value_by_index.push_back({std::to_string(i), {{"score", Number(scores[i])}}});
  }
  return result;
}

inline attack::SetScores set_of(const std::vector<double>& scores) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < scores.size(); ++i) keys.push_back(std::to_string(i));
  return attack::set_scores(std::move(keys), {scores.begin(), scores.end()});
}

inline MetricResult attack_result(const std::vector<double>& forget,
                                  const std::vector<double>& holdout) {
  double above = 0;
  for (const double a : holdout) {
    for (const double b : forget) above += a > b ? 1 : (a == b ? 0.5 : 0);
  }
  const double auc = above / static_cast<double>(forget.size() * holdout.size());
  return {.agg_value = auc,
          .scored = attack::ScoredAttack{
              .forget = set_of(forget), .holdout = set_of(holdout), .auc = auc}};
}

// Normal scores; those of the forget set lie lower by `shift`, neighbours share `correlation` of
// their variance in blocks of `size`.
struct ScoreMaker {
  uint64_t seed = 0;
  double shift = 0;
  double shared = 0;  // weight of the block's own number, in [0, 1)
  size_t size = 1;

  std::vector<double> forget(size_t count) const { return make(count, 1, -shift); }
  std::vector<double> holdout(size_t count) const { return make(count, 2, 0); }
  MetricResult attack(size_t count) const { return attack_result(forget(count), holdout(count)); }

 private:
  std::vector<double> make(size_t count, uint64_t stream, double mean) const {
    Random random = Random(seed).split(stream);
    std::vector<double> scores;
    double block = 0;
    for (size_t i = 0; i < count; ++i) {
      if (i % size == 0) block = random.normal();
      scores.push_back(mean + shared * block + (1 - shared) * random.normal());
    }
    return scores;
  }
};

class LogSetup {
 public:
  explicit LogSetup(const Json& metrics, const Json& settings = Json::object()) {
    Json evaluator = {{"handler", "TOFUEvaluator"}, {"output_dir", "out"}, {"metrics", metrics}};
    for (const auto& [key, value] : settings.items()) evaluator[key] = value;
    plan = plans_of({{"tofu", evaluator}}).at(0);
    for (const MetricNode& node : plan.graph.nodes) {
      for (const auto& [key, spec] : node.data)
        specs_.emplace(spec.args.at("hf_args").at("name").as_text(), spec.key);
    }
  }

  // `group`: the value of the cluster key of the example i, where there is one.
  void add_data(const std::string& name, size_t count,
                const std::function<std::string(size_t)>& group = {}) {
    auto [begin, end] = specs_.equal_range(name);
    for (auto found = begin; found != end; ++found) {
      PreparedData prepared{.title = name, .examples = {}};
      for (size_t i = 0; i < count; ++i) {
        prepared.examples.push_back({.index = std::to_string(i)});
        if (group) prepared.examples.back().groups[plan.inference.clusters.key] = group(i);
      }
      data[found->second] = std::move(prepared);
    }
  }

  void add(const std::string& metric, MetricResult result) {
    for (const MetricNode& node : plan.graph.nodes) {
      if (node.setting.name != metric) continue;
      records[metric].handler = node.handler->name;
      records[metric].source.data = {{"forget", "f"}, {"holdout", "h"}};
      records[metric].parameters = attack_parameters(*node.handler, node.setting);
    }
    log[metric] = std::move(result);
  }

  // A log of another model that has these metrics, with a record of its run.
  RetainLog retain_log(const std::string& path, const EvalLog& metrics,
                       const std::string& fingerprint = "retrained") const {
    RunRecord record{.name = "TOFU", .model_fingerprint = fingerprint};
    for (const auto& [metric, result] : metrics) {
      const auto known = records.find(metric);
      if (known != records.end()) record.metrics[metric] = known->second;
    }
    return {.path = path, .metrics = metrics, .record = record};
  }

  AttackFamilyInput input() const {
    return {.plan = plan,
            .data = data,
            .log = log,
            .records = records,
            .model_fingerprint = "model",
            .seed = 0};
  }
  Conclusions conclude() const { return draw_conclusions(input()); }

  EvaluatorPlan plan;
  DataStore data;
  EvalLog log;
  std::map<std::string, MetricRecord> records;

 private:
  std::multimap<std::string, std::string> specs_;  // name of the file and DatasetPlan::key
};

// A configuration with these attacks.
inline Json attacks(const std::vector<std::string>& handlers) {
  Json metrics = Json::object();
  for (const std::string& handler : handlers) {
    metrics[handler] = attack_config(handler, {{"k", 0.4}, {"p", 2}});
  }
  return metrics;
}

// `count` examples of each set, all attacks with the same maker.
inline LogSetup audited(const Json& metrics, const Json& settings, const ScoreMaker& maker,
                        size_t count = 200) {
  LogSetup setup(metrics, settings);
  setup.add_data("forget", count);
  setup.add_data("holdout", count);
  for (const MetricNode& node : setup.plan.graph.nodes) {
    if (node.handler->is_attack()) setup.add(node.setting.name, maker.attack(count));
  }
  return setup;
}

inline bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace palimpsest::eval
