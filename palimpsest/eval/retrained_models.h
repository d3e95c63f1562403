// Compares the model with several retrained models. Training is random, so models that never saw
// the forget set also differ from each other. The distance of the model from the retrained models
// is compared with their distances from each other. D(x, y) is the distance between two models by
// one metric: the difference between the AUCs of an attack, |privleak| of one model against the
// other (the smaller of the two directions), or the Kolmogorov-Smirnov distance between their truth
// ratios. With n retrained models:
//
//   d(x) = mean over the other n models y of D(x, y)
//   p    = #{x among all n + 1: d(x) >= d(model)} / (n + 1)
//
// If the model were one more retrained model, all n + 1 models would be exchangeable. So p is
// exact, and it is at least 1/(n + 1). This test needs at least two retrained models.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace palimpsest::eval {

struct RetrainedComparison {
  std::string metric;
  double model = 0;               // d(model)
  std::vector<double> retrained;  // d of each retrained model
  double p_value = 1;

  // Whether d(model) is at most the largest d of a retrained model.
  bool is_within() const;
  friend bool operator==(const RetrainedComparison&, const RetrainedComparison&) = default;
};

// `retrained` is the number of retrained models, at least 2. In `distance(x, y)`, 0 is the
// evaluated model, and 1 to `retrained` are the retrained models.
RetrainedComparison compare_with_retrained(const std::string& metric, size_t retrained,
                                           const std::function<double(size_t, size_t)>& distance);

struct RetrainedModels {
  int64_t logs = 0;  // n, at least 2
  std::vector<RetrainedComparison> comparisons;

  double smallest_p_value() const;
  // A sentence for the report: "Differs from the 3 retrained models no more than they differ from
  // each other …"
  std::string sentence() const;
  friend bool operator==(const RetrainedModels&, const RetrainedModels&) = default;
};

}  // namespace palimpsest::eval
