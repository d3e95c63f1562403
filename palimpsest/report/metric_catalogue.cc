#include "palimpsest/report/internal/metric_catalogue.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "palimpsest/report/run_results.h"

namespace palimpsest::report {
namespace {

constexpr int kLastRank = 100;

// The names of the benchmarks TOFU and MUSE.
const std::map<std::string, MetricFacts>& known_metrics() {
  using enum MetricQuestion;
  static const std::map<std::string, MetricFacts> metrics = {
      {"forget_quality", {"Like a retrained model (p-value)", kRemembers, CellScale::kNone, 5}},
      {"forget_quality_mean_difference",
       {"Truth ratio, difference from a retrained model", kRemembers, CellScale::kNone, kLastRank}},
      {"forget_quality_ks_distance",
       {"Truth ratio, distance from a retrained model", kRemembers, CellScale::kShare, kLastRank}},
      {"privleak", {"Leak against a retrained model (%)", kRemembers, CellScale::kNone, 8}},
      {"forget_verbmem_ROUGE",
       {"Forgotten text continued word for word", kRemembers, CellScale::kShare, 6}},
      {"extraction_strength", {"Share that can be extracted", kRemembers, CellScale::kShare, 9}},
      {"exact_memorization", {"Tokens reproduced exactly", kRemembers, CellScale::kShare, 10}},
      {"forget_Q_A_ROUGE", {"Answers to forgotten questions", kAnswers, CellScale::kShare, 2}},
      {"forget_knowmem_ROUGE", {"Answers to forgotten questions", kAnswers, CellScale::kShare, 2}},
      {"forget_Q_A_Prob", {"Probability of forgotten answers", kAnswers, CellScale::kShare, 7}},
      {"model_utility", {"Utility on everything else", kIntact, CellScale::kShare, 3}},
      {"retain_Q_A_ROUGE", {"Answers to questions to be kept", kIntact, CellScale::kShare, 4}},
      {"retain_knowmem_ROUGE", {"Answers to questions to be kept", kIntact, CellScale::kShare, 4}},
  };
  return metrics;
}

struct NamePart {
  std::string_view raw;
  std::string_view shown;
};

// TOFU names its metrics after a set and a way of asking: wf_Q_A_Prob.
constexpr std::array kSets = std::to_array<NamePart>({{"forget_", "forgotten questions"},
                                                      {"retain_", "questions to be kept"},
                                                      {"ra_", "real authors"},
                                                      {"wf_", "world facts"}});
constexpr std::array kWays =
    std::to_array<NamePart>({{"Q_A_Prob", "Probability of the answer"},
                             {"Q_A_Prob_normalised", "Probability against wrong answers"},
                             {"Q_A_ROUGE", "Answers"},
                             {"Q_A_PARA_Prob", "Probability of a paraphrased answer"},
                             {"Q_A_PARA_ROUGE", "Paraphrased answers"},
                             {"Q_A_PERT_Prob", "Probability of wrong answers"},
                             {"Q_A_PERT_ROUGE", "Wrong answers"},
                             {"Truth_Ratio", "Truth ratio"}});

std::optional<MetricFacts> named_after_set(std::string_view name) {
  for (const NamePart& set : kSets) {
    if (!name.starts_with(set.raw)) continue;
    for (const NamePart& way : kWays) {
      if (name.substr(set.raw.size()) != way.raw) continue;
      return MetricFacts{
          .shown = fmt::format("{}, {}", way.shown, set.shown),
          .question = set.raw == "forget_" ? MetricQuestion::kAnswers : MetricQuestion::kIntact,
          .scale = CellScale::kShare,
          .rank = kLastRank};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string words_of(MetricQuestion question) {
  constexpr const char* kWords[] = {"Does it remember?",
                                    "Can it still answer what it was to forget?", "Is it intact?",
                                    "Other metrics"};
  return kWords[static_cast<size_t>(question)];
}

MetricFacts facts_of(const std::string& label, bool is_attack) {
  if (is_attack) {
    const size_t begin = label.starts_with(kAttackPrefix) ? kAttackPrefix.size() : 0;
    return {.shown = fmt::format("Recognised by {} (AUC)", label.substr(begin)),
            .question = MetricQuestion::kRemembers,
            .scale = CellScale::kAuc,
            .rank = 50};
  }
  const auto known = known_metrics().find(label);
  if (known != known_metrics().end()) return known->second;
  if (auto facts = named_after_set(label)) return *facts;
  return {.shown = label, .rank = kLastRank};
}

}  // namespace palimpsest::report
