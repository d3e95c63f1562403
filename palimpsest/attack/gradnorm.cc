#include "palimpsest/attack/gradnorm.h"

#include <fmt/format.h>

namespace palimpsest {

std::string grad_norm_key(double p) {
  return fmt::format("{}", p);
}

std::optional<double> gradnorm_score(const Trace& trace, const AttackOptions& options) {
  if (num_tokens(trace) == 0) return std::nullopt;
  const auto found = trace.grad_norm.find(grad_norm_key(options.p));
  if (found == trace.grad_norm.end()) return std::nullopt;
  return found->second;
}

}  // namespace palimpsest
