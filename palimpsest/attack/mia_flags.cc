#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia/red_flags.h"

namespace palimpsest::attack {
namespace {

std::optional<SeparatingTexts> texts_that_separate(const MiaReport& report) {
  const std::optional<BlindBaseline>& blind = report.blind;
  if (!blind || !blind->separates(report.answer.margin)) return std::nullopt;
  SeparatingTexts texts{
      .auc = blind->auc, .p_value = blind->p_value, .null_range = blind->null_range};
  for (const InformativeFeature& feature : blind->informative)
    texts.informative.push_back(fmt::format("'{}' ({})", feature.name, feature.side));
  return texts;
}

}  // namespace

RedFlagFacts flag_facts(const MiaReport& report) {
  RedFlagFacts facts{.separating_texts = texts_that_separate(report),
                     .holdout = static_cast<int64_t>(report.holdout.size())};
  // An audit that was never judged has no sentence.
  if (!report.answer.sentence.empty()) facts.verdict = report.answer.verdict;
  if (const auto leading = report.leading_attack()) facts.auc = report.outcomes[*leading].auc;
  for (size_t i = 0; i < report.fprs.size(); ++i) {
    if (std::ranges::none_of(report.outcomes, [&](const AttackOutcome& outcome) {
          return outcome.rates.tpr_at_fpr[i].has_value();
        }))
      facts.unresolved_fprs.push_back(report.fprs[i]);
  }
  return facts;
}

}  // namespace palimpsest::attack
