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

#include "palimpsest/stat/audit_epsilon.h"

namespace palimpsest {

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

}  // namespace palimpsest
