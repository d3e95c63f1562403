// Bounds on the epsilon of a mechanism from the errors of an attack against it, each valid with a
// stated probability under a stated assumption. The outcomes of the attack must be independent
// runs: whether the target was in or out is redrawn and the mechanism run anew for each (for one
// training run with many canaries see one_run_audit.h).
#pragma once

#include <optional>
#include <span>

#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct AuditOptions {
  double alpha = 0.05;  // probability that a bound is wrong, in (0, 1)
  double delta = 0;     // of (ε, δ)-differential privacy, in [0, 1)
};

// Throws Error unless the options are in range.
void require_valid(const AuditOptions& options);

// A lower bound of ε that holds with probability 1 - alpha (Nasr et al. 2021): with Clopper-Pearson
// upper bounds of both error rates at alpha/2 each, the larger of
//   log((1 - δ - FNR_u)/FPR_u)   and   log((1 - δ - FPR_u)/FNR_u),  and at least 0.
// The threshold behind the counts must have been fixed before the data were seen. Undefined without
// both classes.
std::optional<double> clopper_pearson_epsilon(const Confusion& counts, const AuditOptions& options);

// The same over T candidate thresholds at once: each is tested at alpha/T (Bonferroni), so the best
// may be reported. The candidates must not come from these scores: give a grid, or thresholds from
// other data.
std::optional<double> bonferroni_epsilon(const LabelledScores& scores,
                                         std::span<const double> thresholds,
                                         const AuditOptions& options);

// Gaussian-DP audit (Nasr et al. 2023): assumes that the mechanism's trade-off curve is Gaussian.
// Clopper-Pearson upper bounds at alpha/(2T) over the T thresholds give
//   mu = max_t Φ⁻¹(1 - FPR_u) - Φ⁻¹(FNR_u),
// and ε solves δ = Φ(-ε/mu + mu/2) - e^ε Φ(-ε/mu - mu/2). Needs delta > 0; 0 where mu is not
// positive.
struct GaussianAudit {
  double mu = 0;
  double epsilon = 0;
};
std::optional<GaussianAudit> gaussian_audit(const LabelledScores& scores,
                                            std::span<const double> thresholds,
                                            const AuditOptions& options);

// The ε at which a mu-Gaussian-DP mechanism is exactly (ε, δ)-DP.
double gaussian_dp_epsilon(double mu, double delta);

// The equal-tailed credible interval of ε (Zanella-Béguelin et al. 2023) at level 1 - alpha: FNR
// and FPR have the posteriors Beta(½+FN, ½+TP) and Beta(½+FP, ½+TN), and P(ε) is the posterior mass
// of the pairs that (ε, δ)-differential privacy allows; P(low) = alpha/2, P(high) = 1 - alpha/2.
// Much narrower than Clopper-Pearson, but a statement about belief, not about repeated runs.
//
//   bayesian_epsilon({.true_positives = 487, .false_negatives = 0, .false_positives = 512,
//                     .true_negatives = 1}, {.alpha = 0.1, .delta = 1e-5})     // 0.1439 … 6.4156
std::optional<Interval> bayesian_epsilon(const Confusion& counts, const AuditOptions& options);

}  // namespace palimpsest::stat
