#include "palimpsest/report/page/auc_headline.h"

#include <fmt/format.h>

namespace palimpsest {
namespace {

std::string question_about(const std::string& model) {
  return fmt::format("Does {} still recognise the forget set?",
                     model.empty() ? "the model" : model);
}

// What is known, in the order of the verdicts' levels.
std::string opening(const Verdict& verdict) {
  if (verdict.direction == VerdictDirection::kOverForgotten) {
    return "Over-forgotten: the forget set looks less familiar than unseen text, which gives it "
           "away";
  }
  switch (verdict.level) {
    case VerdictLevel::kIndistinguishable:
      return "No: it cannot be told from unseen text";
    case VerdictLevel::kInconclusive:
      return "Not decided: these examples are too few to tell";
    case VerdictLevel::kWeak:
      return "Slightly: it can be told from unseen text, if weakly";
    case VerdictLevel::kModerate:
      return "Yes, in part: it can be told from unseen text";
    case VerdictLevel::kStrong:
      return "Yes: it is well told from unseen text";
    case VerdictLevel::kPlain:
      return "Yes, plainly: it is told from unseen text almost without error";
  }
  return "";
}

}  // namespace

PageTone tone_of(const Verdict& verdict) {
  switch (verdict.level) {
    case VerdictLevel::kIndistinguishable:
      return PageTone::kGood;
    case VerdictLevel::kInconclusive:
    case VerdictLevel::kWeak:
      return PageTone::kCaution;
    case VerdictLevel::kModerate:
    case VerdictLevel::kStrong:
    case VerdictLevel::kPlain:
      return PageTone::kBad;
  }
  return PageTone::kNeutral;
}

std::string shown_auc(double auc, const std::optional<Interval>& interval, double confidence) {
  if (!interval) return fmt::format("{:.3f}", auc);
  // The spaces within an interval do not break.
  return fmt::format("{:.3f} ({:g}% interval {:.3f}\u00A0…\u00A0{:.3f})", auc, 100 * confidence,
                     interval->low, interval->high);
}

PageHeadline unknown_headline(const std::string& model) {
  return {.question = question_about(model),
          .answer = "Not known: no attack has a score for examples of both sets.",
          .tone = PageTone::kCaution};
}

PageHeadline auc_headline(const AucAnswer& answer) {
  PageHeadline headline{.question = question_about(answer.model),
                        .tone = PageTone::kCaution,
                        .value_name = "AUC of " + answer.attack,
                        .value = answer.auc,
                        .interval = answer.interval};
  std::string opened = "There is no interval to judge by";
  if (answer.interval) {
    const Verdict verdict = verdict_of(answer.auc, *answer.interval);
    opened = opening(verdict);
    headline.tone = tone_of(verdict);
    headline.action = fmt::format("What to do: {}.", verdict.action);
  }
  headline.answer = fmt::format("{}; AUC {} by {}{}.", opened,
                                shown_auc(answer.auc, answer.interval, answer.confidence),
                                answer.attack, answer.is_strongest ? ", the strongest attack" : "");
  return headline;
}

}  // namespace palimpsest
