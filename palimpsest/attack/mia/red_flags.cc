#include "palimpsest/attack/mia/red_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/stat/tpr_interval.h"

namespace palimpsest::attack {
namespace {

constexpr double kRounding = 1e-9;  // 0.55 - 0.5 is a little more than 0.05

RedFlag collapse(double auc, double forget_accuracy) {
  return {"collapse", false, "Possible collapse",
          fmt::format("The model answers only a share of {:.2f} of the questions about the forget "
                      "set, and yet attacks still tell this set from unseen text (AUC {:.3f}). The "
                      "model may be broken rather than cleaned: look at what it generates.",
                      forget_accuracy, auc)};
}

RedFlag over_unlearning(double auc, double retain_accuracy) {
  return {"over_unlearning", false, "Over-unlearning",
          fmt::format("No memory of the forget set was found (AUC {:.3f}), but the model answers "
                      "only a share of {:.2f} of the questions about what it was to keep. "
                      "Forgetting everything is not unlearning.",
                      auc, retain_accuracy)};
}

RedFlag superficial(double auc, double forget_accuracy) {
  return {"superficial_unlearning", false, "Superficial unlearning",
          fmt::format("The attacks found no memory of the forget set (AUC {:.3f}), but a share of "
                      "{:.2f} of the questions about it is still answered. The knowledge is there; "
                      "a stronger attack may find it.",
                      auc, forget_accuracy)};
}

RedFlag flawed_benchmark(const SeparatingTexts& texts) {
  std::string found = fmt::format("AUC {:.3f}", texts.auc);
  if (texts.p_value) found += ", " + format_p_value(*texts.p_value);
  if (texts.null_range) {
    found += fmt::format("; {:.3f} … {:.3f} if the labels are permuted", texts.null_range->low,
                         texts.null_range->high);
  }
  const std::string words =
      texts.informative.empty()
          ? ""
          : fmt::format(" What gives them away most: {}.", fmt::join(texts.informative, ", "));
  return {
      "texts_differ", false, "The sets differ without any model",
      fmt::format("A classifier that sees the texts alone tells forget from holdout ({}).{} The "
                  "attacks may have read topic or style, not memory: choose a holdout set from "
                  "the same source, or compare with a model that never saw the forget set.",
                  found, words)};
}

RedFlag small_sample(int64_t holdout, const std::vector<double>& fprs) {
  const double smallest = *std::min_element(fprs.begin(), fprs.end());
  return {"small_sample", true, "Too few holdout examples",
          fmt::format("{} holdout {} cannot resolve a false positive rate of {:g}%: that takes at "
                      "least {}. The true positive rate at it is left open.",
                      holdout, holdout == 1 ? "example" : "examples", 100 * smallest,
                      stat::negatives_for_fpr(smallest))};
}

std::optional<double> first_value(const FindMetric& find,
                                  std::initializer_list<const char*> metrics) {
  for (const char* metric : metrics) {
    if (const std::optional<double>* value = find(metric)) return *value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SeparatingTexts> separating_texts(const std::optional<BlindBaseline>& blind,
                                                double margin) {
  if (!blind || !blind->separates(margin)) return std::nullopt;
  SeparatingTexts texts{
      .auc = blind->auc, .p_value = blind->p_value, .null_range = blind->null_range};
  for (const InformativeFeature& feature : blind->informative)
    texts.informative.push_back(fmt::format("'{}' ({})", feature.name, feature.side));
  return texts;
}

void set_accuracies(const FindMetric& find, RedFlagFacts& facts) {
  facts.forget_accuracy = first_value(find, {"forget_Q_A_ROUGE", "forget_knowmem_ROUGE"});
  facts.retain_accuracy = first_value(find, {"retain_Q_A_ROUGE", "retain_knowmem_ROUGE"});
}

RedFlagFacts flag_facts(const MiaReport& report) {
  RedFlagFacts facts{.separating_texts = separating_texts(report.blind, report.answer.margin),
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

std::vector<RedFlag> red_flags(const RedFlagFacts& facts) {
  std::vector<RedFlag> flags;
  const bool forget_low = facts.forget_accuracy && *facts.forget_accuracy < kLowAccuracy;
  const bool forget_high = facts.forget_accuracy && *facts.forget_accuracy > kHighAccuracy;
  const bool retain_low = facts.retain_accuracy && *facts.retain_accuracy < kLowAccuracy;
  if (facts.auc) {
    using enum AnswerVerdict;
    const bool remembered = !facts.verdict || *facts.verdict == kRemembered;
    const bool nothing_found = !facts.verdict || *facts.verdict == kEquivalent ||
                               *facts.verdict == kDetectableWithinMargin ||
                               *facts.verdict == kNotDecided;
    const bool near_half = nothing_found && std::abs(*facts.auc - 0.5) <= kNearHalf + kRounding;
    if (remembered && *facts.auc > kHighAuc && forget_low)
      flags.push_back(collapse(*facts.auc, *facts.forget_accuracy));
    if (near_half && retain_low)
      flags.push_back(over_unlearning(*facts.auc, *facts.retain_accuracy));
    if (near_half && forget_high) flags.push_back(superficial(*facts.auc, *facts.forget_accuracy));
  }
  if (facts.separating_texts) flags.push_back(flawed_benchmark(*facts.separating_texts));
  if (!facts.unresolved_fprs.empty())
    flags.push_back(small_sample(facts.holdout, facts.unresolved_fprs));
  return flags;
}

std::string flags_to_json(const std::vector<RedFlag>& flags) {
  Json list = Json::array();
  for (const RedFlag& flag : flags) {
    list.push_back({{"code", flag.code},
                    {"severity", flag.is_caution ? "caution" : "red"},
                    {"title", flag.title},
                    {"text", flag.text}});
  }
  return to_text(list);
}

std::vector<RedFlag> flags_from_json(const std::string& json, const std::string& where) {
  std::vector<RedFlag> flags;
  const Json list = parse_json(json, where);
  if (!list.is_array()) return flags;
  for (const Json& entry : list) {
    if (!entry.is_object()) continue;
    const auto text = [&](const char* key) {
      const auto found = entry.find(key);
      return found != entry.end() && found->is_string() ? found->get<std::string>() : "";
    };
    flags.push_back({text("code"), text("severity") == "caution", text("title"), text("text")});
  }
  return flags;
}

std::string flags_to_text(const std::vector<RedFlag>& flags, size_t width) {
  std::string text;
  for (const RedFlag& flag : flags) {
    if (flag.is_caution) continue;
    text += wrapped(fmt::format("RED FLAG: {}. {}", flag.title, flag.text), width, 2);
  }
  return text;
}

}  // namespace palimpsest::attack
