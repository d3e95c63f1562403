#include "palimpsest/stat/one_run_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/normal.h"
#include "palimpsest/stat/internal/root.h"

namespace palimpsest::stat {
namespace {

// P[Bin(trials, q) >= at_least]
double binomial_tail(int64_t trials, double q, int64_t at_least) {
  if (at_least <= 0) return 1;
  return boost::math::ibeta(static_cast<double>(at_least),
                            static_cast<double>(trials - at_least) + 1, q);
}

void require_possible(const OneRunCounts& counts) {
  const bool possible =
      0 <= counts.right && counts.right <= counts.guesses && counts.guesses <= counts.canaries;
  if (possible) return;
  throw Error(fmt::format("{} right of {} guesses on {} canaries is impossible", counts.right,
                          counts.guesses, counts.canaries));
}

// a + b - r/M of the header: positive where mu-Gaussian-DP is rejected.
double gaussian_excess(const OneRunCounts& counts, double alpha, double mu) {
  const auto canaries = static_cast<double>(counts.canaries);
  double a = alpha * static_cast<double>(counts.right) / canaries;
  double b = alpha * static_cast<double>(counts.guesses - counts.right) / canaries;
  for (int64_t i = counts.right - 1; i >= 0; --i) {
    const double higher = std::max(b, normal_cdf(normal_quantile(a) - mu));
    a = std::min(
        1.0, a + static_cast<double>(i) / static_cast<double>(counts.guesses - i) * (higher - b));
    b = higher;
  }
  return a + b - static_cast<double>(counts.guesses) / canaries;
}

// The right ones among `guesses` made from one end of the scores: on the highest, that they were
// included, on the lowest, that they were left out.
template <class Groups>
int64_t correct_one_sided_guesses(const Groups& groups, int64_t guesses, int64_t ScoreGroup::*right,
                                  int64_t ScoreGroup::*wrong) {
  int64_t found = 0;
  for (const ScoreGroup& group : groups) {
    const int64_t taken = std::min(guesses, group.*right + group.*wrong);
    found += std::max<int64_t>(0, taken - group.*wrong);
    guesses -= taken;
    if (guesses == 0) break;
  }
  return found;
}

}  // namespace

double one_run_p_value(const OneRunCounts& counts, double epsilon, double delta) {
  const double q = logistic(epsilon);
  const double beta = binomial_tail(counts.guesses, q, counts.right);
  double worst = 0;
  if (delta > 0) {
    for (int64_t i = 1; i <= counts.right; ++i) {
      const double gain = binomial_tail(counts.guesses, q, counts.right - i) - beta;
      worst = std::max(worst, gain / static_cast<double>(i));
    }
  }
  return std::min(1.0, beta + 2 * static_cast<double>(counts.canaries) * delta * worst);
}

double one_run_epsilon(const OneRunCounts& counts, const AuditOptions& options) {
  require_valid(options);
  require_possible(counts);
  auto excess = [&](double epsilon) {
    return options.alpha - one_run_p_value(counts, epsilon, options.delta);
  };
  return excess(0) <= 0 ? 0 : root_of_decreasing(excess);
}

GaussianAudit one_run_gaussian_audit(const OneRunCounts& counts, const AuditOptions& options) {
  require_valid(options);
  require_possible(counts);
  GaussianAudit audit;
  if (counts.guesses == 0) return audit;
  auto excess = [&](double mu) { return gaussian_excess(counts, options.alpha, mu); };
  if (excess(0) > 0) audit.mu = root_of_decreasing(excess);
  audit.epsilon = gaussian_dp_epsilon(audit.mu, options.delta);
  return audit;
}

AbstainingAudit one_run_epsilon_abstaining(const ScoresView& canaries,
                                           const AbstainingOptions& options) {
  require_valid(options.audit);
  const int64_t count = canaries.positive_count() + canaries.negative_count();
  if (count == 0) throw Error("there are no canaries to audit with");
  if (options.shares.empty()) throw Error("there is no share of the canaries to guess");
  AuditOptions corrected = options.audit;
  corrected.alpha /= static_cast<double>(options.shares.size());
  std::vector<ScoreGroup> ascending = group_scores(canaries);
  std::vector<ScoreGroup> descending(ascending.rbegin(), ascending.rend());
  AbstainingAudit best{.epsilon = -1, .share = 1, .counts = {}};
  for (double share : options.shares) {
    if (!(share > 0 && share <= 1)) {
      throw Error({.what = fmt::format("the share {} of the canaries is out of range", share),
                   .expected = "a number in (0, 1]"});
    }
    // 0.29 * 100 is a little less than 29.
    const auto half = static_cast<int64_t>(share * static_cast<double>(count) / 2 + 1e-9);
    const OneRunCounts counts{
        .canaries = count,
        .guesses = 2 * half,
        .right = correct_one_sided_guesses(descending, half, &ScoreGroup::positives,
                                           &ScoreGroup::negatives) +
                 correct_one_sided_guesses(ascending, half, &ScoreGroup::negatives,
                                           &ScoreGroup::positives)};
    const double epsilon = one_run_epsilon(counts, corrected);
    if (epsilon > best.epsilon) best = {epsilon, share, counts};
  }
  return best;
}

}  // namespace palimpsest::stat
