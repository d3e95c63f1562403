#include "palimpsest/report/internal/page/answer_headline.h"

#include <fmt/format.h>

#include <cmath>

#include "palimpsest/attack/internal/mia/plain_answer.h"
#include "palimpsest/base/internal/strings.h"

namespace palimpsest::report {
namespace {

std::string question_about(const std::string& model) {
  return fmt::format("Does {} still remember what it was asked to forget?",
                     model.empty() ? "the model" : model);
}

// Reasons are sentences or parts of one.
std::string as_sentence(std::string text) {
  if (!text.empty() && text.back() != '.' && text.back() != '!') text += '.';
  return capitalised(std::move(text));
}

// "29 (13 … 45)"; negative numbers with a minus.
PageEntry picked_figure(const attack::Answer& answer) {
  const attack::PickedOut& picked = *answer.picked_out;
  const auto shown = [](double share) {
    const auto number = std::llround(100 * share);
    return number < 0 ? fmt::format("−{}", -number) : std::to_string(number);
  };
  std::string text = shown(picked.excess);
  if (picked.interval)
    text += fmt::format(" ({}\u00A0…\u00A0{})", shown(picked.interval->low),
                        shown(picked.interval->high));
  return {answer.against_baseline ? "of 100 picked out beyond the baseline"
                                  : "of 100 picked out beyond chance",
          text};
}

}  // namespace

PageTone tone_of(attack::AnswerVerdict verdict) {
  switch (verdict) {
    case attack::AnswerVerdict::kRemembered:
    case attack::AnswerVerdict::kOverForgotten:
    case attack::AnswerVerdict::kVoid:
      return PageTone::kBad;
    case attack::AnswerVerdict::kNotDecided:
    case attack::AnswerVerdict::kDetectableWithinMargin:
      return PageTone::kCaution;
    case attack::AnswerVerdict::kEquivalent:
      return PageTone::kGood;
  }
  return PageTone::kNeutral;
}

std::string shown_auc(double auc, const std::optional<stat::Interval>& interval,
                      double confidence) {
  if (!interval) return fmt::format("{:.3f}", auc);
  // The spaces within an interval do not break.
  return fmt::format("{:.3f} ({:g}% interval {:.3f}\u00A0…\u00A0{:.3f})", auc, 100 * confidence,
                     interval->low, interval->high);
}

PageHeadline answer_headline(const std::string& model, const attack::Answer& answer) {
  const attack::PlainAnswer plain = attack::plain_answer(answer);
  PageHeadline headline{.question = question_about(model),
                        .answer = plain.headline,
                        .certainty = plain.certainty,
                        .statistics = answer.sentence,
                        .detects = plain.detects,
                        .misses = plain.misses,
                        .tone = tone_of(answer.verdict)};
  for (const attack::AnswerReason& reason : answer.reasons) {
    // What the sentence says already is not said again.
    if (answer.sentence.find(reason.text) != std::string::npos) continue;
    headline.reasons.push_back(as_sentence(reason.text));
  }
  return headline;
}

PageFlag page_flag(const attack::RedFlag& flag) {
  return {flag.is_caution ? PageTone::kCaution : PageTone::kBad, flag.title, flag.text};
}

std::vector<PageEntry> answer_figures(const attack::Answer& answer) {
  const std::string of = answer.against_baseline ? "difference" : "AUC";
  std::vector<PageEntry> figures;
  using enum attack::AnswerVerdict;
  const bool was_found = answer.verdict == kRemembered || answer.verdict == kOverForgotten ||
                         answer.verdict == kDetectableWithinMargin;
  if (answer.picked_out && was_found) figures.push_back(picked_figure(answer));
  figures.push_back({answer.clusters.key.empty()
                         ? "forget + holdout, counted as independent"
                         : fmt::format("clusters ({})", answer.clusters.key),
                     fmt::format("{} + {}", answer.clusters.forget, answer.clusters.holdout)});
  if (answer.clusters.design_effect) {
    figures.push_back(
        {"design effect of the clusters", fmt::format("{:.2f}", *answer.clusters.design_effect)});
  }
  if (answer.verdict == kVoid) return figures;  // what follows would mean nothing
  if (answer.smallest_margin) {
    figures.push_back({fmt::format("smallest margin supported (asked: {:g})", answer.margin),
                       fmt::format("{:.3f}", *answer.smallest_margin)});
  }
  if (answer.would_detect) {
    figures.push_back({fmt::format("{} detected with probability 80%", of),
                       fmt::format("{:.3f}", *answer.would_detect)});
  }
  return figures;
}

PageHeadline neutral_headline(const std::string& model, const AucFinding& finding) {
  return {
      .question = question_about(model),
      .answer = "No answer was drawn.",
      .statistics = fmt::format(
          "AUC {} by {}{}.", shown_auc(finding.auc, finding.interval, finding.confidence),
          finding.attack,
          finding.attacks > 1
              ? fmt::format(", the highest of {} attacks, picked after the fact", finding.attacks)
              : ""),
      .tone = PageTone::kNeutral,
      .value_name = "AUC of " + finding.attack,
      .value = finding.auc,
      .interval = finding.interval};
}

PageHeadline unknown_headline(const std::string& model) {
  return {.question = question_about(model),
          .answer = "Not known: no attack has a score for examples of both sets.",
          .tone = PageTone::kCaution};
}

}  // namespace palimpsest::report
