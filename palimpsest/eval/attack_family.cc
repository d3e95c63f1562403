#include "palimpsest/eval/internal/attack_family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/base/error.h"
#include "palimpsest/eval/internal/data_clusters.h"
#include "palimpsest/eval/internal/mia_metric.h"
#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::eval {
namespace {

std::vector<const MetricNode*> attacks_of(const MetricGraph& graph) {
  std::vector<const MetricNode*> requested;
  std::vector<const MetricNode*> others;
  for (const MetricNode& node : graph.nodes) {
    if (node.handler->is_attack) (node.requested ? requested : others).push_back(&node);
  }
  return requested.empty() ? others : requested;
}

std::string example_key(const data::Example& example) {
  return attack::ExampleId{example.index, example.alternative}.key();
}

// The scores in the order of the data; nullopt if an example has no entry.
std::optional<std::vector<Number>> scores_in_order(const MetricResult* part,
                                                   const PreparedData& data,
                                                   const std::string& metric) {
  if (part == nullptr) return std::nullopt;
  const std::vector<Number> values = column(*part, "score", metric);
  std::unordered_map<std::string, Number> by_key;
  for (size_t i = 0; i < values.size(); ++i) {
    by_key.emplace(part->value_by_index[i].index, values[i]);
  }
  std::vector<Number> scores;
  for (const data::Example& example : data.examples) {
    const auto found = by_key.find(example_key(example));
    if (found == by_key.end()) return std::nullopt;
    scores.push_back(found->second);
  }
  return scores;
}

class FamilyReader {
 public:
  explicit FamilyReader(const AttackFamilyInput& input) : input_(input) {}

  std::optional<AttackFamily> read() {
    for (const MetricNode* node : attacks_of(input_.plan.graph)) add(*node);
    if (family_.attacks.empty()) return std::nullopt;
    choose_primary();
    add_baseline();
    judge_references();
    drop_incomplete_baseline();
    return std::move(family_);
  }

 private:
  void add(const MetricNode& node) {
    const auto found = input_.log.find(node.setting.name);
    if (found == input_.log.end()) return;
    const DatasetPlan& forget = node.data_called("forget");
    const DatasetPlan& holdout = node.data_called("holdout");
    if (family_.forget == nullptr) {
      family_.forget_spec = &forget;
      family_.holdout_spec = &holdout;
      family_.forget = &input_.data.at(forget.key);
      family_.holdout = &input_.data.at(holdout.key);
      family_.choice = forget.clusters;
      family_.clusters = example_clusters(forget, *family_.forget, *family_.holdout);
    }
    const std::string& name = node.setting.name;
    if (&input_.data.at(forget.key) != family_.forget ||
        &input_.data.at(holdout.key) != family_.holdout) {
      return note(fmt::format("{} is about other examples than {} and takes no part in the answer",
                              name, family_.attacks.front().identity.metric));
    }
    auto ours = scores_in_order(found->second.find_part("forget"), *family_.forget, name);
    auto theirs = scores_in_order(found->second.find_part("holdout"), *family_.holdout, name);
    PALIMPSEST_CHECK(ours && theirs);
    AttackScores attack{.node = &node,
                        .identity = {.metric = name,
                                     .handler = node.handler->name,
                                     .parameters = attack_parameters(*node.handler, node.setting),
                                     .data = input_.records.at(name).source.data},
                        .forget = std::move(*ours),
                        .holdout = std::move(*theirs)};
    family_.attacks.push_back(std::move(attack));
  }

  void note(std::string text) { family_.notes.push_back(std::move(text)); }

  void choose_primary() {
    const std::string& primary = input_.plan.inference.primary;
    if (primary.empty()) return;
    for (AttackScores& attack : family_.attacks) {
      attack.in_family = attack.identity.metric == primary;
    }
  }

  void add_baseline() {
    if (input_.plan.retain_logs.empty()) return;
    const RetainLog& log = input_.plan.retain_logs.front();
    if (log.record && log.record->model_fingerprint == input_.model_fingerprint) {
      return note(
          fmt::format("{} is of the evaluated model itself and no baseline for it", log.path));
    }
    for (AttackScores& attack : family_.attacks) {
      if (is_against(attack, log)) continue;
      std::string why;
      const MetricResult* found = find_attack(log, attack.identity, why);
      if (!why.empty() && attack.in_family) note(why);
      if (found == nullptr) continue;
      const std::string where = fmt::format("{}: {}", log.path, attack.identity.metric);
      auto forget = scores_in_order(found->find_part("forget"), *family_.forget, where);
      auto holdout = scores_in_order(found->find_part("holdout"), *family_.holdout, where);
      if (forget && holdout) {
        attack.baseline_forget = std::move(forget);
        attack.baseline_holdout = std::move(holdout);
      } else if (attack.in_family) {
        note(fmt::format("{} lacks examples of {}", log.path, attack.identity.metric));
      }
    }
  }

  const std::string& reference_of(const AttackScores& attack) const {
    return input_.records.at(attack.identity.metric).source.reference_fingerprint;
  }

  // Whether the attack's reference model is the one that the log is of.
  bool is_against(const AttackScores& attack, const RetainLog& log) const {
    return attack.node->needs.reference_model && log.record &&
           log.record->model_fingerprint == reference_of(attack);
  }

  bool has_any_baseline() const {
    return std::ranges::any_of(family_.attacks, [](const AttackScores& attack) {
      return attack.in_family && attack.baseline_forget;
    });
  }

  void judge_references() {
    for (AttackScores& attack : family_.attacks) {
      if (!attack.in_family || !attack.node->needs.reference_model) continue;
      const std::string why = why_unfit(attack);
      if (why.empty()) continue;
      attack.in_family = false;
      note(fmt::format("{} takes no part in the answer: {}", attack.identity.metric, why));
    }
  }

  // Why a score against the reference model says nothing about memory; empty where it does.
  std::string why_unfit(const AttackScores& attack) const {
    if (reference_of(attack) == input_.model_fingerprint) {
      return "its reference model is the evaluated model itself";
    }
    if (has_any_baseline() && is_against(attack, input_.plan.retain_logs.front())) {
      return "its reference model is the baseline, with which the other attacks are compared";
    }
    const MetricResult& result = input_.log.at(attack.identity.metric);
    const auto forget = scores_in_order(result.find_reference_part("forget"), *family_.forget,
                                        attack.identity.metric);
    const auto holdout = scores_in_order(result.find_reference_part("holdout"), *family_.holdout,
                                         attack.identity.metric);
    if (!forget || !holdout) {
      return "the record of its run does not tell whether the reference model knows the forget set "
             "itself (overwrite: true computes it)";
    }
    const stat::ClusteredScores own = attack::to_clustered({*forget, *holdout}, family_.clusters);
    const std::optional<stat::ClusteredAuc> estimate =
        stat::clustered_auc(own.scores, own.clusters);
    if (!estimate) return "";
    const bool recognises = stat::auc_interval(*estimate).low > 0.5 ||
                            estimate->auc >= 0.5 + input_.plan.inference.margin;
    if (!recognises) return "";
    return fmt::format(
        "its reference model tells the forget set from the holdout set itself (AUC "
        "{:.3f} by its own loss), so that the scores show what was done to each "
        "record, not whether it is remembered",
        estimate->auc);
  }

  // The answer is about differences only if every attack has one.
  void drop_incomplete_baseline() {
    if (!has_any_baseline()) return;
    std::vector<std::string> lacking;
    for (const AttackScores& attack : family_.attacks) {
      if (attack.in_family && !attack.baseline_forget) lacking.push_back(attack.identity.metric);
    }
    if (lacking.empty()) return;
    for (AttackScores& attack : family_.attacks) {
      attack.baseline_forget.reset();
      attack.baseline_holdout.reset();
    }
    note(fmt::format("{} is not used as a baseline, since it has none for {}",
                     input_.plan.retain_logs.front().path, fmt::join(lacking, ", ")));
  }

  const AttackFamilyInput& input_;
  AttackFamily family_;
};

}  // namespace

std::vector<attack::FamilyMember> AttackFamily::members() const {
  std::vector<attack::FamilyMember> all;
  for (const AttackScores& attack : attacks) {
    attack::FamilyMember member{
        .attack = with_parameters(attack.identity.metric, attack.identity.parameters),
        .scores = {attack.forget, attack.holdout},
        .in_family = attack.in_family};
    if (attack.baseline_forget) {
      member.baseline = attack::ScoreColumns{*attack.baseline_forget, *attack.baseline_holdout};
    }
    all.push_back(std::move(member));
  }
  return all;
}

std::optional<AttackFamily> gather_attacks(const AttackFamilyInput& input) {
  require_primary(input.plan.graph, input.plan.inference);
  return FamilyReader(input).read();
}

void require_primary(const MetricGraph& graph, const InferenceSettings& settings) {
  if (settings.primary.empty()) return;
  std::vector<std::string> known;
  for (const MetricNode* node : attacks_of(graph)) {
    if (node->setting.name == settings.primary) return;
    known.push_back(node->setting.name);
  }
  throw Error({.what = fmt::format("'primary' names '{}', which is no attack of the list",
                                   settings.primary),
               .expected = known.empty() ? "an attack in the list of metrics"
                                         : fmt::format("one of {}", fmt::join(known, ", "))});
}

std::optional<RunClusters> clusters_to_record(const AttackFamily& family) {
  if (!family.clusters.is_given()) return std::nullopt;
  const std::string& key = family.choice.key;
  const auto members = [&](const PreparedData& data, const std::vector<int64_t>& clusters) {
    RunClusters::Members all;
    for (size_t i = 0; i < clusters.size(); ++i) {
      const data::Example& example = data.examples[i];
      all.emplace_back(example_key(example),
                       key.empty() ? std::to_string(clusters[i]) : example.groups.at(key));
    }
    return all;
  };
  return RunClusters{.key = family.clusters.name,
                     .forget = members(*family.forget, family.clusters.forget),
                     .holdout = members(*family.holdout, family.clusters.holdout)};
}

}  // namespace palimpsest::eval
