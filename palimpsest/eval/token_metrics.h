// Statistics of a language model's predictions over a data set, computed from traces. They are the
// token metrics of the module `metric`, which computes them from logits. This header computes them
// for models that return no logits. For the same predictions both give the same statistics.
//
// Only labelled tokens are counted, and not a labelled token at position 0, because nothing
// predicts it. An example without such a token gives the identity of the statistic, which changes
// nothing.
//
//   const stat::AnyStat accuracy = token_statistic({.name = "sequence_token_accuracy"}, traces);
//   accuracy.result();   // the share of tokens that are the model's first choice
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/stat/any_stat.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::eval {

struct TokenMetric {
  std::string name;  // one of token_metric_names()
  // Whether there is one value per position of the labelled tokens. Metrics of whole sequences and
  // counts do not have this.
  bool per_position = false;
  int64_t k = 1;  // sequence_token_top_k_accuracy: a k above 1 needs `ranks`
  // sequence_token_oov_rate: the ids outside the vocabulary. sequence_truncation_rate: the ids that
  // end a sequence.
  std::vector<int64_t> values = {};
  std::vector<int64_t> masked = {};  // ids that do not count
};

// The domains of the examples. Under this key, Trace::groups has the number of the domain, from 0.
struct TokenDomains {
  std::string key;
  int64_t count = 1;
};

std::vector<std::string> token_metric_names();

// For each trace, SequenceScores::rank of its tokens. Traces themselves hold no ranks.
using TokenRanks = std::vector<std::vector<int64_t>>;

// With domains the statistic has a leading axis, one element per domain. Throws Error for an
// unknown name, for parameters that the metric does not have, for a trace without the arrays that
// it needs, and for an example whose domain is not a number from 0 to count - 1. `ranks` may be
// empty if k is 1.
stat::AnyStat token_statistic(const TokenMetric& metric, const std::vector<trace::Trace>& traces,
                              const std::optional<TokenDomains>& domains = std::nullopt,
                              const TokenRanks& ranks = {});

}  // namespace palimpsest::eval
