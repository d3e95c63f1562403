// An audit of ε with a single training run (Steinke, Nasr and Jagielski 2023). It uses M canaries:
// examples, each of which is included in the training data with probability ½, by independent coin
// flips. The attack guesses the inclusion of r canaries and abstains on the others; v guesses are
// right. If the mechanism is (ε, δ)-DP, v or more right guesses have at most the probability
//
//   p(ε) = min(1, β + 2Mδ max_{1≤i≤v} (P[Bin(r,q) ≥ v-i] - β)/i)
//   with q = e^ε/(1+e^ε) and β = P[Bin(r,q) ≥ v].
//
// The lower bound is the largest ε with p(ε) <= alpha. It is NOT valid unless membership was
// randomised in this way: forget and holdout sets that somebody chose are not canaries.
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

// The lower bound of ε; 0 if the guesses show nothing. Throws Error for impossible counts.
double one_run_epsilon(const OneRunCounts& counts, const AuditOptions& options);

// p(ε), the p-value for the hypothesis that the mechanism is (ε, δ)-DP.
double one_run_p_value(const OneRunCounts& counts, double epsilon, double delta);

// The tighter bound of Mahloujifar et al. 2024 (arXiv 2410.22235). It assumes that the mechanism's
// trade-off curve is Gaussian: f(x) = Φ(Φ⁻¹(x) - mu). The result is the largest mu that v right
// guesses reject, and the ε that belongs to it at delta > 0. The start is a = alpha·v/M and
// b = alpha·(r-v)/M. Then the steps
//
//   for i = v-1 … 0:  b' = max(b, f(a)),  a ← min(1, a + i/(r-i)·(b' - b)),  b ← b'
//
// are taken, and mu is rejected if a + b > r/M at the end.
GaussianAudit one_run_gaussian_audit(const OneRunCounts& counts, const AuditOptions& options);

// Options for an attack that guesses only where it is sure. Such an attack shows more if only a few
// canaries are plainly remembered. The share of canaries to guess must not be chosen by looking at
// which guesses were right. So a grid of T shares is fixed in advance and each share is tested at
// alpha/T (Bonferroni); then the best bound is valid.
struct AbstainingOptions {
  AuditOptions audit;
  std::vector<double> shares = {1, 0.5, 0.25, 0.1, 0.05};  // of the canaries; each in (0, 1]
};

struct AbstainingAudit {
  double epsilon = 0;   // 0 if no share shows anything
  double share = 1;     // the share that gave this bound
  OneRunCounts counts;  // the counts at that share
};

// The positives are the canaries that were included, the negatives those that were not. At a share
// s, the attack guesses "included" for the ⌊s·M/2⌋ highest scores and "not included" for as many of
// the lowest. Among equal scores it takes the wrong guesses first, so ties never help. Throws Error
// if there are no canaries or no shares, or if a share is out of range.
AbstainingAudit one_run_epsilon_abstaining(const ScoresView& canaries,
                                           const AbstainingOptions& options = {});

}  // namespace palimpsest::stat
