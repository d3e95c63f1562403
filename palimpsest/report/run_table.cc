#include "palimpsest/report/run_table.h"

#include <algorithm>

#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/multiple_testing.h"
#include "palimpsest/stat/paired_permutation.h"

namespace palimpsest {
namespace {

using ByIndex = std::map<std::string, double>;

const RunMetric* find_metric(const RunResults& run, const std::string& name) {
  const auto found = std::find_if(run.metrics.begin(), run.metrics.end(),
                                  [&](const RunMetric& metric) { return metric.name == name; });
  return found == run.metrics.end() ? nullptr : &*found;
}

// The values of the examples that both have, in one order.
struct Paired {
  std::vector<double> a;
  std::vector<double> b;
};

Paired pair(const ByIndex& a, const ByIndex& b) {
  Paired paired;
  for (const auto& [index, value] : a) {
    const auto found = b.find(index);
    if (found == b.end()) continue;
    paired.a.push_back(value);
    paired.b.push_back(found->second);
  }
  return paired;
}

std::optional<double> p_value_of(const RunMetric& a, const RunMetric& b, uint64_t seed) {
  if (a.is_auc() && b.is_auc()) {
    Paired forget = pair(a.forget, b.forget);
    Paired holdout = pair(a.holdout, b.holdout);
    const LabelledScores of_a{std::move(holdout.a), std::move(forget.a)};
    const LabelledScores of_b{std::move(holdout.b), std::move(forget.b)};
    const std::optional<DelongTest> test = delong_test(of_a, of_b);
    return test ? test->p_value : std::nullopt;
  }
  if (a.by_index.empty() || b.by_index.empty()) return std::nullopt;
  const Paired values = pair(a.by_index, b.by_index);
  std::vector<double> differences;
  for (size_t i = 0; i < values.a.size(); ++i) differences.push_back(values.a[i] - values.b[i]);
  return paired_permutation_test(differences, {.seed = seed});
}

void correct(RunTable& table) {
  std::vector<double> p_values;
  auto for_tested = [&](auto&& visit) {
    for (auto& row : table.cells) {
      for (RunCell& cell : row) {
        if (cell.p_value) visit(cell);
      }
    }
  };
  for_tested([&](const RunCell& cell) { p_values.push_back(*cell.p_value); });
  const std::vector<double> corrected = holm(p_values);
  size_t next = 0;
  for_tested([&](RunCell& cell) {
    cell.holm_p_value = corrected[next++];
    cell.differs = *cell.holm_p_value <= 1 - table.confidence;
  });
}

}  // namespace

RunTable compare_runs(std::span<const RunResults> runs, double confidence, uint64_t seed) {
  require_confidence(confidence);
  RunTable table{.confidence = confidence};
  for (const RunResults& run : runs) {
    table.runs.push_back(run.name);
    for (const RunMetric& metric : run.metrics) {
      if (std::find(table.metrics.begin(), table.metrics.end(), metric.name) ==
          table.metrics.end()) {
        table.metrics.push_back(metric.name);
      }
    }
  }
  std::ranges::stable_partition(table.metrics, [&](const std::string& name) {
    return std::ranges::any_of(runs, [&](const RunResults& run) {
      const RunMetric* metric = find_metric(run, name);
      return metric != nullptr && metric->is_auc();
    });
  });
  for (size_t r = 0; r < runs.size(); ++r) {
    table.cells.emplace_back();
    for (const std::string& name : table.metrics) {
      RunCell cell;
      if (const RunMetric* metric = find_metric(runs[r], name)) {
        cell.value = metric->value;
        cell.interval = metric->interval;
        const RunMetric* first = r > 0 ? find_metric(runs[0], name) : nullptr;
        if (first != nullptr) cell.p_value = p_value_of(*metric, *first, seed);
      }
      table.cells.back().push_back(cell);
    }
  }
  correct(table);
  return table;
}

ResultTable to_result_table(const RunTable& table) {
  ResultTable result{.heading = {"model"}, .rows = {}};
  result.heading.insert(result.heading.end(), table.metrics.begin(), table.metrics.end());
  for (size_t r = 0; r < table.runs.size(); ++r) {
    std::vector<ResultCell> row = {name_cell(table.runs[r])};
    for (const RunCell& cell : table.cells[r])
      row.push_back(number_cell(cell.value, cell.interval, cell.differs));
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace palimpsest
