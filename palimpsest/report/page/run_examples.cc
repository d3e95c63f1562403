#include "palimpsest/report/page/run_examples.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/report/page/mia_examples.h"

namespace palimpsest {
namespace {

using Rows = std::unordered_map<std::string, size_t>;  // by index, of one set

std::optional<double> value_at(const std::map<std::string, double>& values,
                               const std::string& index) {
  const auto found = values.find(index);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

void add_rows(const std::vector<const RunMetric*>& attacks, size_t ranking, PageSet set,
              std::vector<PageExample>& rows) {
  auto scores_of = [&](size_t a) -> const std::map<std::string, double>& {
    return set == PageSet::kForget ? attacks[a]->forget : attacks[a]->holdout;
  };
  for (const auto& [index, unused] : scores_of(ranking)) {
    PageExample row{.index = index, .set = set};
    for (size_t a = 0; a < attacks.size(); ++a) row.scores.push_back(value_at(scores_of(a), index));
    rows.push_back(std::move(row));
  }
}

std::optional<std::string> text_of(const Json& entry, const char* key, int64_t bytes) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_string()) return std::nullopt;
  return shortened(found->get<std::string>(), bytes);
}

// Whether the log's metric is about the examples of this set.
bool is_about(const std::string& metric, PageSet set) {
  return metric.starts_with(set == PageSet::kForget ? "forget_" : "holdout_");
}

void fill_texts(const Json& log, PageSet set, const Rows& rows, int64_t bytes,
                std::vector<PageExample>& examples) {
  for (const auto& [metric, entry] : log.items()) {
    if (!is_about(metric, set) || !entry.is_object()) continue;
    const auto by_index = entry.find("value_by_index");
    if (by_index == entry.end() || !by_index->is_object()) continue;
    for (const auto& [index, value] : by_index->items()) {
      const auto row = rows.find(index);
      if (row == rows.end() || !value.is_object()) continue;
      PageExample& example = examples[row->second];
      if (example.generation) continue;  // the first metric that has it
      example.generation = text_of(value, "generation", bytes);
      if (!example.question) example.question = text_of(value, "input", bytes);
      if (!example.answer) example.answer = text_of(value, "ground_truth", bytes);
    }
  }
}

void read_texts(const std::filesystem::path& folder, std::vector<PageExample>& examples) {
  const int64_t bytes = text_part({}, examples.size());
  Rows rows[2];
  for (size_t i = 0; i < examples.size(); ++i)
    rows[examples[i].set == PageSet::kForget ? 0 : 1].emplace(examples[i].index, i);
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with("_EVAL.json")) logs.push_back(entry.path());
  }
  std::sort(logs.begin(), logs.end());
  for (const std::filesystem::path& path : logs) {
    const Json log = parse_json(read_file(path), path.string());
    if (!log.is_object()) continue;
    fill_texts(log, PageSet::kForget, rows[0], bytes, examples);
    fill_texts(log, PageSet::kHoldout, rows[1], bytes, examples);
  }
}

}  // namespace

const RunMetric* strongest_attack(const RunResults& run) {
  const RunMetric* strongest = nullptr;
  for (const RunMetric& metric : run.metrics) {
    if (!metric.is_auc() || !metric.value) continue;
    if (strongest == nullptr || std::abs(*metric.value - 0.5) > std::abs(*strongest->value - 0.5))
      strongest = &metric;
  }
  return strongest;
}

PageExamples run_examples(const RunResults& run) {
  const RunMetric* strongest = strongest_attack(run);
  PageExamples examples;
  if (strongest == nullptr) return examples;
  std::vector<const RunMetric*> attacks;
  for (const RunMetric& metric : run.metrics) {
    if (!metric.is_auc()) continue;
    if (&metric == strongest) examples.ranking = attacks.size();
    attacks.push_back(&metric);
    examples.attacks.push_back(metric.name);
  }
  std::vector<PageExample>& rows = examples.rows;
  add_rows(attacks, examples.ranking, PageSet::kForget, rows);
  add_rows(attacks, examples.ranking, PageSet::kHoldout, rows);
  const size_t ranking = examples.ranking;
  std::stable_sort(rows.begin(), rows.end(), [&](const PageExample& a, const PageExample& b) {
    return *a.scores[ranking] < *b.scores[ranking];
  });
  examples.note = drop_middle(rows, ExampleLimits().rows);
  read_texts(run.folder, rows);
  return examples;
}

}  // namespace palimpsest
