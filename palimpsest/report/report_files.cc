#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/report/report.h"

namespace palimpsest::report {
namespace {

// A column of the data may be called like one of the table's own.
std::string column_name(const std::string& name) {
  for (const SummaryMetric& metric : summary_metrics()) {
    if (metric.name == name) return "group_" + name;
  }
  for (const char* own :
       {"rows", "positives", "negatives", "threshold", "effective_epsilon_assumption"}) {
    if (name == own) return "group_" + name;
  }
  return name;
}

bool is_epsilon(size_t metric) {
  return summary_metrics()[metric].name == "effective_epsilon";
}

ResultCell metric_cell(const MetricValue& metric, bool cut_at_zero) {
  if (!cut_at_zero) return number_cell(metric.value, metric.interval);
  auto cut = [](double epsilon) { return std::max(0.0, epsilon); };
  MetricValue shown = metric;
  if (shown.value) shown.value = cut(*shown.value);
  if (shown.interval)
    shown.interval = stat::Interval{cut(shown.interval->low), cut(shown.interval->high)};
  return number_cell(shown.value, shown.interval);
}

void add_metric_columns(const Report& report, ResultTable& table) {
  for (size_t metric : report.metrics)
    table.columns.push_back({std::string(summary_metrics()[metric].name)});
  for (size_t i = 0; i < report.summaries.size(); ++i) {
    const std::vector<MetricValue>& metrics = report.summaries[i].metrics;
    for (size_t m = 0; m < metrics.size(); ++m)
      table.rows[i].push_back(metric_cell(metrics[m], is_epsilon(report.metrics[m])));
  }
}

constexpr std::string_view kEpsilonAssumption = "every score comes from a run of its own";

// The summaries' own columns.
ResultTable setting_table(const Report& report, const std::vector<size_t>& columns) {
  ResultTable table;
  for (size_t c : columns) table.columns.push_back({column_name(report.columns[c])});
  for (const AttackSummary& summary : report.summaries) {
    table.rows.emplace_back();
    for (size_t c : columns) table.rows.back().push_back(name_cell(summary.values[c]));
  }
  return table;
}

}  // namespace

bool shows_effective_epsilon(const Report& report) {
  return !report.summaries.empty() && std::ranges::any_of(report.metrics, is_epsilon);
}

std::string effective_epsilon_note() {
  return fmt::format(
      "effective_epsilon: the largest over the thresholds of the same data, which overstates it, "
      "cut at 0; it assumes that {}.",
      kEpsilonAssumption);
}

ResultTable metrics_table(const Report& report) {
  std::vector<size_t> columns;
  for (size_t c = 0; c < report.columns.size(); ++c) columns.push_back(c);
  ResultTable table = setting_table(report, columns);
  add_metric_columns(report, table);
  const bool thresholds = std::ranges::any_of(
      report.summaries, [](const AttackSummary& summary) { return !summary.validation.empty(); });
  for (const char* name : {"rows", "positives", "negatives"}) table.columns.push_back({name});
  if (thresholds) table.columns.push_back({"threshold"});
  const bool has_epsilon = shows_effective_epsilon(report);
  if (has_epsilon) table.columns.push_back({"effective_epsilon_assumption"});
  for (size_t i = 0; i < report.summaries.size(); ++i) {
    const AttackSummary& summary = report.summaries[i];
    const bool binary = !summary.labels.empty();
    auto count = [&](int64_t number) {
      return binary ? number_cell(static_cast<double>(number)) : number_cell(std::nullopt);
    };
    table.rows[i].push_back(number_cell(static_cast<double>(summary.rows)));
    table.rows[i].push_back(count(summary.scores.positive_count()));
    table.rows[i].push_back(count(summary.scores.negative_count()));
    if (thresholds) table.rows[i].push_back(number_cell(summary.threshold));
    if (has_epsilon) table.rows[i].push_back(name_cell(std::string(kEpsilonAssumption)));
  }
  return table;
}

ResultTable main_table(const Report& report) {
  std::vector<size_t> columns;
  for (size_t c = 0; c < report.columns.size(); ++c) {
    const bool differs = std::ranges::any_of(report.summaries, [&](const AttackSummary& summary) {
      return summary.values[c] != report.summaries[0].values[c];
    });
    if (differs || report.columns[c] == "attack") columns.push_back(c);
  }
  ResultTable table = setting_table(report, columns);
  add_metric_columns(report, table);
  return table;
}

std::vector<std::string> write_report(const Report& report, const std::filesystem::path& folder,
                                      TableFormat csv) {
  std::vector<std::string> written;
  make_folder(folder);
  auto write = [&](const std::string& name, const std::string& bytes) {
    write_file(folder / name, bytes);
    written.push_back(name);
  };
  if (!report.summaries.empty()) {
    write("metrics.csv", format_table(metrics_table(report), csv));
    if (!report.epsilon.threat_models.empty())
      write("effective_epsilon.csv", format_table(epsilon_table(report.epsilon), csv));
  }
  if (!report.run_table.runs.empty())
    write("models.csv", format_table(to_result_table(report.run_table), csv));
  for (std::string& name : write_figures(report.figures, folder))
    written.push_back(std::move(name));
  return written;
}

}  // namespace palimpsest::report
