#include "palimpsest/attack/internal/mia/record_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/conformal.h"
#include "palimpsest/stat/multiple_testing.h"

namespace palimpsest::attack {

void require_discovery_rate(double rate) {
  if (rate > 0 && rate < 1) return;
  throw Error({.what = fmt::format("the false discovery rate {} is out of range", rate),
               .expected = "a number between 0 and 1, such as 0.1"});
}

RecordTests test_records(const ScoreColumns& scores, double rate) {
  require_discovery_rate(rate);
  std::vector<double> records;
  for (const auto& score : scores.forget) {
    if (score) records.push_back(*score);
  }
  std::vector<double> calibration;
  for (const auto& score : scores.holdout) {
    if (score) calibration.push_back(*score);
  }
  const std::vector<double> p_values = stat::conformal_p_values(records, calibration);
  const std::vector<double> q_values = stat::benjamini_hochberg(p_values);
  RecordTests tests;
  tests.p_values.resize(scores.forget.size());
  tests.q_values.resize(scores.forget.size());
  size_t next = 0;
  for (size_t i = 0; i < scores.forget.size(); ++i) {
    if (!scores.forget[i]) continue;
    tests.p_values[i] = p_values[next];
    tests.q_values[i] = q_values[next];
    if (q_values[next] <= rate) tests.recognised.push_back(i);
    ++next;
  }
  return tests;
}

int64_t holdout_for_one_record(int64_t forget_records, double rate) {
  // 1/(n + 1) <= r/m, a little rounding in the division forgiven.
  const double needed = std::ceil(static_cast<double>(forget_records) / rate - 1e-9) - 1;
  return std::max<int64_t>(0, static_cast<int64_t>(std::min(needed, 1e18)));
}

}  // namespace palimpsest::attack
