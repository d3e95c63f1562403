#include "palimpsest/attack/mia_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/attack/mia/text_histogram.h"
#include "palimpsest/base/table.h"

namespace palimpsest {
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

std::string cell(const std::optional<Interval>& interval) {
  return interval ? format_interval(interval->low, interval->high) : "n/a";
}

std::string p_cell(const std::optional<double>& p) {
  if (!p) return "n/a";
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

std::string heading(const MiaReport& report) {
  const MiaPower& power = report.power;
  std::string text =
      fmt::format("{} forget and {} holdout examples{}; intervals at {:g}%\n", report.forget.size(),
                  report.holdout.size(), report.model.empty() ? "" : " of " + shown(report.model),
                  100 * report.confidence);
  text += power.smallest_auc
              ? fmt::format("These sizes can tell an AUC of {:.3f} from 0.5 (power {:g}%);",
                            *power.smallest_auc, 100 * power.power)
              : "These sizes cannot even tell an AUC of 1 from 0.5;";
  return text + fmt::format(" telling {:g} takes {} + {} examples.\n", power.example_auc,
                            power.examples_for_example_auc, power.examples_for_example_auc);
}

// The table of attacks, columns of rates left out that the sample cannot resolve.
std::string attack_table(const MiaReport& report) {
  std::vector<size_t> rates;
  for (size_t i = 0; i < report.fprs.size(); ++i) {
    if (std::any_of(report.outcomes.begin(), report.outcomes.end(),
                    [&](const AttackOutcome& o) { return o.tpr_at_fpr[i].has_value(); }))
      rates.push_back(i);
  }
  std::vector<std::string> names = {"attack", "AUC", "interval"};
  for (size_t i : rates) names.push_back(fmt::format("TPR@{:g}%", 100 * report.fprs[i]));
  names.push_back("verdict");
  Table table(names);
  for (const AttackOutcome& outcome : report.outcomes) {
    std::vector<std::string> row = {shown(outcome.attack), cell(outcome.auc),
                                    cell(outcome.auc_ci_delong)};
    for (size_t i : rates) {
      const auto& point = outcome.tpr_at_fpr[i];
      row.push_back(point ? fmt::format("{:.3f}", point->tpr) : "n/a");
    }
    row.push_back(outcome.verdict ? outcome.verdict->words() : "n/a");
    table.add_row(std::move(row));
  }
  if (report.blind) {
    std::vector<std::string> row = {"(texts alone)", cell(report.blind->auc),
                                    fmt::format("p = {:.3f}", report.blind->p_value)};
    row.resize(names.size() - 1, "-");
    row.push_back(report.blind->separates() ? "TELLS THEM APART" : "cannot tell them apart");
    table.add_row(std::move(row));
  }
  return table.to_string();
}

constexpr const char* kLegend =
    "AUC 1: the forget set is still recognised; 0.5: indistinguishable from unseen text, the "
    "goal;\n"
    "0: less familiar than unseen text (over-forgotten). TPR@x%: share of the forget set that is\n"
    "recognised when x% of the holdout set is wrongly taken for it.\n";

std::string histograms(const MiaReport& report, bool ascii) {
  size_t width = 0;
  for (const AttackOutcome& outcome : report.outcomes)
    width = std::max(width, text_width(shown(outcome.attack)));
  std::string text = "\nScores, from familiar to the model (left) to unfamiliar (right):\n";
  for (const AttackOutcome& outcome : report.outcomes) {
    const TextHistogram histogram = text_histogram(outcome.columns(), kBins, ascii);
    if (histogram.forget.empty()) continue;
    const std::string name = shown(outcome.attack);
    const std::string padding(width - text_width(name), ' ');
    std::string first = fmt::format("{}{}  forget   {}", name, padding, histogram.forget);
    first.erase(first.find_last_not_of(' ') + 1);
    text += first + "\n" +
            fmt::format("{}  holdout  {}  {} … {}\n", std::string(width, ' '), histogram.holdout,
                        format_number(histogram.low), format_number(histogram.high));
  }
  return text;
}

// One line a verdict that occurs, with the attacks that gave it.
std::string actions(const MiaReport& report) {
  std::string text = "\nWhat to do:\n";
  for (const Verdict& verdict : all_verdicts()) {
    std::vector<std::string> attacks;
    for (const AttackOutcome& outcome : report.outcomes) {
      if (outcome.verdict == verdict) attacks.push_back(shown(outcome.attack));
    }
    if (attacks.empty()) continue;
    text += wrapped(
        fmt::format("- {} ({}): {}", verdict.words(), fmt::join(attacks, ", "), verdict.action),
        kWidth, 2);
  }
  return text;
}

std::string records(const MiaReport& report) {
  if (!report.highest_auc) return "";
  const AttackOutcome& outcome = report.outcomes[*report.highest_auc];
  const auto records = static_cast<int64_t>(report.forget.size()) - outcome.forget.undefined;
  std::string text = fmt::format(
      "\nSingle records: {} of {} forget records are still recognised by {}, the attack with the "
      "highest AUC (false discovery rate {:g}%); mia.json lists them for every attack.",
      outcome.records.recognised.size(), records, shown(outcome.attack),
      100 * report.false_discovery_rate);
  const int64_t needed = holdout_for_one_record(records, report.false_discovery_rate);
  if (outcome.records.recognised.empty() && static_cast<int64_t>(report.holdout.size()) < needed) {
    text += fmt::format(" One record alone could stand out only with {} holdout examples.", needed);
  }
  return "\n" + wrapped(text, kWidth, 0);
}

std::string baseline(const MiaReport& report) {
  Table table({"attack", "AUC", "baseline", "difference", "interval", "p"});
  bool any = false;
  for (const AttackOutcome& outcome : report.outcomes) {
    if (!outcome.against_baseline) continue;
    const DelongTest& test = *outcome.against_baseline;
    table.add_row({shown(outcome.attack), cell(test.auc_a), cell(test.auc_b),
                   fmt::format("{:.3f}", test.auc_a - test.auc_b), cell(test.difference),
                   p_cell(test.p_value)});
    any = true;
  }
  if (!any) return "";
  const std::string name = report.baseline_model.empty() ? "" : " " + shown(report.baseline_model);
  return "\n" +
         wrapped(
             fmt::format("Against the baseline model{} (0: no more recognised than by it):", name),
             kWidth, 0) +
         "\n" + table.to_string();
}

std::string groups(const MiaReport& report) {
  if (!report.highest_auc || report.groups.empty()) return "";
  const AttackOutcome& outcome = report.outcomes[*report.highest_auc];
  Table table({"by", "group", "forget", "holdout", "AUC", "interval", "meaning"});
  for (size_t i = 0; i < report.groups.size(); ++i) {
    const Subgroup& group = report.groups[i];
    table.add_row({shown(group.by), shown(group.name), std::to_string(group.forget.size()),
                   std::to_string(group.holdout.size()), cell(outcome.groups[i].auc),
                   cell(outcome.groups[i].auc_ci_delong), group.meaning});
  }
  return fmt::format("\nGroups, under {}, the attack with the highest AUC:\n\n{}",
                     shown(outcome.attack), table.to_string());
}

std::string comparisons(const MiaReport& report) {
  if (report.comparisons.empty()) return "";
  Table table({"attack", "against", "AUC difference", "interval", "p", "p (Holm)"});
  for (const AttackComparison& pair : report.comparisons) {
    const auto& test = pair.test;
    table.add_row({shown(report.outcomes[pair.a].attack), shown(report.outcomes[pair.b].attack),
                   test ? fmt::format("{:.3f}", test->auc_a - test->auc_b) : "n/a",
                   test ? cell(test->difference) : "n/a",
                   p_cell(test ? test->p_value : std::nullopt), p_cell(pair.holm_p_value)});
  }
  return "\nPairs of attacks (DeLong's paired test):\n\n" + table.to_string();
}

std::string decisions(const MiaReport& report) {
  Table table({"attack", "member if score <=", "TPR", "interval", "FPR", "interval", "cost"});
  for (size_t i = 0; i < report.outcomes.size(); ++i) {
    const AttackOutcome& outcome = report.outcomes[i];
    if (!outcome.decision) continue;
    const Decision& decision = *outcome.decision;
    table.add_row({shown(outcome.attack) + (report.best_decision == i ? " *" : ""),
                   format_number(decision.score_at_most), cell(decision.tpr),
                   cell(decision.tpr_interval), cell(decision.fpr), cell(decision.fpr_interval),
                   format_number(decision.cost)});
  }
  if (!report.best_decision) return "\nToo few examples for decision thresholds.\n";
  return fmt::format(
      "\nThresholds chosen on {:g}% of the examples for costs of {:g} (false positive) and {:g} "
      "(false\nnegative), measured on the rest; * has the highest AUC where they were "
      "chosen:\n\n{}",
      100 * report.validation_split, report.costs.false_positive, report.costs.false_negative,
      table.to_string());
}

std::string without_ellipses(std::string text) {
  constexpr std::string_view kEllipsis = "…";
  for (size_t at = 0; (at = text.find(kEllipsis, at)) != std::string::npos; at += 2) {
    text.replace(at, kEllipsis.size(), "..");
  }
  return text;
}

}  // namespace

std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::string result;
  std::string line;
  bool fresh = true;  // nothing but the indent in the line
  auto break_line = [&] {
    result += line + "\n";
    line = std::string(indent, ' ');
    fresh = true;
  };
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!fresh && text_width(line) + 1 + text_width(word) > width) break_line();
    if (!fresh) line += " ";
    for (char c : word) {
      if (!is_continuation(c) && text_width(line) >= width) break_line();
      line += c;
      fresh = false;
    }
  }
  return fresh ? result : result + line + "\n";
}

std::string mia_to_text(const MiaReport& report, const MiaTextOptions& options) {
  std::string text = heading(report) + "\n" + attack_table(report) + "\n" + kLegend;
  text += histograms(report, options.ascii) + actions(report) + records(report) + baseline(report);
  if (options.groups) text += groups(report);
  if (options.compare) text += comparisons(report);
  if (options.decisions) text += decisions(report);
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += wrapped("Note: " + note, kWidth, 6);
  text = without_controls(text);
  return options.ascii ? without_ellipses(std::move(text)) : text;
}

}  // namespace palimpsest
