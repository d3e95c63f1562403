// Auditing with a single training run (Steinke, Nasr and Jagielski 2023): M canaries are each
// included with probability ½ by independent coin flips, the attack guesses r of them (and abstains
// on the others), v guesses are right. If the mechanism is (ε, δ)-DP, so many right guesses have at
// most the probability
//
//   p(ε) = min(1, β + 2Mδ max_{1≤i≤v} (P[Bin(r,q) ≥ v-i] - β)/i)
//   with q = e^ε/(1+e^ε) and β = P[Bin(r,q) ≥ v],
//
// and the bound is the largest ε with p(ε) <= alpha. NOT valid unless membership was randomised
// this way: forget and holdout sets that somebody chose are not canaries.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct OneRunCounts {
  int64_t canaries = 0;  // M
  int64_t guesses = 0;   // r, at most M
  int64_t right = 0;     // v, at most r
};

// The lower bound of ε; 0 where the guesses show nothing. Throws Error on impossible counts.
double one_run_epsilon(const OneRunCounts& counts, const AuditOptions& options);

// p(ε), the p-value of the hypothesis that the mechanism is (ε, δ)-DP.
double one_run_p_value(const OneRunCounts& counts, double epsilon, double delta);

// The tighter bound of Mahloujifar et al. 2024 (arXiv 2410.22235), which assumes that the
// mechanism's trade-off curve is Gaussian, f(x) = Φ(Φ⁻¹(x) - mu): the largest mu that so many right
// guesses reject, and its ε at delta > 0. From a = alpha·v/M and b = alpha·(r-v)/M,
//
//   for i = v-1 … 0:  b' = max(b, f(a)),  a ← min(1, a + i/(r-i)·(b' - b)),  b ← b'
//
// and mu is rejected if a + b > r/M in the end.
GaussianAudit one_run_gaussian_audit(const OneRunCounts& counts, const AuditOptions& options);

// Guessing only where the attack is sure shows more, if few canaries are remembered plainly. Which
// share of them to guess must not be read off the guesses that turned out right; so a grid of T
// shares is fixed beforehand, each is tested at alpha/T (Bonferroni), and the best bound holds.
struct AbstainingOptions {
  AuditOptions audit;
  std::vector<double> shares = {1, 0.5, 0.25, 0.1, 0.05};  // of the canaries, each in (0, 1]
};

struct AbstainingAudit {
  double epsilon = 0;   // 0 where no share shows anything
  double share = 1;     // whose bound it is
  OneRunCounts counts;  // at that share
};

// Positives are the canaries that were included, negatives those left out. At a share s the attack
// says "included" of the ⌊s·M/2⌋ highest scores and "left out" of as many lowest ones. Among scores
// that are equal it takes the wrong guesses first, so that ties never help. Throws Error without
// canaries, without shares, or on one out of range.
AbstainingAudit one_run_epsilon_abstaining(const LabelledScores& canaries,
                                           const AbstainingOptions& options = {});

}  // namespace palimpsest::stat
