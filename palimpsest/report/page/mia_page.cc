#include "palimpsest/report/page/mia_page.h"

#include <fmt/format.h>

#include <string_view>

#include "palimpsest/base/internal/strings.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/report/internal/page/answer_headline.h"
#include "palimpsest/report/internal/page/claim_limits.h"
#include "palimpsest/report/internal/page/mia_examples.h"
#include "palimpsest/report/internal/page/mia_parts.h"

namespace palimpsest::report {
namespace {

std::string title_of(const attack::MiaReport& report) {
  if (!report.title.empty()) return report.title;
  const std::string model = report.shown_model();
  return model.empty() ? "Audit" : "Audit of " + model;
}

// The answer, with the AUC of the attack that it speaks of. A void audit's AUC is not drawn: it
// means nothing.
PageHeadline headline(const attack::MiaReport& report, const std::optional<size_t>& leading) {
  const std::string model = report.shown_model();
  if (report.answer.sentence.empty()) return unknown_headline(model);
  PageHeadline page = answer_headline(model, report.answer);
  if (!leading || report.answer.verdict == attack::AnswerVerdict::kVoid) return page;
  const attack::AttackOutcome& outcome = report.outcomes[*leading];
  page.value_name = "AUC of " + outcome.title;
  page.value = outcome.auc;
  page.interval = outcome.auc_ci_simultaneous ? outcome.auc_ci_simultaneous : outcome.auc_ci;
  return page;
}

std::vector<PageEntry> key_figures(const attack::MiaReport& report,
                                   const std::optional<size_t>& leading) {
  std::vector<PageEntry> figures;
  // Without clusters the answer's own figures say how many examples there are.
  if (report.clusters.is_given()) {
    figures = {{"forget examples", std::to_string(report.forget.size())},
               {"holdout examples", std::to_string(report.holdout.size())}};
  }
  for (PageEntry& figure : answer_figures(report.answer)) figures.push_back(std::move(figure));
  if (leading && report.answer.verdict != attack::AnswerVerdict::kVoid) {
    const attack::AttackOutcome& outcome = report.outcomes[*leading];
    figures.push_back(
        {fmt::format("{} one by one (FDR {:g}%)", outcome.reversed ? "conspicuous" : "recognised",
                     100 * report.false_discovery_rate),
         std::to_string(outcome.stronger_rates().records.recognised.size())});
  }
  if (report.blind) {
    figures.push_back(
        {"AUC of the texts alone",
         fmt::format("{:.3f} ({})", report.blind->auc, format_p_value(report.blind->p_value))});
  }
  return figures;
}

std::vector<PageFlag> flags_of(const attack::MiaReport& report) {
  std::vector<PageFlag> flags;
  for (const attack::RedFlag& flag : report.flags) flags.push_back(page_flag(flag));
  return flags;
}

std::vector<std::string> limits_of(const attack::MiaReport& report) {
  ClaimFacts facts{.answer = report.answer,
                   .forget = static_cast<int64_t>(report.forget.size()),
                   .holdout = static_cast<int64_t>(report.holdout.size())};
  if (report.blind) facts.texts_p_value = report.blind->p_value;
  for (const attack::AttackOutcome& outcome : report.outcomes)
    facts.attacks.push_back(outcome.title);
  return claim_limits(facts);
}

constexpr std::string_view kMiaExplanations[][2] = {
    {"The question",
     "An unlearned model should treat what it was asked to forget like text that it never saw. An "
     "attack gives every example a score, low where the model seems to know it. If the scores of "
     "the forget set and of the holdout set can be told apart, something is remembered, or was "
     "removed so hard that the hole shows."},
    {"AUC",
     "The probability that a holdout example has a higher score than a forget example. 1: plainly "
     "remembered; 0.5: indistinguishable, the goal; 0: over-forgotten. Intervals come from leaving "
     "out one cluster of examples at a time, and count clusters, not examples."},
    {"The answer",
     "All attacks are judged together. Their 97% intervals hold simultaneously, and a test that "
     "permutes whole clusters between the sets must agree (3% false alarms); a further test looks "
     "for a few records that are plainly remembered (2%). The answer is \"equivalent\" only if the "
     "90% intervals of all attacks lie within the margin. Otherwise the audit does not decide."},
    {"The texts alone",
     "A classifier that never sees the model tries to tell the two sets apart by their words. If "
     "it can, the sets differ in topic, style or time, and the attacks may have read that. Its "
     "p-value comes from permuting the labels of whole clusters. If it cannot, that proves "
     "nothing: it sees words and lengths only."},
    {"Single records",
     "Each forget example is compared with all holdout examples; q-values are corrected for the "
     "number of records, so that the share of wrongly recognised ones stays below the requested "
     "rate."},
    {"Tokens",
     "Coloured by the log-probability that the model gives the true token: the more colour, the "
     "more surprised it is. Underlined are the tokens that Min-K looks at."},
};

std::vector<PageEntry> methods(const attack::MiaReport& report) {
  std::vector<PageEntry> entries;
  for (const auto& [title, text] : kMiaExplanations) {
    if (title == "The texts alone" && !report.blind) continue;
    entries.push_back({std::string(title), std::string(text)});
  }
  // What each attack measures, however often it was asked for with other parameters.
  for (const attack::AttackMethod& method : report.methods) {
    entries.push_back(
        {method.attack, method.paper.empty()
                            ? fmt::format("{}.", capitalised(method.measures))
                            : fmt::format("{}. {}.", capitalised(method.measures), method.paper)});
  }
  return entries;
}

}  // namespace

PageData mia_page(const attack::MiaReport& report, const MiaPageOptions& options) {
  const std::optional<size_t> leading = report.leading_attack();
  PageData page{.title = title_of(report),
                .headline = headline(report, leading),
                .key_numbers = key_figures(report, leading),
                .flags = flags_of(report),
                .notes = report.warnings,
                .limits = limits_of(report),
                .methods = methods(report),
                .run = options.run};
  page.notes.insert(page.notes.end(), report.notes.begin(), report.notes.end());
  if (report.outcomes.empty()) return page;
  const size_t shown = leading.value_or(0);
  page.tables = mia_tables(report, shown);
  page.charts = mia_charts(report, shown);
  page.examples = mia_examples(report, shown, options.examples, options.run);
  return page;
}

}  // namespace palimpsest::report
