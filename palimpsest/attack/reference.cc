#include "palimpsest/attack/reference.h"

namespace palimpsest {

std::optional<double> reference_score(const Trace& trace, const Trace& reference,
                                      const AttackOptions&) {
  const std::optional<double> loss = avg_loss(trace);
  const std::optional<double> expected = avg_loss(reference);
  if (!loss || !expected) return std::nullopt;
  return *loss - *expected;
}

}  // namespace palimpsest
