// The inner loops of the metrics: what one row of logits (unnormalised scores over a vocabulary of
// V classes) says about a target. Rows of float go through vector code and are right to 1e-6
// relative in the sum of the exponentials; rows of double go through std::exp and are right to
// rounding.
//
// A row has at least one logit and 0 <= target < V: the caller checks that. Minus infinity is legal
// (probability 0). A logit that is NaN is an Error; so are, where a distribution is needed, plus
// infinity and a row of nothing but minus infinity.
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

// log p(v) = (logits[v] - max) - log_sum, the two subtractions kept apart so that large logits do
// not swallow small differences.
struct LogNormalizer {
  double max = 0;
  double log_sum = 0;  // log Σ_v exp(logits[v] - max)
};

LogNormalizer log_normalizer(const LogitRow& logits);

// -log softmax(logits)[target], natural logarithm. Infinite if the target's logit is -infinity.
double token_loss(const LogitRow& logits, int64_t target);

// -Σ_v weights[v] · log softmax(logits)[v]; classes of weight 0 count 0 whatever their logit. As
// many weights as logits.
double dense_loss(const LogitRow& logits, std::span<const double> weights);

// The index of the greatest logit; the first one of several.
int64_t argmax(const LogitRow& logits);

// Whether the target is among the k greatest logits, equal ones in the order of their indices.
// Never for k < 1, always for k >= V.
bool in_top_k(const LogitRow& logits, int64_t target, int64_t k);

}  // namespace palimpsest::metric
