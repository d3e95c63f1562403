#include "palimpsest/report/internal/page/run_examples.h"

#include <algorithm>
#include <list>
#include <vector>

#include "palimpsest/attack/internal/mia/record_tests.h"
#include "palimpsest/report/internal/guesses.h"
#include "palimpsest/report/internal/page/mia_examples.h"

namespace palimpsest::report {
namespace {

attack::ExampleKeys keys_of(const attack::SetScores& set) {
  std::vector<std::string> keys;
  for (const auto& [key, score] : scores_by_key(set)) keys.push_back(key);
  // "10" stands behind "9".
  std::ranges::stable_sort(keys, {}, &std::string::size);
  return keys;
}

attack::SetScores scores_for(const attack::ExampleKeys& keys, const attack::SetScores& set) {
  const ValueByExample known = scores_by_key(set);
  attack::ScoreColumn scores;
  for (const std::string& key : keys.list()) {
    const auto found = known.find(key);
    scores.push_back(found == known.end() ? std::nullopt : std::optional(found->second));
  }
  return attack::set_scores(keys, std::move(scores));
}

// Whether the metric's generations are of the attack's set: where the record says what both are
// about it tells, else the texts do.
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
  const attack::ScoredAttack& own = *scored.attacks[scored.ranking].scored;
  scored.reversed = leading.value && *leading.value < 0.5;
  const attack::ScoreColumn forget = attack::flipped(own.forget.scores);
  const attack::ScoreColumn holdout = attack::flipped(own.holdout.scores);
  attack::RecordTests tests = attack::test_records(
      scored.reversed ? attack::ScoreColumns{forget, holdout} : own.columns(), scored.rate);
  scored.recognised = std::move(tests.recognised);
  scored.q_values = std::move(tests.q_values);
}

// The k of the first Min-K or Min-K++ whose parameters are known.
std::optional<double> known_share(const std::vector<RunMetric>& metrics) {
  for (const RunMetric& metric : metrics) {
    if (metric.attack == nullptr || !is_min_k(metric.attack->name) || !metric.parameters) continue;
    const auto k = metric.parameters->find("k");
    if (k != metric.parameters->end()) return share_from_text(k->second);
  }
  return std::nullopt;
}

}  // namespace

PageExamples run_examples(const RunResults& run) {
  const RunMetric* leading = leading_attack(run);
  if (leading == nullptr) return {};
  const attack::ExampleKeys forget = keys_of(leading->scored->forget);
  const attack::ExampleKeys holdout = keys_of(leading->scored->holdout);
  std::list<attack::ScoredAttack> attacks;  // of the leading attack's examples
  ScoredExamples scored;
  for (const RunMetric& metric : run.metrics) {
    if (!metric.is_auc()) continue;
    if (&metric == leading) scored.ranking = attacks.size();
    attacks.push_back({.forget = scores_for(forget, metric.scored->forget),
                       .holdout = scores_for(holdout, metric.scored->holdout)});
    scored.attacks.push_back({label_of(metric), &attacks.back()});
  }
  if (!run.answer || run.answer->verdict != attack::AnswerVerdict::kVoid)
    test_records(*leading, scored);
  if (const auto share = known_share(run.metrics)) scored.lowest_share = *share;
  PageExamples examples = page_examples(
      scored, {.traces = leading->traces ? *leading->traces : guess_trace_files(run)});
  for (const RunMetric& metric : run.metrics) {
    if (!metric.generations.empty()) add_generations(metric, *leading, examples);
  }
  return examples;
}

}  // namespace palimpsest::report
