#include "palimpsest/attack/ratio.h"

#include <cmath>

namespace palimpsest {

std::optional<double> ratio_score(const Trace& trace, const Trace& reference,
                                  const AttackOptions&) {
  const std::optional<double> loss = avg_loss(trace);
  const std::optional<double> expected = avg_loss(reference);
  if (!loss || !expected || *expected <= 0) return std::nullopt;
  const double ratio = *loss / *expected;
  // A loss of 1e-320 is positive, too, but nothing to divide by.
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

}  // namespace palimpsest
