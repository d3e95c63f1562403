#include "palimpsest/report/internal/page/answer_headline.h"

#include <fmt/format.h>

namespace palimpsest::report {
namespace {

std::string question_about(const std::string& model) {
  return fmt::format("Does {} still remember the forget set?", model.empty() ? "the model" : model);
}

// Reasons are sentences or parts of one.
std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  if (text.back() != '.' && text.back() != '!') text += '.';
  return text;
}

std::string shown_clusters(const attack::AnswerClusters& clusters) {
  return fmt::format("{} + {}", clusters.forget, clusters.holdout);
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
  PageHeadline headline{.question = question_about(model),
                        .answer = answer.sentence,
                        .tone = tone_of(answer.verdict)};
  for (const attack::AnswerReason& reason : answer.reasons) {
    // What the sentence says already is not said again.
    if (answer.sentence.find(reason.text) != std::string::npos) continue;
    headline.reasons.push_back(as_sentence(reason.text));
  }
  return headline;
}

std::vector<PageEntry> answer_figures(const attack::Answer& answer) {
  const std::string of = answer.against_baseline ? "difference" : "AUC";
  std::vector<PageEntry> figures = {{answer.clusters.key.empty()
                                         ? "forget + holdout, counted as independent"
                                         : fmt::format("clusters ({})", answer.clusters.key),
                                     shown_clusters(answer.clusters)}};
  if (answer.clusters.design_effect) {
    figures.push_back(
        {"design effect of the clusters", fmt::format("{:.2f}", *answer.clusters.design_effect)});
  }
  figures.push_back(
      {fmt::format("smallest margin supported (asked: {:g})", answer.margin),
       answer.smallest_margin ? fmt::format("{:.3f}", *answer.smallest_margin) : "none"});
  if (answer.would_detect) {
    figures.push_back({fmt::format("{} detected with probability 80%", of),
                       fmt::format("{:.3f}", *answer.would_detect)});
  }
  return figures;
}

PageHeadline neutral_headline(const std::string& model, const AucFinding& finding) {
  return {
      .question = question_about(model),
      .answer = fmt::format(
          "No answer was drawn. AUC {} by {}{}.",
          shown_auc(finding.auc, finding.interval, finding.confidence), finding.attack,
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
