#include "palimpsest/report/internal/page/run_examples.h"

#include <algorithm>
#include <vector>

#include "palimpsest/attack/internal/mia/record_tests.h"
#include "palimpsest/report/internal/guesses.h"
#include "palimpsest/report/internal/page/mia_examples.h"

namespace palimpsest::report {
namespace {

std::vector<attack::ExampleId> ids_of(const ValueByExample& scores) {
  std::vector<attack::ExampleId> ids;
  for (const auto& [index, score] : scores) ids.push_back({.index = index});
  // "10" stands behind "9".
  std::ranges::stable_sort(ids, [](const attack::ExampleId& a, const attack::ExampleId& b) {
    return a.index.size() < b.index.size();
  });
  return ids;
}

attack::ScoreColumn column_of(const std::vector<attack::ExampleId>& ids,
                              const ValueByExample& scores) {
  attack::ScoreColumn column;
  for (const attack::ExampleId& id : ids) {
    const auto found = scores.find(id.index);
    column.push_back(found == scores.end() ? std::nullopt : std::optional(found->second));
  }
  return column;
}

// Whether the metric's generations are of the attack's set: where the record says what both are about
// it tells, else the texts do.
bool is_about(const RunMetric& metric, const GeneratedExample& generated, const RunMetric& attack,
              const PageExample& row) {
  const std::string set = row.set == PageSet::kForget ? "forget" : "holdout";
  const auto own = metric.data.find("");
  const auto attacked = attack.data.find(set);
  if (own == metric.data.end() || attacked == attack.data.end())
    return guess_is_about(metric.name, generated, set, row.answer);
  return own->second == attacked->second;
}

void add_generations(const RunMetric& metric, const RunMetric& attack, PageExamples& examples) {
  for (PageExample& row : examples.rows) {
    const auto found = metric.generations.find(row.index);
    if (row.generation || found == metric.generations.end()) continue;
    const GeneratedExample& generated = found->second;
    if (!is_about(metric, generated, attack, row)) continue;
    row.generation = generated.generation;
    if (!row.question) row.question = generated.input;
    if (!row.answer) row.answer = generated.truth;
  }
}

// An attack with an AUC below ½ looks for records that are conspicuously unfamiliar.
void test_records(const RunMetric& leading, ScoredExamples& scored) {
  constexpr double kRate = 0.1;
  const attack::ScoreColumns& scores = scored.attacks[scored.ranking].scores;
  const bool reversed = leading.value && *leading.value < 0.5;
  const attack::ScoreColumn forget = attack::flipped(scores.forget);
  const attack::ScoreColumn holdout = attack::flipped(scores.holdout);
  attack::RecordTests tests =
      attack::test_records(reversed ? attack::ScoreColumns{forget, holdout} : scores, kRate);
  scored.recognised = std::move(tests.recognised);
  scored.q_values = std::move(tests.q_values);
  const auto tested = std::ranges::count_if(
      scores.forget, [](const std::optional<double>& score) { return score.has_value(); });
  scored.recognised_words =
      recognised_words({.forget = scored.forget,
                        .recognised = scored.recognised,
                        .attack = label_of(leading),
                        .reversed = reversed,
                        .rate = kRate,
                        .tested = static_cast<int64_t>(tested),
                        .holdout = static_cast<int64_t>(scored.holdout.size())});
}

}  // namespace

PageExamples run_examples(const RunResults& run) {
  const RunMetric* leading = leading_attack(run);
  if (leading == nullptr) return {};
  ScoredExamples scored{.forget = ids_of(leading->forget), .holdout = ids_of(leading->holdout)};
  std::vector<std::pair<attack::ScoreColumn, attack::ScoreColumn>> columns;
  for (const RunMetric& metric : run.metrics) {
    if (!metric.is_auc()) continue;
    if (&metric == leading) scored.ranking = columns.size();
    columns.emplace_back(column_of(scored.forget, metric.forget),
                         column_of(scored.holdout, metric.holdout));
    scored.attacks.push_back({.title = label_of(metric), .scores = {}});
  }
  for (size_t i = 0; i < columns.size(); ++i)
    scored.attacks[i].scores = {columns[i].first, columns[i].second};
  if (!run.answer || run.answer->verdict != attack::AnswerVerdict::kVoid)
    test_records(*leading, scored);
  const bool is_recorded = !leading->data.empty();
  PageExamples examples =
      page_examples(scored, {.traces = is_recorded ? leading->traces : guess_trace_files(run)});
  for (const RunMetric& metric : run.metrics) {
    if (!metric.generations.empty()) add_generations(metric, *leading, examples);
  }
  return examples;
}

}  // namespace palimpsest::report
