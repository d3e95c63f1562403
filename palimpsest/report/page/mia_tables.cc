#include "palimpsest/report/internal/page/mia_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/attack/internal/mia/cluster_ranking.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/short_name.h"

namespace palimpsest::report {
namespace {

using Row = std::vector<ResultCell>;

ResultCell shown_as(ResultCell cell, std::string text) {
  cell.text = std::move(text);
  return cell;
}

ResultCell rounded_cell(const std::optional<double>& value,
                        const std::optional<stat::Interval>& interval = std::nullopt) {
  return shown_as(number_cell(value, interval), value ? fmt::format("{:.3f}", *value) : "");
}

ResultCell count_cell(size_t count) {
  return shown_as(number_cell(static_cast<double>(count)), std::to_string(count));
}

ResultCell range_cell(const std::optional<stat::Interval>& interval) {
  if (!interval) return number_cell(std::nullopt);
  return shown_as(number_cell(interval->low),
                  fmt::format("{:.3f}\u00A0…\u00A0{:.3f}", interval->low, interval->high));
}

ResultCell no_cell() {
  return name_cell("–");
}

std::vector<size_t> resolved_rates(const attack::MiaReport& report) {
  std::vector<size_t> rates;
  for (size_t i = 0; i < report.fprs.size(); ++i) {
    if (std::ranges::any_of(report.outcomes, [&](const attack::AttackOutcome& o) {
          return o.rates.tpr_at_fpr[i].has_value();
        }))
      rates.push_back(i);
  }
  return rates;
}

void add_rates(const attack::AttackRates& attack, const std::vector<size_t>& rates, Row& row) {
  for (size_t i : rates) {
    const std::optional<stat::TprAtFpr>& point = attack.tpr_at_fpr[i];
    row.push_back(point ? rounded_cell(point->tpr, point->tpr_interval)
                        : rounded_cell(std::nullopt));
  }
  row.push_back(rounded_cell(attack.advantage));
}

Row attack_row(const attack::AttackOutcome& outcome, const std::vector<size_t>& rates) {
  Row row = {name_cell(outcome.title), rounded_cell(outcome.auc, outcome.auc_ci),
             range_cell(outcome.auc_ci_simultaneous)};
  add_rates(outcome.rates, rates, row);
  row.push_back(name_cell(outcome.in_family ? "yes" : "no"));
  return row;
}

// An attack that calls the least familiar examples members: what over-forgetting gives away.
Row reversed_row(const attack::AttackOutcome& outcome, const std::vector<size_t>& rates) {
  Row row = {name_cell(outcome.title + ", turned round"), no_cell(), no_cell()};
  add_rates(*outcome.reversed, rates, row);
  row.push_back(no_cell());
  return row;
}

Row blind_row(const attack::BlindBaseline& blind, size_t columns) {
  Row row = {name_cell("(texts alone)"), rounded_cell(blind.auc)};
  row.resize(columns, no_cell());
  return row;
}

ResultTable attack_table(const attack::MiaReport& report) {
  ResultTable table{
      .id = "attacks-table",
      .title = "What the attacks find",
      .caption =
          fmt::format("AUC 1: the forget set is still recognised; 0.5: it cannot be told from "
                      "unseen text, the goal; 0: over-forgotten, which also gives it away. "
                      "Intervals at {:g}%, by leaving out one {} at a time.",
                      100 * report.confidence,
                      report.clusters.is_given() ? fmt::format("cluster ({})", report.clusters.name)
                                                 : "example"),
      .columns = {{"attack"}}};
  const std::vector<size_t> rates = resolved_rates(report);
  table.columns.push_back({"AUC",
                           "Probability that a holdout example looks less familiar than a "
                           "forget example; interval of this attack alone",
                           true, true});
  table.columns.push_back({"97% adjusted",
                           "The interval that holds simultaneously with those of all other attacks "
                           "of the answer",
                           false});
  for (size_t i : rates) {
    table.columns.push_back({fmt::format("TPR at {:g}% FPR", 100 * report.fprs[i]),
                             "Share of the forget set recognised where at most this share of the "
                             "holdout set is taken for it",
                             false});
  }
  table.columns.push_back({"advantage", "Largest TPR − FPR over all thresholds", false});
  table.columns.push_back({"in the answer", "Whether it takes part in the answer", false});
  for (const attack::AttackOutcome& outcome : report.outcomes) {
    table.rows.push_back(attack_row(outcome, rates));
    if (outcome.reversed) table.rows.push_back(reversed_row(outcome, rates));
  }
  if (report.blind) table.rows.push_back(blind_row(*report.blind, table.columns.size()));
  return table;
}

void add_baseline(const attack::MiaReport& report, std::vector<ResultTable>& tables) {
  const std::string name =
      report.baseline_model.empty() ? "" : " (" + short_name(report.baseline_model) + ")";
  ResultTable table{.id = "baseline-table",
                    .title = "Against the baseline model",
                    .caption = fmt::format("The same attacks on a model that never saw the forget "
                                           "set{}. A difference of 0: no more recognised than by "
                                           "it. ✱: the 97% interval, adjusted for all attacks, "
                                           "excludes 0. What another training run of either model "
                                           "would change is not in it.",
                                           name),
                    .columns = {{"attack"},
                                {"AUC", "Of the audited model", true, true},
                                {"baseline's AUC", "", true, true},
                                {"difference", "Interval of this attack alone", false},
                                {"97% adjusted", "Of the difference", false}}};
  for (const attack::AttackOutcome& outcome : report.outcomes) {
    if (!outcome.against_baseline) continue;
    const attack::PairedAuc& paired = outcome.against_baseline->paired;
    const std::optional<stat::Interval>& simultaneous = outcome.against_baseline->simultaneous;
    ResultCell difference = rounded_cell(paired.auc_a - paired.auc_b, paired.difference);
    difference.marked = simultaneous && !simultaneous->contains(0);
    table.rows.push_back({name_cell(outcome.title), rounded_cell(paired.auc_a),
                          rounded_cell(paired.auc_b), difference, range_cell(simultaneous)});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

// Why a ranking of authors is no verdict on any of them.
std::string ranking_note(const attack::MiaReport& report, size_t ranked) {
  const auto needed = attack::holdout_clusters_for_verdicts(static_cast<int64_t>(ranked),
                                                            report.false_discovery_rate);
  return fmt::format(
      "A ranking without a verdict: clusters differ by nature, and compared with the same holdout "
      "set, one that is not remembered easily looks remembered. A verdict on single clusters needs "
      "a baseline model, or about {} holdout clusters at a false discovery rate of {:g}%; there "
      "are {}.",
      needed, 100 * report.false_discovery_rate, report.answer.clusters.holdout);
}

void add_clusters(const attack::MiaReport& report, const attack::AttackOutcome& outcome,
                  std::vector<ResultTable>& tables) {
  if (outcome.clusters.empty()) return;
  ResultTable table{
      .id = "clusters-table",
      .title = fmt::format("Clusters of the forget set ({})", report.clusters.name),
      .caption = fmt::format("Under {}, each against the whole holdout set, the highest "
                             "AUC first. {}",
                             outcome.title, ranking_note(report, outcome.clusters.size())),
      .is_detail = true,
      .columns = {{report.clusters.name},
                  {"examples", "Of the forget set", false},
                  {"AUC", "", true, true}}};
  for (const attack::RankedCluster& cluster : outcome.clusters) {
    table.rows.push_back({name_cell(cluster.name),
                          count_cell(static_cast<size_t>(cluster.examples)),
                          rounded_cell(cluster.auc)});
  }
  tables.push_back(std::move(table));
}

// The numbers of the groups: ways of splitting in their order, within each the highest AUC first.
std::vector<size_t> ranked_groups(const attack::MiaReport& report,
                                  const attack::AttackOutcome& outcome) {
  std::vector<size_t> order;
  for (size_t i = 0; i < report.groups.size(); ++i) order.push_back(i);
  auto first_with = [&](const std::string& by) {
    return std::ranges::find(report.groups, by, &attack::Subgroup::by) - report.groups.begin();
  };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const auto way_a = first_with(report.groups[a].by);
    const auto way_b = first_with(report.groups[b].by);
    if (way_a != way_b) return way_a < way_b;
    return outcome.groups[a].auc.value_or(-1) > outcome.groups[b].auc.value_or(-1);
  });
  return order;
}

void add_groups(const attack::MiaReport& report, const attack::AttackOutcome& outcome,
                std::vector<ResultTable>& tables) {
  if (report.groups.empty()) return;
  ResultTable table{
      .id = "groups-table",
      .title = "Parts of the sets",
      .caption = fmt::format(
          "Under {}, the highest AUC first: where to look, no verdict on any part, since "
          "nothing is corrected for their number. Groups with fewer than {} examples of "
          "either set get no number.",
          outcome.title, attack::kMinSubgroup),
      .is_detail = true,
      .columns = {{"group"},
                  {"forget", "Examples", false},
                  {"holdout", "Examples", false},
                  {"AUC", "", true, true},
                  {"meaning", "", false}}};
  for (size_t i : ranked_groups(report, outcome)) {
    const attack::Subgroup& group = report.groups[i];
    const attack::SubgroupOutcome& result = outcome.groups[i];
    table.rows.push_back({name_cell(fmt::format("{}: {}", group.by, group.name)),
                          count_cell(group.forget.size()), count_cell(group.holdout.size()),
                          rounded_cell(result.auc, result.auc_ci), name_cell(group.meaning)});
  }
  tables.push_back(std::move(table));
}

void add_decisions(const attack::MiaReport& report, std::vector<ResultTable>& tables) {
  ResultTable table{
      .id = "decisions-table",
      .title = "Thresholds for a decision",
      .caption = fmt::format("Chosen on {:g}% of the {}, where they cost least (a false "
                             "positive {:g}, a false negative {:g}), and measured on the rest.",
                             100 * report.validation_split,
                             report.clusters.is_given() ? "clusters" : "examples",
                             report.costs.false_positive, report.costs.false_negative),
      .is_detail = true,
      .columns = {{"attack"},
                  {"member if score ≤", "", false},
                  {"TPR", "Share of forget examples recognised", false},
                  {"FPR", "Share of holdout examples taken for members", false},
                  {"cost", "Mean of an example", false}}};
  for (const attack::AttackOutcome& outcome : report.outcomes) {
    if (!outcome.decision) continue;
    const attack::Decision& decision = *outcome.decision;
    table.rows.push_back({name_cell(outcome.title), number_cell(decision.score_at_most),
                          rounded_cell(decision.tpr, decision.tpr_interval),
                          rounded_cell(decision.fpr, decision.fpr_interval),
                          number_cell(decision.cost)});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

}  // namespace

std::vector<ResultTable> mia_tables(const attack::MiaReport& report, size_t shown) {
  PALIMPSEST_CHECK(shown < report.outcomes.size());
  std::vector<ResultTable> tables = {attack_table(report)};
  add_baseline(report, tables);
  add_clusters(report, report.outcomes[shown], tables);
  add_groups(report, report.outcomes[shown], tables);
  add_decisions(report, tables);
  return tables;
}

}  // namespace palimpsest::report
