// The part of calibration.h about bounds of epsilon.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/one_run_audit.h"
#include "palimpsest/stat/two_step_epsilon.h"
#include "tests/stat/calibration.h"

namespace palimpsest::stat {
namespace {

constexpr uint64_t kEpsilonSeed = 20250602;
constexpr int64_t kItems = 500;  // runs of the mechanism with the target in, and as many without

// A grid that was not made from the scores, as the bounds over thresholds demand.
constexpr std::array kThresholds = {-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0};

double laplace(Random& random, double scale) {
  const double u = random.uniform() - 0.5;
  return -scale * std::copysign(std::log1p(-2 * std::abs(u)), u);
}

// The Laplace mechanism on a query that the target moves from 0 to 1. At thresholds from 1 upwards
// TP/FP is exactly e^ε, from 0 downwards TN/FN is: no attack can show more.
double laplace_mechanism(Random& random, bool target_in, double epsilon) {
  return (target_in ? 1 : 0) + laplace(random, 1 / epsilon);
}

LabelledScores laplace_scores(Random& random, double epsilon) {
  LabelledScores scores;
  for (int64_t i = 0; i < kItems; ++i) {
    scores.positives.push_back(laplace_mechanism(random, true, epsilon));
    scores.negatives.push_back(laplace_mechanism(random, false, epsilon));
  }
  return scores;
}

// N(1, 1) against N(0, 1): 1-Gaussian-DP, with a Gaussian trade-off curve at every threshold.
LabelledScores gaussian_scores(Random& random) {
  LabelledScores scores;
  for (int64_t i = 0; i < kItems; ++i) {
    scores.positives.push_back(1 + random.normal());
    scores.negatives.push_back(random.normal());
  }
  return scores;
}

// Three attacks on the same items: one that sees the mechanism's output, one that sees it through
// noise, and one that guesses. Choosing among them is what the two-step estimate must survive.
std::vector<AttackScores> three_attacks(Random& random, double epsilon) {
  std::vector<AttackScores> attacks(3);
  for (int64_t i = 0; i < 2 * kItems; ++i) {
    const int label = i % 2 == 0 ? 1 : 0;
    const double output = laplace_mechanism(random, label == 1, epsilon);
    for (AttackScores& attack : attacks) attack.labels.push_back(label);
    attacks[0].scores.push_back(output);
    attacks[1].scores.push_back(output + random.normal());
    attacks[2].scores.push_back(random.uniform());
  }
  return attacks;
}

// Each canary passes the Laplace mechanism once.
LabelledScores laplace_canaries(Random& random, double epsilon, int64_t canaries) {
  LabelledScores scores;
  for (int64_t i = 0; i < canaries; ++i) {
    const bool in = random.below(2) == 1;
    (in ? scores.positives : scores.negatives).push_back(laplace_mechanism(random, in, epsilon));
  }
  return scores;
}

// Each canary passes the Laplace mechanism once; the attack guesses "in" for the highest outputs
// and "out" for the lowest, as many each, and abstains on the others.
OneRunCounts one_run(Random& random, double epsilon, int64_t canaries, int64_t guesses) {
  std::vector<std::pair<double, bool>> outputs;
  for (int64_t i = 0; i < canaries; ++i) {
    const bool in = random.below(2) == 1;
    outputs.emplace_back(laplace_mechanism(random, in, epsilon), in);
  }
  std::sort(outputs.begin(), outputs.end());
  OneRunCounts counts{.canaries = canaries, .guesses = guesses};
  for (int64_t i = 0; i < guesses / 2; ++i) {
    if (!outputs[static_cast<size_t>(i)].second) ++counts.right;
    if (outputs[static_cast<size_t>(canaries - 1 - i)].second) ++counts.right;
  }
  return counts;
}

struct Promise {
  double truth = 0;
  double stated_share = 0;
  int64_t runs = 4000;
};

BoundRuns repeat(const Promise& promise, const std::function<double(Random&, uint64_t)>& bound) {
  BoundRuns result{.truth = promise.truth, .stated_share = promise.stated_share, .bounds = {}};
  result.bounds.resize(static_cast<size_t>(promise.runs));
  const Random root(kEpsilonSeed);
  parallel_for(promise.runs, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random = root.split(static_cast<uint64_t>(i));
      result.bounds[static_cast<size_t>(i)] = bound(random, static_cast<uint64_t>(i));
    }
  });
  return result;
}

BoundCase fixed_threshold_case(double epsilon, double threshold) {
  const AuditOptions options{.alpha = 0.05};
  return {"Clopper-Pearson, one threshold", fmt::format("Laplace, threshold {}", threshold), [=] {
            return repeat({epsilon, options.alpha}, [&](Random& random, uint64_t) {
              const LabelledScores scores = laplace_scores(random, epsilon);
              return *clopper_pearson_epsilon(confusion_at(scores, threshold), options);
            });
          }};
}

BoundCase bonferroni_case(double epsilon) {
  const AuditOptions options{.alpha = 0.05};
  return {"Clopper-Pearson with Bonferroni",
          fmt::format("Laplace, {} thresholds", kThresholds.size()), [=] {
            return repeat({epsilon, options.alpha}, [&](Random& random, uint64_t) {
              return *bonferroni_epsilon(laplace_scores(random, epsilon), kThresholds, options);
            });
          }};
}

BoundCase two_step_case(double epsilon, EpsilonHeuristic heuristic, double confidence) {
  return {heuristic == EpsilonHeuristic::kRatio ? "two-step, ratio" : "two-step, cp",
          "Laplace, 3 attacks", [=] {
            const Promise promise{epsilon, 1 - confidence, 2000};
            return repeat(promise, [&](Random& random, uint64_t seed) {
              const TwoStepOptions options{
                  .confidence_levels = {confidence}, .heuristic = heuristic, .seed = seed};
              const auto found = two_step_epsilon(three_attacks(random, epsilon), options);
              return found ? found->bounds[0].epsilon.low : 0;
            });
          }};
}

BoundCase bayesian_case(double epsilon) {
  const AuditOptions options{.alpha = 0.1};
  return {"Bayesian, lower end", "Laplace, threshold 1", [=] {
            const Promise promise{epsilon, options.alpha / 2, 1000};
            return repeat(promise, [&](Random& random, uint64_t) {
              const LabelledScores scores = laplace_scores(random, epsilon);
              return bayesian_epsilon(confusion_at(scores, 1), options)->low;
            });
          }};
}

BoundCase gaussian_case() {
  const AuditOptions options{.alpha = 0.05, .delta = 1e-5};
  return {"Gaussian DP", fmt::format("Gaussian, mu 1, delta {}", options.delta), [=] {
            const double truth = gaussian_dp_epsilon(1, options.delta);
            return repeat({truth, options.alpha}, [&](Random& random, uint64_t) {
              return gaussian_audit(gaussian_scores(random), kThresholds, options)->epsilon;
            });
          }};
}

BoundCase one_run_case(double epsilon, double delta, int64_t runs) {
  const AuditOptions options{.alpha = 0.05, .delta = delta};
  return {"one run", fmt::format("Laplace, 100 of 500 canaries guessed, delta {}", delta), [=] {
            return repeat({epsilon, options.alpha, runs}, [&](Random& random, uint64_t) {
              return one_run_epsilon(one_run(random, epsilon, 500, 100), options);
            });
          }};
}

// The best of all shares, which Bonferroni's correction must pay for.
BoundCase abstaining_case(double epsilon) {
  const AbstainingOptions options{.audit = {.alpha = 0.05}};
  return {"one run, abstaining",
          fmt::format("Laplace, 500 canaries, {} shares", options.shares.size()), [=] {
            return repeat({epsilon, options.audit.alpha}, [&](Random& random, uint64_t) {
              return one_run_epsilon_abstaining(laplace_canaries(random, epsilon, 500), options)
                  .epsilon;
            });
          }};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const BoundCase& bound) {
  return out << bound.name << ": " << bound.setting;
}

std::vector<BoundCase> bound_cases() {
  std::vector<BoundCase> cases;
  for (const double epsilon : {1.0, 3.0}) {
    cases.push_back(fixed_threshold_case(epsilon, 1));
    cases.push_back(fixed_threshold_case(epsilon, 0));
    cases.push_back(bonferroni_case(epsilon));
    for (const double confidence : {0.9, 0.95}) {
      cases.push_back(two_step_case(epsilon, EpsilonHeuristic::kClopperPearson, confidence));
      cases.push_back(two_step_case(epsilon, EpsilonHeuristic::kRatio, confidence));
    }
    cases.push_back(bayesian_case(epsilon));
    cases.push_back(one_run_case(epsilon, 0, 4000));
    cases.push_back(one_run_case(epsilon, 1e-5, 500));
    cases.push_back(abstaining_case(epsilon));
  }
  cases.push_back(gaussian_case());
  return cases;
}

PriorRuns bayesian_under_its_prior() {
  PriorRuns result{.alpha = 0.1, .runs = 1000};
  std::vector<Interval> intervals(static_cast<size_t>(result.runs));
  std::vector<double> truths(static_cast<size_t>(result.runs));
  const Random root(kEpsilonSeed);
  parallel_for(result.runs, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random = root.split(static_cast<uint64_t>(i));
      // Beta(½, ½) is the arcsine law.
      auto draw_rate = [&] {
        return std::pow(std::sin(std::numbers::pi / 2 * random.uniform()), 2);
      };
      const double fnr = draw_rate();
      const double fpr = draw_rate();
      Confusion counts;
      for (int64_t k = 0; k < 100; ++k) {
        ++(random.uniform() < fnr ? counts.false_negatives : counts.true_positives);
        ++(random.uniform() < fpr ? counts.false_positives : counts.true_negatives);
      }
      const double positives = std::log((1 - fnr) / fpr);
      const double negatives = std::log((1 - fpr) / fnr);
      truths[static_cast<size_t>(i)] = std::max(std::abs(positives), std::abs(negatives));
      intervals[static_cast<size_t>(i)] = *bayesian_epsilon(counts, {.alpha = result.alpha});
    }
  });
  int64_t below = 0;
  int64_t above = 0;
  for (size_t i = 0; i < truths.size(); ++i) {
    if (truths[i] < intervals[i].low) ++below;
    if (truths[i] > intervals[i].high) ++above;
  }
  result.share_below = static_cast<double>(below) / static_cast<double>(result.runs);
  result.share_above = static_cast<double>(above) / static_cast<double>(result.runs);
  return result;
}

}  // namespace palimpsest::stat
