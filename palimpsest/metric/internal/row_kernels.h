// The inner loops of the metrics, which evaluate one row of logits (unnormalised scores over a
// vocabulary of V classes) for a target. Rows of float use vector code, and their sum of
// exponentials has a relative error of at most 1e-6. Rows of double use std::exp and are accurate
// to rounding.
//
// The caller must make sure that a row has at least one logit and that 0 <= target < V. Minus
// infinity is allowed (probability 0). A NaN logit is an Error. If a distribution is needed, plus
// infinity is an Error too, and so is a row in which all logits are minus infinity.
//
//   std::vector<float> row = {1.2F, 0.4F};
//   token_loss(row, 1);                      // 1.1711007
//   argmax(row);                             // 0
//   in_top_k(row, 1, 2);                     // true
#pragma once

#include <cstdint>
#include <span>
#include <variant>

namespace palimpsest::metric {

using LogitRow = std::variant<std::span<const float>, std::span<const double>>;

// -log softmax(logits)[target], natural logarithm. Infinite if the target's logit is -infinity.
double token_loss(const LogitRow& logits, int64_t target);

// -Σ_v weights[v] · log softmax(logits)[v]. A class of weight 0 contributes 0, whatever its logit.
// There must be as many weights as logits.
double dense_loss(const LogitRow& logits, std::span<const double> weights);

// The index of the greatest logit; of equal ones, the first.
int64_t argmax(const LogitRow& logits);

// Whether the target is among the k greatest logits; equal logits are ordered by their index. It is
// false for k < 1 and true for k >= V.
bool in_top_k(const LogitRow& logits, int64_t target, int64_t k);

}  // namespace palimpsest::metric
