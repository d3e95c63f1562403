#include "palimpsest/attack/mia/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "palimpsest/attack/internal/mia/derive_answer.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/strings.h"
#include "palimpsest/base/internal/table.h"

namespace palimpsest::attack {
namespace {

using Named = std::pair<AnswerVerdict, std::string_view>;
constexpr std::array<Named, 6> kVerdictNames = {
    {{AnswerVerdict::kRemembered, "remembered"},
     {AnswerVerdict::kOverForgotten, "over_forgotten"},
     {AnswerVerdict::kDetectableWithinMargin, "detectable_within_margin"},
     {AnswerVerdict::kEquivalent, "equivalent"},
     {AnswerVerdict::kNotDecided, "not_decided"},
     {AnswerVerdict::kVoid, "void"}}};

// The intervals that the answer is drawn from: of AUCs around ½, or of differences around 0.
class Evidence {
 public:
  explicit Evidence(const FamilyInference& family) : family_(family) {}

  double center() const { return family_.has_baseline ? 0 : 0.5; }
  double margin() const { return family_.options.margin; }

  const std::optional<stat::Interval>& simultaneous(const MemberInference& member) const {
    return family_.has_baseline ? member.difference_simultaneous : member.simultaneous;
  }
  double value(const MemberInference& member) const {
    return family_.has_baseline ? member.difference->difference() : *member.auc;
  }
  // The member that lies farthest above (or below) with its whole interval; nullptr if none does.
  const MemberInference* farthest(bool above) const {
    const MemberInference* found = nullptr;
    for (const MemberInference& member : family_.members) {
      if (!member.in_family || !simultaneous(member)) continue;
      const stat::Interval& interval = *simultaneous(member);
      if (above ? interval.low <= center() : interval.high >= center()) continue;
      const auto distance = [&](const MemberInference& m) { return std::abs(value(m) - center()); };
      if (found == nullptr || distance(member) > distance(*found)) found = &member;
    }
    return found;
  }
  // Exact permutation agrees; against a baseline there is none.
  bool permutation_agrees() const {
    return family_.has_baseline ||
           (family_.permutation.p_value && *family_.permutation.p_value <= kFamilyLevel);
  }
  bool tail_test_rejects() const {
    return family_.permutation.tail_p_value && *family_.permutation.tail_p_value <= kTailLevel;
  }
  bool all_inside_margin() const {
    return family_.smallest_margin && *family_.smallest_margin < margin();
  }

 private:
  const FamilyInference& family_;
};

std::string shown_range(const stat::Interval& interval) {
  return fmt::format("{:.3f} to {:.3f}", interval.low, interval.high);
}

// "75 + 75 clusters (author)" or "522 + 522 examples".
std::string shown_plan(const stat::ClusterPlan& plan, const std::string& cluster_name) {
  return fmt::format(
      "{} forget and {} holdout {}", plan.positives, plan.negatives,
      cluster_name.empty() ? "examples" : fmt::format("clusters ({})", cluster_name));
}

// "AUC 0.712; 97% interval 0.604 to 0.801, adjusted for all attacks; permutation p = 0.002"
std::string figures(const MemberInference& member, const Evidence& evidence,
                    const FamilyInference& family) {
  std::string text =
      fmt::format("{} {:.3f}; {:g}% interval {}, adjusted for all attacks",
                  family.has_baseline ? "difference of AUCs" : "AUC", evidence.value(member),
                  100 * (1 - kFamilyLevel), shown_range(*evidence.simultaneous(member)));
  if (family.permutation.p_value && !family.has_baseline)
    text += "; permutation " + format_p_value(*family.permutation.p_value);
  return text;
}

// What a member above the center shows: "loss tells it from unseen text (AUC 0.712; …)".
std::string told_apart(const MemberInference& member, const Evidence& evidence,
                       const FamilyInference& family) {
  return fmt::format("{} tells it from unseen text{} ({})", member.attack,
                     family.has_baseline ? " better than under the baseline model" : "",
                     figures(member, evidence, family));
}

std::string tail_finding(const FamilyInference& family) {
  return fmt::format(
      "more forget records than chance allows are among the most familiar ones, at a false "
      "positive "
      "rate of {:g}% ({}, {})",
      100 * kTailFpr, family.members[*family.permutation.tail_attack].attack,
      format_p_value(*family.permutation.tail_p_value));
}

std::string detectable(const FamilyInference& family) {
  if (!family.would_detect) return "";
  return fmt::format("This audit would have detected {} of {:.3f} or more with probability 80%.",
                     family.has_baseline ? "a difference of AUCs" : "an AUC", *family.would_detect);
}

std::string margin_words(const FamilyInference& family) {
  return family.has_baseline
             ? fmt::format("by more than {:g} of AUC from the baseline model",
                           family.options.margin)
             : fmt::format("by an AUC outside {:g} to {:g}", 0.5 - family.options.margin,
                           0.5 + family.options.margin);
}

void add_sentence(std::string& text, const std::string& sentence) {
  if (sentence.empty()) return;
  if (!text.empty()) text += " ";
  text += sentence;
}

std::string undecided_sentence(const FamilyInference& family) {
  std::string text = "Not decided: no evidence of memory was found, but that proves little.";
  add_sentence(text, detectable(family));
  if (family.smallest_margin) {
    add_sentence(text,
                 fmt::format("The smallest margin that it supports is {:.3f}; {:g} was requested.",
                             *family.smallest_margin, family.options.margin));
  }
  if (family.needed) {
    add_sentence(text, fmt::format("About {} would decide it.",
                                   shown_plan(*family.needed, family.cluster_name)));
  }
  return text;
}

std::optional<AnswerReason> no_attack(const FamilyInference& family) {
  if (std::ranges::any_of(family.members, &MemberInference::in_family)) return std::nullopt;
  return AnswerReason{
      "no_attack",
      "No attack is left that could answer. Name one that needs no reference model, "
      "or a reference model that never saw the forget set."};
}

// Too few to say anything, whatever the scores are.
std::optional<AnswerReason> too_few(const AnswerInput& input) {
  const stat::ClusterCounts& clusters = input.family.clusters;
  const bool few_clusters = std::min(clusters.positives, clusters.negatives) < kFewestClusters;
  if (!few_clusters && std::min(input.forget_examples, input.holdout_examples) >= kFewestExamples)
    return std::nullopt;
  std::string found = fmt::format("{} forget and {} holdout examples", input.forget_examples,
                                  input.holdout_examples);
  if (!input.family.cluster_name.empty()) {
    found += fmt::format(" in {} and {} clusters ({})", clusters.positives, clusters.negatives,
                         input.family.cluster_name);
  }
  return AnswerReason{"too_few",
                      fmt::format("There are {}; at least {} examples in {} clusters of each set "
                                  "are needed before anything can be said.",
                                  found, kFewestExamples, kFewestClusters)};
}

std::vector<AnswerReason> void_reasons(const AnswerInput& input) {
  std::vector<AnswerReason> reasons = input.void_reasons;
  int64_t constant = 0;
  int64_t asked = 0;
  for (const MemberInference& member : input.family.members) {
    if (!member.in_family) continue;
    ++asked;
    if (member.constant) ++constant;
  }
  if (asked > 0 && constant == asked) {
    reasons.push_back({"constant_scores",
                       "Every example has the same score, so nothing can be distinguished. Look at "
                       "the traces: the model may give the same output for all texts."});
  }
  return reasons;
}

// Below this, as with lognormal sizes, audits found what they said they would in 70 to 79% of the
// simulations instead of 80% (docs/calibration.md).
constexpr double kUnevenClusters = 0.6;

void note_uneven_clusters(const FamilyInference& family, Answer& answer) {
  const bool says_power =
      answer.verdict == AnswerVerdict::kEquivalent || answer.verdict == AnswerVerdict::kNotDecided;
  if (!says_power || !family.would_detect || family.cluster_name.empty() ||
      family.cluster_evenness >= kUnevenClusters)
    return;
  answer.reasons.push_back(
      {"uneven_clusters",
       fmt::format("The clusters ({}) differ greatly in size, so a few of them decide how much "
                   "this audit can detect: what is said to be detected with probability 80% may be "
                   "detected in only 70% of such audits.",
                   family.cluster_name)});
}

void note_blind_spots(const FamilyInference& family, Answer& answer) {
  for (const MemberInference& member : family.members) {
    if (!member.in_family || !member.constant) continue;
    answer.reasons.push_back(
        {"constant_attack",
         fmt::format("All scores of {} are equal, so it says nothing.", member.attack)});
  }
  if (!family.permutation.tail_p_value) {
    answer.reasons.push_back(
        {"tail_not_tested",
         fmt::format("The test for a few plainly remembered records needs at least {:.0f} holdout "
                     "examples and was left out.",
                     1 / kTailFpr)});
  }
}

void name_attack(const MemberInference& member, Answer& answer) {
  answer.attack = member.attack;
  answer.attack_name = member.name;
}

void say_remembered(const FamilyInference& family, const Evidence& evidence,
                    const MemberInference* above, const MemberInference* below, Answer& answer) {
  answer.verdict = AnswerVerdict::kRemembered;
  if (above != nullptr) {
    name_attack(*above, answer);
    answer.sentence = fmt::format("The forget set is still remembered: {}.",
                                  told_apart(*above, evidence, family));
    answer.reasons.push_back({"auc", figures(*above, evidence, family)});
  } else {
    name_attack(family.members[*family.permutation.tail_attack], answer);
    answer.sentence =
        fmt::format("Some forget records are still remembered: {}.", tail_finding(family));
  }
  if (evidence.tail_test_rejects())
    answer.reasons.push_back({"tail", capitalised(tail_finding(family)) + "."});
  if (below != nullptr) {
    answer.reasons.push_back(
        {"both_directions", fmt::format("To {} the forget set looks over-forgotten ({}).",
                                        below->attack, figures(*below, evidence, family))});
  }
}

void say_within_margin(const FamilyInference& family, const Evidence& evidence,
                       const MemberInference& member, Answer& answer) {
  answer.verdict = AnswerVerdict::kDetectableWithinMargin;
  name_attack(member, answer);
  if (evidence.value(member) < evidence.center()) answer.picked_out = family.unfamiliar;
  answer.sentence = fmt::format(
      "Detectable, but within the margin: {} sees a difference ({}), but no attack tells the sets "
      "apart {}.",
      member.attack, figures(member, evidence, family), margin_words(family));
  answer.reasons.push_back({"within_margin", figures(member, evidence, family)});
}

void say_over_forgotten(const FamilyInference& family, const Evidence& evidence,
                        const MemberInference& below, Answer& answer) {
  answer.verdict = AnswerVerdict::kOverForgotten;
  name_attack(below, answer);
  answer.picked_out = family.unfamiliar;
  answer.sentence = fmt::format(
      "Over-forgotten: the forget set is less familiar to the model than {}, which gives it away "
      "as "
      "well ({}: {}).",
      family.has_baseline ? "to the baseline model" : "unseen text", below.attack,
      figures(below, evidence, family));
  answer.reasons.push_back({"auc", figures(below, evidence, family)});
}

// The verdict of an audit that can be judged at all.
void judge(const FamilyInference& family, Answer& answer) {
  const Evidence evidence(family);
  const MemberInference* above = evidence.farthest(true);
  const MemberInference* below = evidence.farthest(false);
  const bool tail = evidence.tail_test_rejects();
  const bool inside = evidence.all_inside_margin() && !tail;
  if (inside && (above != nullptr || below != nullptr)) {
    say_within_margin(family, evidence, above != nullptr ? *above : *below, answer);
  } else if (tail || (above != nullptr && evidence.permutation_agrees())) {
    say_remembered(family, evidence, evidence.permutation_agrees() ? above : nullptr, below,
                   answer);
  } else if (below != nullptr && evidence.permutation_agrees()) {
    say_over_forgotten(family, evidence, *below, answer);
  } else if (inside) {
    answer.verdict = AnswerVerdict::kEquivalent;
    answer.sentence = fmt::format(
        "No evidence of memory was found: no attack tells the forget set from unseen text {} (90% "
        "intervals of all attacks).",
        margin_words(family));
    add_sentence(answer.sentence, detectable(family));
  } else {
    answer.sentence = undecided_sentence(family);
  }
}

}  // namespace

std::string_view name_of(AnswerVerdict verdict) {
  for (const auto& [known, name] : kVerdictNames) {
    if (known == verdict) return name;
  }
  PALIMPSEST_CHECK(false);
  return "";
}

std::optional<AnswerVerdict> verdict_named(std::string_view name) {
  for (const auto& [verdict, known] : kVerdictNames) {
    if (known == name) return verdict;
  }
  return std::nullopt;
}

std::string verdict_words(AnswerVerdict verdict) {
  std::string words(name_of(verdict));
  std::ranges::replace(words, '_', ' ');
  return words;
}

Answer answer_of(const AnswerInput& input) {
  const FamilyInference& family = input.family;
  Answer answer{.margin = family.options.margin,
                .smallest_margin = family.smallest_margin,
                .level = kFamilyLevel + kTailLevel,
                .p_value = family.permutation.p_value,
                .tail_p_value = family.permutation.tail_p_value,
                .clusters = {.key = family.cluster_name,
                             .forget = family.clusters.positives,
                             .holdout = family.clusters.negatives,
                             .icc = family.icc,
                             .design_effect = family.design_effect},
                .would_detect = family.would_detect,
                .needed = family.needed,
                .against_baseline = family.has_baseline};
  std::vector<AnswerReason> reasons = void_reasons(input);
  if (!reasons.empty()) {
    answer.verdict = AnswerVerdict::kVoid;
    answer.sentence = "Void: this audit cannot answer. " + reasons.front().text;
    answer.reasons = std::move(reasons);
    return answer;
  }
  std::optional<AnswerReason> undecidable = no_attack(family);
  if (!undecidable) undecidable = too_few(input);
  if (!undecidable) undecidable = input.suspected_dependence;
  if (undecidable) {
    answer.sentence = "Not decided. " + undecidable->text;
    answer.reasons.push_back(std::move(*undecidable));
    return answer;
  }
  answer.picked_out = family.familiar;
  judge(family, answer);
  note_blind_spots(family, answer);
  note_uneven_clusters(family, answer);
  return answer;
}

}  // namespace palimpsest::attack
