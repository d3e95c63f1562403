#include "palimpsest/torch/torch_model.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/torch/guarded.h"

namespace palimpsest::torch {
namespace {

void require_ids(std::span<const int64_t> ids, int64_t vocabulary, const std::string& where) {
  for (size_t t = 0; t < ids.size(); ++t) {
    if (ids[t] >= 0 && ids[t] < vocabulary) continue;
    throw Error({.what = fmt::format("token {} is beyond the model's vocabulary", ids[t]),
                 .where = fmt::format("{}, position {}", where, t),
                 .expected = fmt::format("0 to {}", vocabulary - 1),
                 .hint = "the tokenizer belongs to another model"});
  }
}

void require_length(int64_t length, const Architecture& a, const std::string& where) {
  if (!a.max_positions || length <= *a.max_positions) return;
  throw Error({.what = "the sequence is longer than the model's positions",
               .where = where,
               .expected = fmt::format("at most {} tokens", *a.max_positions),
               .found = fmt::format("{}", length),
               .hint = "cut the texts with a smaller maximum length"});
}

void require_valid(std::span<const Sequence> sequences, const Architecture& a) {
  for (size_t i = 0; i < sequences.size(); ++i) {
    const Sequence& sequence = sequences[i];
    const std::string where = fmt::format("sequence {}", i);
    if (sequence.ids.size() != sequence.labels.size()) {
      throw Error({.what = "as many labels as tokens are needed",
                   .where = where,
                   .expected = fmt::format("{} labels", sequence.ids.size()),
                   .found = fmt::format("{}", sequence.labels.size())});
    }
    require_ids(sequence.ids, a.vocab_size, where);
    std::vector<int64_t> labels;
    for (const int64_t label : sequence.labels) {
      labels.push_back(label == kIgnoredLabel ? 0 : label);
    }
    require_ids(labels, a.vocab_size, where + ", labels");
    require_length(static_cast<int64_t>(sequence.ids.size()), a, where);
  }
}

}  // namespace

TorchModel::TorchModel(TorchModelParts parts, ModelInfo info, ScorerOptions limits)
    : parts_(std::move(parts)), info_(std::move(info)), limits_(limits) {}

std::vector<SequenceScores> TorchModel::score(std::span<const Sequence> sequences,
                                              const ScoreOptions& options) {
  require_valid(sequences, info_.architecture);
  return guarded(
      [&] { return score_sequences(*parts_.decoder, *parts_.pool, sequences, options, limits_); });
}

std::vector<Generation> TorchModel::generate(std::span<const Prompt>, const GenerateOptions&) {
  return {};
}

}  // namespace palimpsest::torch
