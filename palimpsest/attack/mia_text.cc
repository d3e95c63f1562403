#include "palimpsest/attack/mia_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/attack/internal/mia/left_out.h"
#include "palimpsest/attack/internal/mia/plain_answer.h"
#include "palimpsest/attack/internal/mia/record_tests.h"
#include "palimpsest/attack/internal/mia/text_histogram.h"
#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/base/internal/table.h"

namespace palimpsest::attack {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kBins = 24;
constexpr size_t kLongestName = 40;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// A name from a file, cut to a length that leaves room for the rest.
std::string shown(const std::string& name) {
  std::string text;
  size_t characters = 0;
  for (char c : name) {
    if (!is_continuation(c) && ++characters > kLongestName) return text + "…";
    text += c == '\n' ? '?' : c;
  }
  return text;
}

std::string cell(const std::optional<double>& value, int decimals = 3) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "n/a";
}

std::string cell(const std::optional<stat::Interval>& interval) {
  return interval ? format_interval(interval->low, interval->high) : "n/a";
}

std::string p_cell(const std::optional<double>& p) {
  if (!p) return "n/a";
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

// "20 + 20 clusters (author), design effect 2.6": how much the examples are worth.
std::string cluster_words(const AnswerClusters& clusters) {
  if (clusters.key.empty()) return "Every example counts as independent.\n";
  std::string text = fmt::format("They count as {} forget and {} holdout clusters ({})",
                                 clusters.forget, clusters.holdout, shown(clusters.key));
  if (clusters.icc && clusters.design_effect) {
    text += fmt::format(": intraclass correlation up to {:.2f}, design effect up to {:.1f}",
                        *clusters.icc, *clusters.design_effect);
  }
  return text + ".\n";
}

std::string heading(const MiaReport& report) {
  const std::string model = report.shown_model();
  return fmt::format("{} forget and {} holdout examples{}. {}", report.forget.size(),
                     report.holdout.size(), model.empty() ? "" : " of " + shown(model),
                     cluster_words(report.answer.clusters));
}

// The table of attacks, columns of rates left out that the sample cannot resolve.
std::string attack_table(const MiaReport& report) {
  std::vector<size_t> rates;
  for (size_t i = 0; i < report.fprs.size(); ++i) {
    if (std::any_of(report.outcomes.begin(), report.outcomes.end(),
                    [&](const AttackOutcome& o) { return o.rates.tpr_at_fpr[i].has_value(); }))
      rates.push_back(i);
  }
  std::vector<std::string> names = {
      "attack", "AUC", fmt::format("{:g}% interval", 100 * report.confidence), "adjusted (97%)"};
  for (size_t i : rates) names.push_back(fmt::format("TPR@{:g}%", 100 * report.fprs[i]));
  Table table(names);
  for (const AttackOutcome& outcome : report.outcomes) {
    std::vector<std::string> row = {
        shown(outcome.title), cell(outcome.auc), cell(outcome.auc_ci),
        outcome.in_family ? cell(outcome.auc_ci_simultaneous) : "no part in the answer"};
    for (size_t i : rates) {
      const auto& point = outcome.rates.tpr_at_fpr[i];
      row.push_back(point ? fmt::format("{:.3f}", point->tpr) : "n/a");
    }
    table.add_row(std::move(row));
  }
  if (report.blind) {
    const BlindBaseline& blind = *report.blind;
    std::vector<std::string> row = {"(texts alone)", cell(blind.auc),
                                    format_p_value(blind.p_value)};
    row.resize(names.size(), "-");
    table.add_row(std::move(row));
  }
  return table.to_string();
}

constexpr const char* kLegend =
    "AUC 1: the forget set is still recognised; 0.5: indistinguishable from unseen text, the "
    "goal;\n"
    "0: less familiar than unseen text (over-forgotten). Adjusted intervals hold for all attacks\n"
    "together. TPR@x%: share of the forget set that is recognised when x% of the holdout set is\n"
    "wrongly taken for it.\n";

std::string histograms(const MiaReport& report, bool ascii) {
  size_t width = 0;
  for (const AttackOutcome& outcome : report.outcomes)
    width = std::max(width, text_width(shown(outcome.title)));
  std::string text = "\nScores, from familiar to the model (left) to unfamiliar (right):\n";
  for (const AttackOutcome& outcome : report.outcomes) {
    const TextHistogram histogram = text_histogram(outcome.columns(), kBins, ascii);
    if (histogram.forget.empty()) continue;
    const std::string name = shown(outcome.title);
    const std::string padding(width - text_width(name), ' ');
    std::string first = fmt::format("{}{}  forget   {}", name, padding, histogram.forget);
    first.erase(first.find_last_not_of(' ') + 1);
    text += first + "\n" +
            fmt::format("{}  holdout  {}  {} … {}\n", std::string(width, ' '), histogram.holdout,
                        format_number(histogram.low), format_number(histogram.high));
  }
  return text;
}

// Records that stand out one by one, by the attack that the answer speaks of; turned round where
// that attack finds the forget set less familiar.
std::string records(const MiaReport& report) {
  const std::optional<size_t> leading = report.leading_attack();
  if (!leading) return "";
  const AttackOutcome& outcome = report.outcomes[*leading];
  const AttackRates& rates = outcome.stronger_rates();
  std::string text = fmt::format(
      "\nSingle records: {} of {} forget records are {} by {}{} (false discovery rate {:g}%); "
      "mia.json lists them for every attack.",
      rates.records.recognised.size(), outcome.forget.defined(),
      outcome.reversed ? "conspicuously unfamiliar" : "still recognised", shown(outcome.title),
      outcome.reversed ? ", with the attack reversed" : "", 100 * report.false_discovery_rate);
  return "\n" + wrapped(text, kWidth, 0);
}

// The holdout examples that it takes before a single record can stand out, where there are too few.
std::optional<int64_t> holdout_for_records(const MiaReport& report) {
  const std::optional<size_t> leading = report.leading_attack();
  if (!leading) return std::nullopt;
  const AttackOutcome& outcome = report.outcomes[*leading];
  const AttackRates& rates = outcome.stronger_rates();
  const int64_t needed =
      holdout_for_one_record(outcome.forget.defined(), report.false_discovery_rate);
  const bool enough = static_cast<int64_t>(report.holdout.size()) >= needed;
  return enough || !rates.records.recognised.empty() ? std::nullopt : std::optional(needed);
}

// An audit that could not answer says what to change first. More data of the same kind are no help
// before that.
bool must_change_first(const Answer& answer) {
  if (answer.verdict == AnswerVerdict::kVoid) return true;
  return std::ranges::any_of(answer.reasons, [](const AnswerReason& reason) {
    return reason.code == "no_attack" || reason.code == "too_few" ||
           reason.code == "dependence_suspected";
  });
}

// One list of what more data would show, smallest first. Nothing else in the text asks for more
// data, but the answer itself, if it is not decided.
std::string larger_samples(const MiaReport& report) {
  if (must_change_first(report.answer)) return "";
  std::vector<std::pair<int64_t, std::string>> sizes;
  for (const UnresolvedRate& rate : unresolved_rates(report))
    sizes.emplace_back(rate.needed, fmt::format("the TPR at {:g}% FPR", 100 * rate.fpr));
  if (const std::optional<int64_t> needed = holdout_for_records(report))
    sizes.emplace_back(*needed, "whether one record alone stands out");
  if (sizes.empty()) return "";
  std::sort(sizes.begin(), sizes.end());
  std::string text = fmt::format("\nMore holdout examples than these {} would also show:\n",
                                 report.holdout.size());
  for (const auto& [needed, what] : sizes) text += fmt::format("- from {} on, {}\n", needed, what);
  return text;
}

// The notes but for those that larger_samples() replaces.
std::string notes_of(const MiaReport& report) {
  std::vector<std::string> left_out;
  for (const UnresolvedRate& rate : unresolved_rates(report)) left_out.push_back(rate.note);
  std::string text;
  for (const std::string& note : report.notes) {
    if (std::ranges::find(left_out, note) == left_out.end())
      text += wrapped("Note: " + note, kWidth, 6);
  }
  return text.empty() ? "" : "\n" + text;
}

std::string baseline(const MiaReport& report) {
  Table table({"attack", "AUC", "baseline", "difference",
               fmt::format("{:g}% interval", 100 * report.confidence), "adjusted (97%)"});
  bool any = false;
  for (const AttackOutcome& outcome : report.outcomes) {
    if (!outcome.against_baseline) continue;
    const PairedAuc& pair = outcome.against_baseline->paired;
    table.add_row({shown(outcome.title), cell(pair.auc_a), cell(pair.auc_b),
                   fmt::format("{:.3f}", pair.difference_value()), cell(pair.difference),
                   cell(outcome.against_baseline->simultaneous)});
    any = true;
  }
  if (!any) return "";
  const std::string name =
      report.baseline_model.empty() ? "" : " " + shown(short_name(report.baseline_model));
  return "\n" +
         wrapped(
             fmt::format("Against the baseline model{} (0: no more recognised than by it):", name),
             kWidth, 0) +
         "\n" + table.to_string();
}

std::string groups(const MiaReport& report) {
  const std::optional<size_t> leading = report.leading_attack();
  if (!leading || report.groups.empty()) return "";
  const AttackOutcome& outcome = report.outcomes[*leading];
  Table table({"by", "group", "forget", "holdout", "AUC", "interval", "meaning"});
  for (size_t i = 0; i < report.groups.size(); ++i) {
    const Subgroup& group = report.groups[i];
    table.add_row({shown(group.by), shown(group.name), std::to_string(group.forget.size()),
                   std::to_string(group.holdout.size()), cell(outcome.groups[i].auc),
                   cell(outcome.groups[i].auc_ci), group.meaning});
  }
  return fmt::format("\nGroups, under {}:\n\n{}", shown(outcome.title), table.to_string());
}

std::string comparisons(const MiaReport& report) {
  if (report.comparisons.empty()) return "";
  Table table({"attack", "against", "AUC difference", "interval", "p", "p (Holm)"});
  for (const AttackComparison& pair : report.comparisons) {
    const auto& test = pair.test;
    table.add_row({shown(report.outcomes[pair.a].title), shown(report.outcomes[pair.b].title),
                   test ? fmt::format("{:.3f}", test->difference_value()) : "n/a",
                   test ? cell(test->difference) : "n/a",
                   p_cell(test ? std::optional(test->p_value) : std::nullopt),
                   p_cell(pair.holm_p_value)});
  }
  return "\nPairs of attacks (jackknife over clusters):\n\n" + table.to_string();
}

std::string decisions(const MiaReport& report) {
  Table table({"attack", "member if score <=", "TPR", "interval", "FPR", "interval", "cost"});
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    const AttackOutcome& outcome = report.outcomes[i];
    if (!outcome.decision) continue;
    const Decision& decision = *outcome.decision;
    table.add_row({shown(outcome.title) + (report.best_decision == i ? " *" : ""),
                   format_number(decision.score_at_most), cell(decision.tpr),
                   cell(decision.tpr_interval), cell(decision.fpr), cell(decision.fpr_interval),
                   format_number(decision.cost)});
  }
  if (!report.best_decision) return "\nToo few examples for decision thresholds.\n";
  return fmt::format(
      "\nThresholds chosen on {:g}% of the {} for costs of {:g} (false positive) and {:g} "
      "(false\nnegative), measured on the rest; * has the highest AUC where they were "
      "chosen:\n\n{}",
      100 * report.validation_split, report.clusters.is_given() ? "clusters" : "examples",
      report.costs.false_positive, report.costs.false_negative, table.to_string());
}

std::string without_ellipses(std::string text) {
  constexpr std::string_view kEllipsis = "…";
  for (size_t at = 0; (at = text.find(kEllipsis, at)) != std::string::npos; at += 2) {
    text.replace(at, kEllipsis.size(), "..");
  }
  return text;
}

}  // namespace

std::string mia_to_text(const MiaReport& report, const MiaTextOptions& options) {
  std::string text = answer_to_text(report.answer, kWidth) + flags_to_text(report.flags, kWidth) +
                     "\n" + wrapped(heading(report), kWidth, 0);
  text += "\n" + attack_table(report) + "\n" + kLegend;
  if (options.histograms) text += histograms(report, options.ascii);
  text += records(report) + baseline(report);
  if (options.groups) text += groups(report);
  if (options.compare) text += comparisons(report);
  if (options.decisions) text += decisions(report);
  text += larger_samples(report) + notes_of(report);
  text = without_controls(text);
  return options.ascii ? without_ellipses(std::move(text)) : text;
}

}  // namespace palimpsest::attack
