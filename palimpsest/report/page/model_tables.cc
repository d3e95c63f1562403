#include "palimpsest/report/internal/page/model_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "palimpsest/report/internal/metric_catalogue.h"

namespace palimpsest::report {
namespace {

constexpr MetricQuestion kQuestions[] = {MetricQuestion::kRemembers, MetricQuestion::kAnswers,
                                         MetricQuestion::kIntact, MetricQuestion::kOther};

struct ShownMetric {
  size_t column = 0;  // in RunTable::metrics
  std::string label;
  MetricFacts facts;
};

// Metrics with a value, by their rank.
std::vector<ShownMetric> ranked_metrics(const RunTable& table, const std::string& leading) {
  std::vector<ShownMetric> metrics;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const bool has_value = std::ranges::any_of(
        table.cells, [&](const std::vector<RunCell>& row) { return row[m].value.has_value(); });
    if (!has_value) continue;
    ShownMetric metric{m, table.metrics[m], facts_of(table.metrics[m], table.is_attack[m])};
    if (metric.label == leading) metric.facts.rank = 1;
    metrics.push_back(std::move(metric));
  }
  std::ranges::stable_sort(metrics, {}, [](const ShownMetric& m) { return m.facts.rank; });
  return metrics;
}

void sort_by_question(std::vector<ShownMetric>& metrics) {
  std::ranges::stable_sort(metrics, {}, [](const ShownMetric& m) { return m.facts.question; });
}

ResultCell metric_name(const ShownMetric& metric) {
  ResultCell cell = name_cell(metric.facts.shown);
  if (metric.label != metric.facts.shown) cell.small = metric.label;
  return cell;
}

ResultCell value_cell(const RunTable& table, size_t run, const ShownMetric& metric) {
  const RunCell& value = table.cells[run][metric.column];
  ResultCell cell = number_cell(value.value, value.interval, value.differs);
  const bool fits = value.value && *value.value >= 0 && *value.value <= 1;
  cell.scale = fits ? metric.facts.scale : CellScale::kNone;
  return cell;
}

ResultCell verdict_cell(const std::optional<attack::Answer>& answer) {
  return name_cell(answer ? attack::verdict_words(answer->verdict) : "–");
}

bool has_answers(const RunTable& table) {
  return std::ranges::any_of(table.answers, [](const auto& answer) { return answer.has_value(); });
}

// One row per metric, one column per model.
ResultTable by_metric(const RunTable& table, std::span<const ShownMetric> metrics, bool verdicts) {
  ResultTable result{.columns = {{"metric"}}};
  for (const std::string& run : table.runs)
    result.columns.push_back({.name = run, .is_share = false});
  if (verdicts) {
    std::vector<ResultCell> row = {name_cell("Verdict of all attacks together")};
    for (const auto& answer : table.answers) row.push_back(verdict_cell(answer));
    result.rows.push_back(std::move(row));
    result.row_groups.push_back(words_of(MetricQuestion::kRemembers));
  }
  for (const ShownMetric& metric : metrics) {
    std::vector<ResultCell> row = {metric_name(metric)};
    for (size_t r = 0; r < table.runs.size(); ++r) row.push_back(value_cell(table, r, metric));
    result.rows.push_back(std::move(row));
    result.row_groups.push_back(words_of(metric.facts.question));
  }
  return result;
}

// One row per model, one column per metric.
ResultTable by_model(const RunTable& table, std::span<const ShownMetric> metrics, bool verdicts) {
  ResultTable result{.columns = {{"model"}}};
  if (verdicts) result.columns.push_back({.name = "Verdict of all attacks together"});
  for (const ShownMetric& metric : metrics) {
    result.columns.push_back({.name = metric.facts.shown, .is_share = false});
    if (metric.label != metric.facts.shown) result.columns.back().small = metric.label;
  }
  for (size_t r = 0; r < table.runs.size(); ++r) {
    std::vector<ResultCell> row = {name_cell(table.runs[r])};
    if (verdicts) row.push_back(verdict_cell(table.answers[r]));
    for (const ShownMetric& metric : metrics) row.push_back(value_cell(table, r, metric));
    result.rows.push_back(std::move(row));
  }
  return result;
}

ResultTable laid_out(const RunTable& table, std::span<const ShownMetric> metrics, bool verdicts) {
  return table.runs.size() <= kMaxModelColumns ? by_metric(table, metrics, verdicts)
                                               : by_model(table, metrics, verdicts);
}

std::string models_caption(const RunTable& table) {
  std::string caption =
      "With intervals where single examples are known, by leaving out one cluster of examples at a "
      "time.";
  if (table.runs.size() > 1) caption = fmt::format("{} ✱: {}.", caption, marks_legend(table));
  return caption;
}

// The metrics of one question that the summary does not show. Many models make wide rows, so their
// metrics are spread over several tables.
void add_folded(const RunTable& table, MetricQuestion question,
                std::span<const ShownMetric> metrics, std::vector<ResultTable>& tables) {
  const bool rows_are_models = table.runs.size() > kMaxModelColumns;
  const size_t most = rows_are_models ? kHeadlineMetrics : std::max<size_t>(1, metrics.size());
  constexpr const char* kIds[] = {"remembers", "answers", "intact", "other"};
  for (size_t begin = 0; begin < metrics.size(); begin += most) {
    const auto part = metrics.subspan(begin, std::min(most, metrics.size() - begin));
    ResultTable folded = laid_out(table, part, false);
    folded.row_groups.clear();
    folded.id = fmt::format("{}-table{}", kIds[static_cast<size_t>(question)],
                            begin == 0 ? "" : fmt::format("-{}", begin / most + 1));
    folded.title = fmt::format("{} {} further {}", words_of(question), part.size(),
                               part.size() == 1 ? "metric" : "metrics");
    folded.is_folded = true;
    tables.push_back(std::move(folded));
  }
}

}  // namespace

std::vector<ResultTable> model_tables(const RunTable& table, const std::string& leading) {
  std::vector<ShownMetric> metrics = ranked_metrics(table, leading);
  const size_t first = std::min(kHeadlineMetrics, metrics.size());
  std::vector<ShownMetric> headline(metrics.begin(), metrics.begin() + static_cast<long>(first));
  std::vector<ShownMetric> further(metrics.begin() + static_cast<long>(first), metrics.end());
  sort_by_question(headline);
  sort_by_question(further);
  std::vector<ResultTable> tables = {laid_out(table, headline, has_answers(table))};
  tables[0].id = "models-table";
  tables[0].title = table.runs.size() > 1 ? "Models beside each other" : "What was measured";
  tables[0].caption = models_caption(table);
  tables[0].is_summary = true;
  for (const MetricQuestion question : kQuestions) {
    const auto begin = std::ranges::find_if(
        further, [&](const ShownMetric& m) { return m.facts.question == question; });
    const auto end = std::find_if(
        begin, further.end(), [&](const ShownMetric& m) { return m.facts.question != question; });
    add_folded(table, question, {begin, end}, tables);
  }
  return tables;
}

}  // namespace palimpsest::report
