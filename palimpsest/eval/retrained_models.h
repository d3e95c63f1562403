// Several retrained models: training is random, so two models that never saw the forget set differ as
// well. A model is compared with how far they are from each other. With D(x, y) the distance of two
// models by one metric (the difference of AUCs of an attack, |privleak| of one against the other, the
// smaller of both ways round, the Kolmogorov-Smirnov distance of their truth ratios) and n retrained
// models:
//
//   d(x) = mean over the other n models y of D(x, y)
//   p    = #{x among all n + 1: d(x) >= d(model)} / (n + 1)
//
// If the model were one more of them, all n + 1 would be exchangeable: p is exact, and at least
// 1/(n + 1). One retrained model tells nothing of this kind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace palimpsest::eval {

struct RetrainedComparison {
  std::string metric;
  double model = 0;               // d of the model
  std::vector<double> retrained;  // of each retrained one
  double p_value = 1;

  // No farther from the others than one of the retrained models is.
  bool is_within() const;
  friend bool operator==(const RetrainedComparison&, const RetrainedComparison&) = default;
};

// `distance(x, y)`: 0 is the model, 1 to `retrained` the others. At least two are needed.
RetrainedComparison compare_with_retrained(const std::string& metric, size_t retrained,
                                           const std::function<double(size_t, size_t)>& distance);

struct RetrainedModels {
  int64_t logs = 0;  // n, at least 2
  std::vector<RetrainedComparison> comparisons;

  double smallest_p_value() const;
  // "Differs from the 3 retrained models no more than they differ from each other …"
  std::string sentence() const;
  friend bool operator==(const RetrainedModels&, const RetrainedModels&) = default;
};

}  // namespace palimpsest::eval
