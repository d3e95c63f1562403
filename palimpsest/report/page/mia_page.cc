#include "palimpsest/report/page/mia_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "palimpsest/report/page/auc_headline.h"
#include "palimpsest/report/page/mia_charts.h"
#include "palimpsest/report/page/mia_tables.h"
#include "palimpsest/report/page/red_flags.h"

namespace palimpsest {
namespace {

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

PageHeadline headline(const MiaReport& report, const std::optional<size_t>& strongest) {
  if (!strongest) return unknown_headline(report.model);
  const AttackOutcome& outcome = report.outcomes[*strongest];
  return auc_headline({.model = report.model,
                       .attack = outcome.attack,
                       .auc = *outcome.auc,
                       .interval = outcome.auc_ci_delong,
                       .confidence = report.confidence,
                       .is_strongest = report.outcomes.size() > 1});
}

std::vector<PageEntry> key_figures(const MiaReport& report,
                                   const std::optional<size_t>& strongest) {
  std::vector<PageEntry> figures = {
      {"forget examples", std::to_string(report.forget.size())},
      {"holdout examples", std::to_string(report.holdout.size())},
      {"smallest AUC that they tell from 0.5",
       report.power.smallest_auc ? fmt::format("{:.3f}", *report.power.smallest_auc) : "none"}};
  if (strongest) {
    figures.push_back(
        {fmt::format("recognised one by one (FDR {:g}%)", 100 * report.false_discovery_rate),
         std::to_string(report.outcomes[*strongest].records.recognised.size())});
  }
  if (report.blind)
    figures.push_back({"AUC of the texts alone", fmt::format("{:.3f}", report.blind->auc)});
  return figures;
}

RedFlagFacts flag_facts(const MiaReport& report, const std::optional<size_t>& strongest,
                        const MiaPageOptions& options) {
  RedFlagFacts facts{.forget_accuracy = options.forget_accuracy,
                     .retain_accuracy = options.retain_accuracy,
                     .holdout = static_cast<int64_t>(report.holdout.size())};
  if (strongest) facts.auc = report.outcomes[*strongest].auc;
  if (report.blind && report.blind->separates()) {
    facts.separating_blind_auc = report.blind->auc;
    facts.blind_null_range = report.blind->null_range;
  }
  for (size_t i = 0; i < report.fprs.size(); ++i) {
    if (std::none_of(report.outcomes.begin(), report.outcomes.end(),
                     [&](const AttackOutcome& o) { return o.tpr_at_fpr[i].has_value(); }))
      facts.unresolved_fprs.push_back(report.fprs[i]);
  }
  return facts;
}

constexpr std::string_view kMiaExplanations[][2] = {
    {"The question",
     "An unlearned model should treat what it was asked to forget like text that it never saw. An "
     "attack gives every example a score, low where the model seems to know it. If the scores of "
     "the forget set and of the holdout set can be told apart, something is remembered, or was "
     "removed so hard that the hole shows."},
    {"AUC",
     "The probability that a holdout example has a higher score than a forget example. 1: plainly "
     "remembered; 0.5: indistinguishable, the goal; 0: over-forgotten. Intervals by DeLong's "
     "method on the logit scale."},
    {"The strongest attack",
     "The headline takes the attack whose AUC lies farthest from 0.5. That is what an attacker "
     "would do; picked after the fact among several, it overstates a little what it does on new "
     "examples."},
    {"The texts alone",
     "A classifier that never sees the model tries to tell the two sets apart by their words. If "
     "it can, the sets differ in topic, style or time, and the attacks may have read that. Its "
     "p-value comes from permuting the labels of whole clusters. If it cannot, that proves "
     "nothing: it sees words and lengths only."},
    {"Single records",
     "Each forget example is compared with all holdout examples; q-values are corrected for the "
     "number of records, so that the share of wrongly recognised ones stays below the rate asked "
     "for."},
    {"Tokens",
     "Coloured by the log-probability that the model gives the true token: the more colour, the "
     "more surprised it is. Underlined are the tokens that Min-K looks at."},
};

std::vector<PageEntry> methods(const MiaReport& report) {
  std::vector<PageEntry> entries;
  for (const auto& [title, text] : kMiaExplanations) {
    if (title == "The texts alone" && !report.blind) continue;
    entries.push_back({std::string(title), std::string(text)});
  }
  // What each attack measures, however often it was asked for with other parameters.
  for (const Attack& attack : default_attack_table()) {
    const bool was_run = std::any_of(
        report.outcomes.begin(), report.outcomes.end(), [&](const AttackOutcome& outcome) {
          return outcome.attack.substr(0, outcome.attack.find(':')) == attack.name;
        });
    if (was_run)
      entries.push_back(
          {attack.name,
           fmt::format("{}. {}.", capitalised(std::string(attack.measures)), attack.paper)});
  }
  return entries;
}

}  // namespace

std::optional<size_t> strongest_attack(const MiaReport& report) {
  std::optional<size_t> strongest;
  auto distance = [&](size_t i) { return std::abs(*report.outcomes[i].auc - 0.5); };
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    if (!report.outcomes[i].auc) continue;
    if (!strongest || distance(i) > distance(*strongest)) strongest = i;
  }
  return strongest;
}

PageData mia_page(const MiaReport& report, const MiaPageOptions& options) {
  const std::optional<size_t> strongest = strongest_attack(report);
  PageData page{.title = report.model.empty() ? "Audit" : "Audit of " + report.model,
                .headline = headline(report, strongest),
                .figures = key_figures(report, strongest),
                .flags = red_flags(flag_facts(report, strongest, options)),
                .notes = report.notes,
                .methods = methods(report),
                .run = options.run};
  if (report.outcomes.empty()) return page;
  const size_t shown = strongest.value_or(0);
  page.tables = mia_tables(report, shown);
  for (Figure& figure : mia_charts(report, shown)) {
    page.charts.push_back({.id = std::move(figure.name),
                           .title = std::move(figure.title),
                           .caption = std::move(figure.caption),
                           .spec = std::move(figure.spec)});
  }
  page.examples = mia_examples(report, shown, options.examples);
  return page;
}

}  // namespace palimpsest
