#include "palimpsest/attack/loss.h"

namespace palimpsest {

std::optional<double> loss_score(const Trace& trace, const AttackOptions&) {
  return avg_loss(trace);
}

}  // namespace palimpsest
