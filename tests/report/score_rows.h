// Small scores tables for the tests of this folder.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/scores_file.h"

namespace palimpsest::report {

// Classes "0" and "1", as numbers 0 and 1.
inline std::vector<ScoreClass> binary_classes() {
  return {{"0", "scores.csv:2"}, {"1", "scores.csv:3"}};
}

// `count` rows with labels in turn; positives score higher by `shift`.
inline AttackRows normal_rows(uint64_t seed, int64_t count, double shift,
                              std::vector<std::string> values = {}) {
  Random random(seed);
  AttackRows rows{.values = std::move(values)};
  for (int64_t i = 0; i < count; ++i) {
    rows.labels.push_back(static_cast<int32_t>(i % 2));
    rows.scores.push_back(random.normal() + (i % 2 == 1 ? shift : 0));
  }
  return rows;
}

// The scores file of such rows.
inline std::string normal_csv(uint64_t seed, int64_t count, double shift,
                              const std::string& attack = "loss", bool heading = true) {
  std::string text = heading ? "label,score,attack\n" : "";
  const AttackRows rows = normal_rows(seed, count, shift);
  for (size_t i = 0; i < rows.labels.size(); ++i)
    text += fmt::format("{},{},{}\n", rows.labels[i], rows.scores[i], attack);
  return text;
}

inline SummaryOptions all_metrics() {
  return {.metrics = select_summary_metrics("all")};
}

// The value of a metric, asked for with all_metrics().
inline MetricValue metric(const AttackSummary& summary, const std::string& name) {
  return summary.metrics.at(select_summary_metrics(name)[0]);
}

}  // namespace palimpsest::report
