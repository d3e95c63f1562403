// Writes docs/validation.md: validation_table > docs/validation.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/lab/validation.h"

namespace palimpsest::lab {
namespace {

void print_opening() {
  fmt::print(
      "# Validation: what the attacks do where the truth is known\n\n"
      "Made with tiny models from `palimpsest/lab`, whose training data we chose. To make this "
      "page "
      "again:\n\n"
      "    cmake --preset release && cmake --build --preset release --target validation_table\n"
      "    build/release/tests/lab/validation_table > docs/validation.md\n\n"
      "The slow tests (`make slow`, tests/lab/validation_slow_test.cc) hold the library to these "
      "numbers.\n"
      "Every run makes up new authors with one question each and trains a new model of one layer;\n"
      "forget and holdout set have {} examples each. The whole chain runs as it does for any other "
      "model:\n"
      "checkpoint, traces, scores, intervals.\n\n",
      kAuditedExamples);
}

void print_null(int64_t runs) {
  fmt::print(
      "## Nothing to find\n\n"
      "Neither set was trained on. Of {} runs, so many 95% intervals of the AUC contain ½ (a sound "
      "interval\nstays between 180 and 198 of 200 with probability 0.999):\n\n"
      "| attack | BCa bootstrap | DeLong |\n|---|---|---|\n",
      runs);
  for (const NullCoverage& attack : null_coverage(runs)) {
    fmt::print("| {} | {} | {} |\n", attack.attack, attack.bca, attack.delong);
  }
}

void print_power(int64_t runs) {
  fmt::print(
      "\n## Something to find\n\n"
      "The forget set was trained on. Mean AUC of {} runs after so many epochs, strongest after {} "
      "epochs\nfirst. The reference model was trained on the same other data, but not on the "
      "forget "
      "set: the best\nreference that an attacker could have.\n\n| attack |",
      runs, power_epochs()[2]);
  for (const int64_t epochs : power_epochs()) fmt::print(" {} |", epochs);
  fmt::print("\n|---|");
  for (size_t i = 0; i < power_epochs().size(); ++i) fmt::print("---|");
  fmt::print("\n");
  std::vector<PowerCurve> curves = power_curves(runs);
  std::ranges::stable_sort(curves, std::greater(), [](const PowerCurve& c) { return c.auc[2]; });
  for (const PowerCurve& curve : curves) {
    fmt::print("| {} |", curve.attack);
    for (const double auc : curve.auc) fmt::print(" {:.3f} |", auc);
    fmt::print("\n");
  }
}

void print_private(int64_t runs) {
  fmt::print(
      "\n## A known epsilon\n\n"
      "120 canaries; a coin says whether each should be trained on, and randomised response "
      "decides "
      "whether it\nis, which is ε-differentially private whatever the model does. The attack "
      "guesses "
      "100 coins by the loss;\nthe lower bound of ε (one run, Steinke et al. 2023) may be wrong in "
      "5% of the runs.\n\n"
      "| ε | runs | right guesses | most that ε allows | mean bound | bounds above ε |\n"
      "|---|---|---|---|---|---|\n");
  for (const double epsilon : {0.5, 1.0, 2.0}) {
    const PrivateRuns found = randomised_response(epsilon, runs);
    double mean = 0;
    for (const double bound : found.bounds) mean += bound / static_cast<double>(runs);
    fmt::print("| {} | {} | {:.1f}% | {:.1f}% | {:.2f} | {} |\n", epsilon, runs,
               100 * found.share_right, 100 / (1 + std::exp(-epsilon)), mean,
               std::ranges::count_if(found.bounds, [&](double b) { return b > epsilon; }));
  }
}

}  // namespace
}  // namespace palimpsest::lab

int main() {
  using namespace palimpsest::lab;
  print_opening();
  print_null(200);
  print_power(10);
  print_private(40);
}
