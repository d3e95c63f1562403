#include "palimpsest/report/page/red_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace palimpsest {
namespace {

constexpr double kRounding = 1e-9;  // 0.55 - 0.5 is a little more than 0.05

PageFlag collapse(double auc, double forget_accuracy) {
  return {PageTone::kBad, "Possible collapse",
          fmt::format("The model answers only {:.2f} of the questions about the forget set and "
                      "still tells it from unseen text (AUC {:.3f}). It may be broken rather than "
                      "cleaned: look at what it generates.",
                      forget_accuracy, auc)};
}

PageFlag over_unlearning(double auc, double retain_accuracy) {
  return {PageTone::kBad, "Over-unlearning",
          fmt::format("The forget set cannot be told from unseen text (AUC {:.3f}), but of the "
                      "questions about what the model was to keep only {:.2f} are answered, too. "
                      "Forgetting everything is not unlearning.",
                      auc, retain_accuracy)};
}

PageFlag superficial(double auc, double forget_accuracy) {
  return {PageTone::kBad, "Superficial unlearning",
          fmt::format("The attack cannot tell the forget set from unseen text (AUC {:.3f}), but "
                      "{:.2f} of the questions about it are still answered. The knowledge is "
                      "there; a stronger attack will find it.",
                      auc, forget_accuracy)};
}

PageFlag flawed_benchmark(double auc, const std::optional<Interval>& null_range) {
  const std::string range = null_range ? fmt::format("; {:.3f} … {:.3f} if the labels are permuted",
                                                     null_range->low, null_range->high)
                                       : "";
  return {PageTone::kBad, "The sets differ without any model",
          fmt::format("A classifier that sees the texts alone tells forget from holdout (AUC "
                      "{:.3f}{}). The attacks may have read topic or style, not memory: choose a "
                      "holdout set from the same source, or compare with a model that never saw "
                      "the forget set.",
                      auc, range)};
}

PageFlag small_sample(int64_t holdout, const std::vector<double>& fprs) {
  const double smallest = *std::min_element(fprs.begin(), fprs.end());
  return {PageTone::kCaution, "Too few holdout examples",
          fmt::format("{} holdout {} cannot resolve a false positive rate of {:g}%: that takes at "
                      "least {:.0f}. The true positive rate at it is left open.",
                      holdout, holdout == 1 ? "example" : "examples", 100 * smallest,
                      std::ceil(1 / smallest - kRounding))};
}

}  // namespace

std::vector<PageFlag> red_flags(const RedFlagFacts& facts) {
  std::vector<PageFlag> flags;
  const bool forget_low = facts.forget_accuracy && *facts.forget_accuracy < kLowAccuracy;
  const bool forget_high = facts.forget_accuracy && *facts.forget_accuracy > kHighAccuracy;
  const bool retain_low = facts.retain_accuracy && *facts.retain_accuracy < kLowAccuracy;
  if (facts.auc) {
    const bool near_half = std::abs(*facts.auc - 0.5) <= kNearHalf + kRounding;
    if (*facts.auc > kHighAuc && forget_low)
      flags.push_back(collapse(*facts.auc, *facts.forget_accuracy));
    if (near_half && retain_low)
      flags.push_back(over_unlearning(*facts.auc, *facts.retain_accuracy));
    if (near_half && forget_high) flags.push_back(superficial(*facts.auc, *facts.forget_accuracy));
  }
  if (facts.separating_blind_auc)
    flags.push_back(flawed_benchmark(*facts.separating_blind_auc, facts.blind_null_range));
  if (!facts.unresolved_fprs.empty())
    flags.push_back(small_sample(facts.holdout, facts.unresolved_fprs));
  return flags;
}

}  // namespace palimpsest
