#include "palimpsest/report/run_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/run_intervals.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/multiple_testing.h"
#include "palimpsest/stat/paired_permutation.h"

namespace palimpsest::report {
namespace {

// The values of the examples that both have, in one order, and which of them belong together.
struct Paired {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<int64_t> clusters;
};

Paired pair(const ValueByExample& a, const ValueByExample& b, const ClusterByExample& clusters,
            const std::string& data, std::map<std::string, int64_t>& numbers) {
  Paired paired;
  ValueByExample shared;
  for (const auto& [index, value] : a) {
    const auto found = b.find(index);
    if (found == b.end()) continue;
    shared.emplace(index, value);
    paired.a.push_back(value);
    paired.b.push_back(found->second);
  }
  paired.clusters = cluster_numbers(shared, clusters, data, numbers);
  return paired;
}

std::optional<double> auc_p_value(const RunMetric& a, const RunMetric& b,
                                  const RunMetric& clustered) {
  std::map<std::string, int64_t> numbers;
  Paired forget = pair(flipped_by_key(a.scored->forget), flipped_by_key(b.scored->forget),
                       clustered.forget_clusters, "forget", numbers);
  Paired holdout = pair(flipped_by_key(a.scored->holdout), flipped_by_key(b.scored->holdout),
                        clustered.holdout_clusters, "holdout", numbers);
  const stat::ScoreClusters clusters{std::move(forget.clusters), std::move(holdout.clusters)};
  const stat::ClusterCounts counts = stat::count_clusters(clusters);
  if (std::min(counts.positives, counts.negatives) < attack::kFewestClusters) return std::nullopt;
  const auto of_a = stat::clustered_auc({forget.a, holdout.a}, clusters);
  const auto of_b = stat::clustered_auc({forget.b, holdout.b}, clusters);
  if (!of_a || !of_b) return std::nullopt;
  const std::optional<stat::AucDifference> difference = stat::auc_difference(*of_a, *of_b);
  return difference ? std::optional(stat::difference_p_value(*difference)) : std::nullopt;
}

// The clusters are those of whichever run knows them; of the first, where both do.
std::optional<double> p_value_of(const RunMetric& a, const RunMetric& first, uint64_t seed) {
  const RunMetric& clustered = first.has_clusters() ? first : a;
  if (a.is_auc() && first.is_auc()) return auc_p_value(a, first, clustered);
  if (a.by_index.empty() || first.by_index.empty()) return std::nullopt;
  std::map<std::string, int64_t> numbers;
  const Paired values = pair(a.by_index, first.by_index, clustered.clusters, "", numbers);
  std::vector<double> differences;
  for (size_t i = 0; i < values.a.size(); ++i) differences.push_back(values.a[i] - values.b[i]);
  return stat::paired_permutation_test(differences, values.clusters, {.seed = seed});
}

// A metric with its parameters; the first run's that has it, completed by those that know more.
struct MetricColumn {
  RunMetric identity;  // without its scores
  bool has_auc = false;

  bool is_attack() const { return has_auc || identity.is_attack(); }
};

std::vector<MetricColumn> columns_of(std::span<const RunResults> runs) {
  std::vector<MetricColumn> columns;
  for (const RunResults& run : runs) {
    for (const RunMetric& metric : run.metrics) {
      auto column = std::ranges::find_if(
          columns, [&](const MetricColumn& c) { return is_same_metric(c.identity, metric); });
      if (column == columns.end()) {
        columns.push_back(
            {{.name = metric.name, .parameters = metric.parameters, .attack = metric.attack},
             false});
        column = columns.end() - 1;
      }
      if (!column->identity.parameters) column->identity.parameters = metric.parameters;
      if (column->identity.attack == nullptr) column->identity.attack = metric.attack;
      column->has_auc = column->has_auc || metric.is_auc();
    }
  }
  // Not std::ranges::stable_partition, whose result clang 14 cannot compile.
  std::stable_partition(columns.begin(), columns.end(),
                        [](const MetricColumn& c) { return c.has_auc; });
  return columns;
}

// Whether a metric of that name is of several attacks: a configuration may call any attack so.
bool has_other_attack(const std::vector<MetricColumn>& columns, const RunMetric& metric) {
  return metric.attack != nullptr && std::ranges::any_of(columns, [&](const MetricColumn& column) {
           const RunMetric& other = column.identity;
           return other.name == metric.name && other.attack != nullptr &&
                  other.attack->name != metric.attack->name;
         });
}

// The parameters, and before them the attack if it is needed.
std::string shown_parameters(const RunMetric& metric, bool with_attack) {
  std::vector<std::string> parts;
  if (with_attack) parts.push_back(metric.attack->name);
  if (metric.parameters) {
    for (const auto& [name, value] : *metric.parameters)
      parts.push_back(fmt::format("{}={}", name, value));
  }
  return parts.empty() ? "no parameters" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string long_label(const RunMetric& metric, bool with_attack) {
  return fmt::format("{} ({})", metric.name, shown_parameters(metric, with_attack));
}

// Columns of one name need different labels, whether or not their parameters have defaults.
std::vector<std::string> labels_of(const std::vector<MetricColumn>& columns) {
  std::vector<std::string> labels;
  for (const MetricColumn& column : columns) labels.push_back(label_of(column.identity));
  const std::vector<std::string> plain = labels;
  for (size_t i = 0; i < columns.size(); ++i) {
    const RunMetric& metric = columns[i].identity;
    const bool with_attack = has_other_attack(columns, metric);
    if (with_attack || (std::ranges::count(plain, plain[i]) > 1 && metric.parameters))
      labels[i] = long_label(metric, with_attack);
  }
  return labels;
}

void note_other_parameters(const std::vector<MetricColumn>& columns,
                           const std::vector<std::string>& labels, RunTable& table) {
  std::vector<std::string> told;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].identity.name;
    const char* differing =
        has_other_attack(columns, columns[i].identity) ? "attacks" : "parameters";
    std::vector<std::string> same;
    for (size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].identity.name == name) same.push_back(labels[j]);
    }
    if (same.size() < 2 || std::ranges::find(told, name) != told.end()) continue;
    told.push_back(name);
    table.notes.push_back(
        fmt::format("{} was run with different {}: {} have columns of their own and are "
                    "not tested against each other",
                    name, differing, fmt::join(same, " and ")));
  }
}

bool has_parameters(const RunMetric& metric) {
  if (metric.parameters) return !metric.parameters->empty();
  // "mia_min_k:k=0.3" says them.
  return metric.attack != nullptr && !metric.attack->parameters.empty() &&
         !metric.name_has_parameters();
}

void note_unknown_parameters(std::span<const RunResults> runs,
                             const std::vector<MetricColumn>& columns, RunTable& table) {
  std::vector<std::string> names;
  for (const MetricColumn& column : columns) {
    int64_t having = 0;
    bool unknown = false;
    for (const RunResults& run : runs) {
      const RunMetric* metric = find_same(run, column.identity);
      if (metric == nullptr) continue;
      ++having;
      unknown = unknown || !metric->parameters;
    }
    if (having > 1 && unknown && has_parameters(column.identity))
      names.push_back(column.identity.name);
  }
  if (names.empty()) return;
  table.notes.push_back(
      fmt::format("not every run records the parameters of {}: the runs are compared as if they "
                  "were the same",
                  fmt::join(names, ", ")));
}

void correct_column(RunTable& table, size_t column) {
  std::vector<RunCell*> tested;
  std::vector<double> p_values;
  for (auto& row : table.cells) {
    if (!row[column].p_value) continue;
    tested.push_back(&row[column]);
    p_values.push_back(*row[column].p_value);
  }
  const std::vector<double> corrected = stat::holm(p_values);
  for (size_t i = 0; i < tested.size(); ++i) {
    tested[i]->holm_p_value = corrected[i];
    tested[i]->differs = corrected[i] <= 1 - table.confidence;
  }
}

}  // namespace

RunTable compare_runs(std::span<const RunResults> runs, double confidence, uint64_t seed) {
  stat::require_confidence(confidence);
  RunTable table{.confidence = confidence};
  const std::vector<MetricColumn> columns = columns_of(runs);
  table.metrics = labels_of(columns);
  for (const MetricColumn& column : columns) table.is_attack.push_back(column.is_attack());
  for (size_t r = 0; r < runs.size(); ++r) {
    table.runs.push_back(runs[r].name);
    table.answers.push_back(runs[r].answer);
    table.flags.push_back(runs[r].flags);
    table.cells.emplace_back();
    for (const MetricColumn& column : columns) {
      RunCell cell;
      if (const RunMetric* metric = find_same(runs[r], column.identity)) {
        cell.value = metric->value;
        cell.interval = metric->interval;
        const RunMetric* first = r > 0 ? find_same(runs[0], column.identity) : nullptr;
        if (first != nullptr) cell.p_value = p_value_of(*metric, *first, seed);
      }
      table.cells.back().push_back(cell);
    }
  }
  for (size_t m = 0; m < columns.size(); ++m) correct_column(table, m);
  note_other_parameters(columns, table.metrics, table);
  note_unknown_parameters(runs, columns, table);
  return table;
}

std::string column_label(const RunTable& table, const RunMetric& metric) {
  std::string label = label_of(metric);
  if (metric.attack == nullptr || std::ranges::find(table.metrics, label) != table.metrics.end())
    return label;
  return long_label(metric, true);
}

std::string marks_legend(const RunTable& table) {
  return fmt::format(
      "differs from {} (paired tests over clusters, Holm-corrected per metric, {:g}%)",
      table.runs.empty() ? "" : table.runs[0], 100 * table.confidence);
}

ResultTable to_result_table(const RunTable& table) {
  ResultTable result{.columns = {{"model"}}};
  for (const std::string& metric : table.metrics) result.columns.push_back({metric});
  const bool answered = std::ranges::any_of(
      table.answers,
      [](const std::optional<attack::Answer>& answer) { return answer.has_value(); });
  if (answered) result.columns.push_back({"verdict"});
  for (size_t r = 0; r < table.runs.size(); ++r) {
    std::vector<ResultCell> row = {name_cell(table.runs[r])};
    for (const RunCell& cell : table.cells[r])
      row.push_back(number_cell(cell.value, cell.interval, cell.differs));
    Json json = Json::object();
    if (answered) {
      const std::optional<attack::Answer>& answer = table.answers[r];
      row.push_back(name_cell(answer ? std::string(attack::name_of(answer->verdict)) : ""));
      json["answer"] =
          answer ? parse_json(attack::answer_to_json(*answer), table.runs[r]) : Json(nullptr);
    }
    json["flags"] = r < table.flags.size()
                        ? parse_json(attack::flags_to_json(table.flags[r]), table.runs[r])
                        : Json::array();
    result.json_members.push_back(to_line(json));
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace palimpsest::report
