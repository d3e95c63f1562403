#include "palimpsest/eval/internal/retrained_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/error.h"

namespace palimpsest::eval {

bool RetrainedComparison::is_within() const {
  return std::ranges::any_of(retrained, [&](double other) { return other >= model; });
}

RetrainedComparison compare_with_retrained(const std::string& metric, size_t retrained,
                                           const std::function<double(size_t, size_t)>& distance) {
  PALIMPSEST_CHECK(retrained >= 2);
  std::vector<double> from_others;
  for (size_t x = 0; x <= retrained; ++x) {
    double sum = 0;
    for (size_t y = 0; y <= retrained; ++y) {
      if (y != x) sum += distance(x, y);
    }
    from_others.push_back(sum / static_cast<double>(retrained));
  }
  const double model = from_others.front();
  const auto as_far = std::ranges::count_if(from_others, [&](double d) { return d >= model; });
  return {.metric = metric,
          .model = model,
          .retrained = {from_others.begin() + 1, from_others.end()},
          .p_value = static_cast<double>(as_far) / static_cast<double>(retrained + 1)};
}

double RetrainedModels::smallest_p_value() const {
  return 1 / static_cast<double>(logs + 1);
}

std::string RetrainedModels::sentence() const {
  std::vector<std::string> outside;
  for (const RetrainedComparison& one : comparisons) {
    if (!one.is_within()) outside.push_back(one.metric);
  }
  return fmt::format(
      "Differs from the {0} retrained models {1} than they differ from each other{2}; with {0} of "
      "them no p-value can be smaller than {3:.2g}, and each number is tested by itself.",
      logs, outside.empty() ? "no more" : "more",
      outside.empty() ? "" : fmt::format(", by {}", fmt::join(outside, ", ")), smallest_p_value());
}

}  // namespace palimpsest::eval
