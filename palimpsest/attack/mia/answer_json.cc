#include <utility>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::attack {
namespace {

std::optional<double> optional_number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : number_from_json(*found);
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

int64_t count_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

AnswerClusters clusters_from(const Json& json) {
  return {.key = text_at(json, "key"),
          .forget = count_at(json, "forget"),
          .holdout = count_at(json, "holdout"),
          .icc = optional_number(json, "icc"),
          .design_effect = optional_number(json, "design_effect")};
}

Json picked_json(const std::optional<PickedOut>& picked) {
  if (!picked) return nullptr;
  return {{"attack", picked->attack},
          {"reversed", picked->reversed},
          {"threshold", number_to_json(picked->threshold)},
          {"tpr", picked->tpr},
          {"fpr", picked->fpr},
          {"baseline_excess", stat::optional_to_json(picked->baseline_excess)},
          {"excess", picked->excess},
          {"interval", stat::interval_to_json(picked->interval)},
          {"confidence", picked->confidence},
          {"forget", picked->forget},
          {"holdout", picked->holdout}};
}

std::optional<PickedOut> picked_from(const Json& json) {
  const auto excess = optional_number(json, "excess");
  if (!excess) return std::nullopt;
  const auto reversed = json.find("reversed");
  return PickedOut{.attack = text_at(json, "attack"),
                   .reversed = reversed != json.end() && *reversed == true,
                   .threshold = optional_number(json, "threshold").value_or(0),
                   .tpr = optional_number(json, "tpr").value_or(0),
                   .fpr = optional_number(json, "fpr").value_or(0),
                   .baseline_excess = optional_number(json, "baseline_excess"),
                   .excess = *excess,
                   .interval = stat::interval_from_json(json.value("interval", Json())),
                   .confidence = optional_number(json, "confidence").value_or(0.95),
                   .forget = count_at(json, "forget"),
                   .holdout = count_at(json, "holdout")};
}

}  // namespace

std::string answer_to_json(const Answer& answer) {
  const AnswerClusters& clusters = answer.clusters;
  Json reasons = Json::array();
  for (const AnswerReason& reason : answer.reasons)
    reasons.push_back({{"code", reason.code}, {"text", reason.text}});
  Json needed = nullptr;
  if (answer.needed) {
    needed = {{"forget", answer.needed->positives},
              {"holdout", answer.needed->negatives},
              {"unit", clusters.key.empty() ? "examples" : "clusters"}};
  }
  Json json = {{"verdict", name_of(answer.verdict)},
               {"sentence", answer.sentence},
               {"attack", answer.attack.empty() ? Json(nullptr) : Json(answer.attack)},
               {"margin", answer.margin},
               {"smallest_margin", stat::optional_to_json(answer.smallest_margin)},
               {"level", answer.level},
               {"p_value", stat::optional_to_json(answer.p_value)},
               {"tail_p_value", stat::optional_to_json(answer.tail_p_value)},
               {"clusters",
                {{"key", clusters.key.empty() ? Json(nullptr) : Json(clusters.key)},
                 {"forget", clusters.forget},
                 {"holdout", clusters.holdout},
                 {"icc", stat::optional_to_json(clusters.icc)},
                 {"design_effect", stat::optional_to_json(clusters.design_effect)}}},
               {"would_detect", stat::optional_to_json(answer.would_detect)},
               {"needed", std::move(needed)},
               {"against_baseline", answer.against_baseline},
               {"picked_out", picked_json(answer.picked_out)},
               {"reasons", std::move(reasons)}};
  if (!answer.attack_name.empty()) json["attack_name"] = answer.attack_name;
  return to_text(json);
}

Answer answer_from_json(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  if (!json.is_object()) throw Error({.what = "the answer is not an object", .where = where});
  const std::optional<AnswerVerdict> verdict = verdict_named(text_at(json, "verdict"));
  if (!verdict) {
    throw Error({.what = "the answer has no known verdict",
                 .where = where,
                 .found = "'" + text_at(json, "verdict") + "'"});
  }
  const std::string attack = text_at(json, "attack");
  Answer answer{.verdict = *verdict,
                .sentence = text_at(json, "sentence"),
                .attack = attack,
                // Answers of older versions have the title alone: the name and its parameters.
                .attack_name = json.contains("attack_name") ? text_at(json, "attack_name")
                                                            : attack.substr(0, attack.find(" (")),
                .margin = optional_number(json, "margin").value_or(0.05),
                .smallest_margin = optional_number(json, "smallest_margin"),
                .level = optional_number(json, "level").value_or(0.05),
                .p_value = optional_number(json, "p_value"),
                .tail_p_value = optional_number(json, "tail_p_value"),
                .would_detect = optional_number(json, "would_detect")};
  if (const auto found = json.find("clusters"); found != json.end() && found->is_object())
    answer.clusters = clusters_from(*found);
  if (const auto found = json.find("needed"); found != json.end() && found->is_object())
    answer.needed = stat::ClusterPlan{count_at(*found, "forget"), count_at(*found, "holdout")};
  if (const auto found = json.find("against_baseline"); found != json.end())
    answer.against_baseline = *found == true;
  // Answers of older versions have none.
  if (const auto found = json.find("picked_out"); found != json.end() && found->is_object())
    answer.picked_out = picked_from(*found);
  if (const auto found = json.find("reasons"); found != json.end() && found->is_array()) {
    for (const Json& reason : *found) {
      if (reason.is_object())
        answer.reasons.push_back({text_at(reason, "code"), text_at(reason, "text")});
    }
  }
  return answer;
}

}  // namespace palimpsest::attack
