// Writes docs/validation.md: validation_table > docs/validation.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/lab/validation.h"

namespace palimpsest::lab {
namespace {

constexpr const char* kOpeningText = R"(# Validation: what the attacks do where the truth is known

This page measures how well the attacks work on tiny models from `palimpsest/lab`. We chose the training
data of these models, so we know what each model has seen. To make this page again:

    cmake --preset release && cmake --build --preset release --target validation_table
    build/release/tests/lab/validation_table > docs/validation.md

The slow tests (`make slow`, tests/lab/validation_slow_test.cc) check that the library still gives numbers
like these. Every run makes up new authors with one question each and trains a new model of one layer. The
forget set and the holdout set have {} examples each. All steps run as they do for any other model:
checkpoint, traces, scores, intervals.

)";

constexpr const char* kNullText = R"(## Nothing to find

The models were trained on neither set, so the true AUC is ½. The table counts in how many of {} runs the
95% interval of the AUC contains ½. For a sound interval, this number lies between 180 and 198 of 200 with
probability 0.999.

| attack | BCa bootstrap | DeLong |
|---|---|---|
)";

constexpr const char* kPowerText = R"(
## Something to find

The models were trained on the forget set. The table gives the mean AUC of {} runs after 0 to 20 epochs.
The attack that is strongest after {} epochs comes first. The reference model was trained on the same data
except for the forget set. It is the best reference model that an attacker could have.

| attack |)";

constexpr const char* kPrivateText = R"(
## A known epsilon

Each run has 120 canaries, which are made-up examples that may be put into the training data. A fair coin
is flipped for each canary. Randomised response then decides whether the model is trained on it: with
probability e^ε/(1 + e^ε) the decision follows the coin, and otherwise it is the opposite. So the training
is ε-differentially private with respect to the coins, whatever the model does. The attack guesses 100 of
the coins from the model's loss. The lower bound on ε (from one run, Steinke et al. 2023) may lie above ε
in at most 5% of the runs. That is 2 of 40 on average, so 3 of 40 are no contradiction. In the same
way, the share of correct guesses may by chance exceed the largest share that ε allows.

| ε | runs | correct guesses | largest share that ε allows | mean bound | bounds above ε |
|---|---|---|---|---|---|
)";

void print_opening() {
  fmt::print(kOpeningText, kAuditedExamples);
}

void print_null(int64_t runs) {
  fmt::print(kNullText, runs);
  for (const NullCoverage& attack : null_coverage(runs)) {
    fmt::print("| {} | {} | {} |\n", attack.attack, attack.bca, attack.delong);
  }
}

void print_power(int64_t runs) {
  fmt::print(kPowerText, runs, power_epochs()[2]);
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
  fmt::print("{}", kPrivateText);
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
