// GradNorm (Wang et al. 2024, "Pandora's White-Box", arXiv 2402.17012): how far one more training
// step on the example would move the weights. From a member, a model has little left to learn.
//
//   score = mean over the parameter tensors of ‖∂L/∂W‖_p,  L = -mean of the token log-probabilities
//
// with p in {1, 2, ∞}. The model computes the norm when it is run; this attack reads it from the
// trace. The tokens are all labelled tokens except the last, which predicts the end. If there are
// none, there is no gradient and the score is undefined. A higher score means less likely a member.
#include "palimpsest/attack/attack.h"

#include <limits>

#include "palimpsest/attack/internal/trace_needs.h"

namespace palimpsest::attack {
namespace {

std::optional<double> gradnorm_score(const trace::Trace& trace, double p) {
  if (trace::num_tokens(trace) == 0) return std::nullopt;
  const auto found = trace.grad_norm.find(grad_norm_key(p));
  if (found == trace.grad_norm.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Attack gradnorm_attack() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const AttackParameter p = {
      .name = "p",
      .meaning = "which norm of each weight's gradient: 1, 2 or inf",
      .default_value = 2,
      .range = {.expected = "a norm: 1, 2 or inf",
                .contains =
                    [](double order) { return order == 1 || order == 2 || order == kInfinity; }},
      .sweep = {1, 2, kInfinity},
      .is_common = true};
  return {.name = "gradnorm",
          .measures = "norm of the gradient of the loss on the example",
          .cost = "one forward and one backward pass per example; keeps activations in memory",
          .parameters = {p},
          .use = "models whose weights are available and that were fully trained on the examples",
          .avoid = "services without weights; large models on few cores",
          .paper = "Wang et al. 2024, arXiv 2402.17012",
          .needs = {needs_grad_norm()},
          .score = [](const trace::Trace& trace, const ParameterValues& values) {
            return gradnorm_score(trace, parameter_value(values, "p"));
          }};
}

}  // namespace palimpsest::attack
