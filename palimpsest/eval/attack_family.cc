#include "palimpsest/eval/internal/attack_family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "palimpsest/attack/internal/mia/soundness.h"
#include "palimpsest/attack/scored_attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/eval/internal/data_clusters.h"
#include "palimpsest/eval/internal/mia_metric.h"

namespace palimpsest::eval {
namespace {

std::vector<const MetricNode*> attacks_of(const MetricGraph& graph) {
  std::vector<const MetricNode*> requested;
  std::vector<const MetricNode*> others;
  for (const MetricNode& node : graph.nodes) {
    if (node.handler->is_attack()) (node.requested ? requested : others).push_back(&node);
  }
  return requested.empty() ? others : requested;
}

attack::ExampleKeys data_keys(const PreparedData& data) {
  std::vector<std::string> keys;
  for (const data::Example& example : data.examples)
    keys.push_back(attack::ExampleId{example.index, example.alternative}.key());
  return keys;
}

// The scores of the examples with these keys, and nothing else; nullopt if one has no entry.
std::optional<attack::ScoredAttack> in_data_order(
    const std::optional<attack::ScoredAttack>& scored,
    const trace::BothSets<attack::ExampleKeys>& keys) {
  if (!scored) return std::nullopt;
  auto forget = attack::in_order(scored->forget, keys.forget);
  auto holdout = attack::in_order(scored->holdout, keys.holdout);
  if (!forget || !holdout) return std::nullopt;
  return attack::ScoredAttack{.forget = std::move(*forget), .holdout = std::move(*holdout)};
}

// Whether the baseline lacks a score of an example that the model has. The examples are the same.
bool lacks_scores(const attack::ScoredAttack& baseline, const attack::ScoredAttack& model) {
  const auto lacks = [](const attack::ScoreColumn& some, const attack::ScoreColumn& all) {
    return !std::ranges::equal(some, all, [](const auto& a, const auto& b) { return a || !b; });
  };
  return lacks(baseline.forget.scores, model.forget.scores) ||
         lacks(baseline.holdout.scores, model.holdout.scores);
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
      keys_ = example_keys(node, input_.data);
      family_.choice = forget.clusters;
      family_.clusters = example_clusters(forget, *family_.forget, *family_.holdout);
    }
    const std::string& name = node.setting.name;
    if (&input_.data.at(forget.key) != family_.forget ||
        &input_.data.at(holdout.key) != family_.holdout) {
      return note(
          fmt::format("{} is about different examples from {} and takes no part in the "
                      "answer",
                      name, family_.attacks.front().identity.metric));
    }
    FamilyAttack attack{.node = &node,
                        .identity = {.metric = name,
                                     .handler = node.handler->name,
                                     .parameters = attack_parameters(*node.handler, node.setting),
                                     .data = input_.records.at(name).source.data},
                        .scored = require_scores(node, found->second, keys_)};
    family_.attacks.push_back(std::move(attack));
  }

  void note(std::string text) { family_.notes.push_back(std::move(text)); }

  void choose_primary() {
    const std::string& primary = input_.plan.inference.primary;
    if (primary.empty()) return;
    for (FamilyAttack& attack : family_.attacks) {
      attack.in_family = attack.identity.metric == primary;
    }
  }

  void add_baseline() {
    if (input_.plan.retain_logs.empty()) return;
    const RetainLog& log = input_.plan.retain_logs.front();
    if (log.record && log.record->model_fingerprint == input_.model_fingerprint) {
      return note(
          fmt::format("{} comes from the evaluated model itself and cannot be its "
                      "baseline",
                      log.path));
    }
    for (FamilyAttack& attack : family_.attacks) {
      if (is_against(attack, log)) continue;
      std::string why;
      const MetricResult* found = find_attack(log, attack.identity, why);
      if (!why.empty() && attack.in_family) note(why);
      if (found == nullptr) continue;
      std::optional<attack::ScoredAttack> baseline = in_data_order(found->scored, keys_);
      if (baseline && !lacks_scores(*baseline, attack.scored)) {
        attack.baseline = std::move(baseline);
      } else if (attack.in_family) {
        note(fmt::format("{} lacks {} of {}", log.path,
                         baseline ? "the scores of examples" : "examples", attack.identity.metric));
      }
    }
  }

  const std::string& reference_of(const FamilyAttack& attack) const {
    return input_.records.at(attack.identity.metric).source.reference_fingerprint;
  }

  // Whether the attack's reference model is the one that the log is of.
  bool is_against(const FamilyAttack& attack, const RetainLog& log) const {
    return attack.node->needs.reference_model && log.record &&
           log.record->model_fingerprint == reference_of(attack);
  }

  bool has_any_baseline() const {
    return std::ranges::any_of(family_.attacks, [](const FamilyAttack& attack) {
      return attack.in_family && attack.baseline;
    });
  }

  void judge_references() {
    for (FamilyAttack& attack : family_.attacks) {
      if (!attack.in_family || !attack.node->needs.reference_model) continue;
      const std::string why = why_unfit(attack);
      if (why.empty()) continue;
      attack.in_family = false;
      note(fmt::format("{} takes no part in the answer: {}", attack.identity.metric, why));
    }
  }

  // Why a score against the reference model says nothing about memory; empty where it does.
  std::string why_unfit(const FamilyAttack& attack) const {
    if (reference_of(attack) == input_.model_fingerprint) {
      return "its reference model is the evaluated model itself";
    }
    if (has_any_baseline() && is_against(attack, input_.plan.retain_logs.front())) {
      return "its reference model is the baseline, with which the other attacks are compared";
    }
    const auto losses = in_data_order(input_.log.at(attack.identity.metric).reference, keys_);
    if (!losses) {
      return "the record of its run does not tell whether the reference model knows the forget set "
             "itself (overwrite: true computes it)";
    }
    const std::optional<attack::RecognisingReference> recognising = attack::recognising_reference(
        losses->columns(), family_.clusters, input_.plan.inference.margin);
    if (!recognising) return "";
    return fmt::format(
        "its reference model tells the forget set from the holdout set itself (AUC {:.3f} by its "
        "own loss), so the scores show what was done to each record, not whether it is remembered",
        recognising->auc);
  }

  // The answer is about differences only if every attack has one.
  void drop_incomplete_baseline() {
    if (!has_any_baseline()) return;
    std::vector<std::string> lacking;
    for (const FamilyAttack& attack : family_.attacks) {
      if (attack.in_family && !attack.baseline) lacking.push_back(attack.identity.metric);
    }
    if (lacking.empty()) return;
    for (FamilyAttack& attack : family_.attacks) attack.baseline.reset();
    note(fmt::format("{} is not used as a baseline, since it has none for {}",
                     input_.plan.retain_logs.front().path, fmt::join(lacking, ", ")));
  }

  const AttackFamilyInput& input_;
  AttackFamily family_;
  trace::BothSets<attack::ExampleKeys> keys_;
};

}  // namespace

std::vector<attack::FamilyMember> AttackFamily::members() const {
  std::vector<attack::FamilyMember> all;
  for (const FamilyAttack& attack : attacks) {
    attack::FamilyMember member{
        .attack = attack::with_parameters(attack.identity.metric, attack.identity.parameters),
        .name = attack.identity.metric,
        .scores = attack.scored.columns(),
        .in_family = attack.in_family};
    if (attack.baseline) member.baseline = attack.baseline->columns();
    all.push_back(std::move(member));
  }
  return all;
}

trace::BothSets<attack::ExampleKeys> example_keys(const MetricNode& attack, const DataStore& data) {
  return {.forget = data_keys(data.at(attack.data_called("forget").key)),
          .holdout = data_keys(data.at(attack.data_called("holdout").key))};
}

attack::ScoredAttack require_scores(const MetricNode& attack, const MetricResult& result,
                                    const trace::BothSets<attack::ExampleKeys>& keys) {
  std::optional<attack::ScoredAttack> scored = in_data_order(result.scored, keys);
  if (scored) return std::move(*scored);
  throw Error({.what = fmt::format("the result of the attack {} lacks the scores of its examples",
                                   attack.setting.name),
               .where = attack.setting.where,
               .expected = "MetricResult::scored with every example of 'forget' and 'holdout'",
               .hint = fmt::format("the metric handler '{}' must set it; overwrite: true computes "
                                   "the results of earlier runs again",
                                   attack.handler->name)});
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
  throw Error({.what = fmt::format("'primary' names '{}', which is not an attack in the list",
                                   settings.primary),
               .expected = known.empty() ? "an attack in the list of metrics"
                                         : fmt::format("one of {}", fmt::join(known, ", "))});
}

std::optional<RunClusters> clusters_to_record(const AttackFamily& family) {
  if (!family.clusters.is_given()) return std::nullopt;
  const std::string& key = family.choice.key;
  const auto members = [&](const PreparedData& data, const std::vector<int64_t>& clusters) {
    RunClusters::Members all;
    const attack::ExampleKeys keys = data_keys(data);
    for (size_t i = 0; i < clusters.size(); ++i) {
      all.emplace_back(keys[i],
                       key.empty() ? std::to_string(clusters[i]) : data.examples[i].groups.at(key));
    }
    return all;
  };
  return RunClusters{.key = family.clusters.name,
                     .forget = members(*family.forget, family.clusters.forget),
                     .holdout = members(*family.holdout, family.clusters.holdout)};
}

}  // namespace palimpsest::eval
