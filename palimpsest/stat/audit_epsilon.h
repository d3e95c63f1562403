// Bounds on the ε of a differentially private mechanism, computed from the errors of an attack
// against it. Each bound holds with a stated probability under a stated assumption. The outcomes of
// the attack must be independent: for each of them, membership of the target is drawn again and the
// mechanism is run again. For one training run with many canaries, see one_run_audit.h.
#pragma once

#include <optional>
#include <span>

#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct AuditOptions {
  double alpha = 0.05;  // probability that a bound is wrong, in (0, 1)
  double delta = 0;     // the δ of (ε, δ)-differential privacy, in [0, 1)
};

// Throws Error unless the options are in range.
void require_valid(const AuditOptions& options);

// A lower bound of ε that holds with probability 1 - alpha (Nasr et al. 2021). FNR_u and FPR_u are
// Clopper-Pearson upper bounds of the two error rates, at alpha/2 each. The bound is the larger of
//   log((1 - δ - FNR_u)/FPR_u)   and   log((1 - δ - FPR_u)/FNR_u),  and at least 0.
// The threshold that led to the counts must have been fixed before the data were seen. Undefined
// (nullopt) unless both classes have items.
std::optional<double> clopper_pearson_epsilon(const Confusion& counts, const AuditOptions& options);

// The best such bound over T candidate thresholds. Each candidate is tested at alpha/T
// (Bonferroni), so the best one may be reported. The candidates must not be chosen from these
// scores: use a grid, or thresholds from other data. Undefined (nullopt) unless both classes have
// items. Throws Error if there are no thresholds.
std::optional<double> bonferroni_epsilon(const ScoresView& scores,
                                         std::span<const double> thresholds,
                                         const AuditOptions& options);

// A Gaussian-DP audit (Nasr et al. 2023). It assumes that the mechanism's trade-off curve is
// Gaussian. FPR_u and FNR_u are Clopper-Pearson upper bounds at alpha/(2T), for T thresholds. Then
//   mu = max_t Φ⁻¹(1 - FPR_u) - Φ⁻¹(FNR_u),
// and ε solves δ = Φ(-ε/mu + mu/2) - e^ε Φ(-ε/mu - mu/2). If mu is not positive, both results are
// 0. Undefined (nullopt) unless both classes have items. Throws Error if there are no thresholds,
// or if delta is 0.
struct GaussianAudit {
  double mu = 0;
  double epsilon = 0;
};
std::optional<GaussianAudit> gaussian_audit(const ScoresView& scores,
                                            std::span<const double> thresholds,
                                            const AuditOptions& options);

// The ε for which a mu-Gaussian-DP mechanism is exactly (ε, δ)-DP.
double gaussian_dp_epsilon(double mu, double delta);

// The equal-tailed credible interval of ε at level 1 - alpha (Zanella-Béguelin et al. 2023). FNR
// and FPR have the posteriors Beta(½+FN, ½+TP) and Beta(½+FP, ½+TN). P(ε) is the posterior
// probability of the pairs (FNR, FPR) that (ε, δ)-differential privacy allows; the ends satisfy
// P(low) = alpha/2 and P(high) = 1 - alpha/2. The interval is much narrower than that of
// Clopper-Pearson, but it states a degree of belief, not a frequency over repeated runs.
//
//   bayesian_epsilon({.true_positives = 487, .false_negatives = 0, .false_positives = 512,
//                     .true_negatives = 1}, {.alpha = 0.1, .delta = 1e-5})     // 0.1439 … 6.4156
std::optional<Interval> bayesian_epsilon(const Confusion& counts, const AuditOptions& options);

}  // namespace palimpsest::stat
