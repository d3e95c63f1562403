#include "palimpsest/model/request_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest::model {
namespace {

void check_ids(std::span<const int64_t> ids, int64_t vocab_size, const std::string& where) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < vocab_size) continue;
    throw Error({.what = fmt::format("token {} has the id {}", i, ids[i]),
                 .where = where,
                 .expected = fmt::format("0 to {}, the model's vocabulary", vocab_size - 1),
                 .hint = "the tokenizer belongs to another model"});
  }
}

void check_length(int64_t length, const ModelInfo& info, const std::string& where,
                  const char* hint) {
  if (!info.max_positions || length <= *info.max_positions) return;
  throw Error({.what = fmt::format("{} tokens are too many for this model", length),
               .where = where,
               .expected = fmt::format("at most {}", *info.max_positions),
               .hint = hint});
}

void check_options(const GenerateOptions& options) {
  const auto refuse = [](const char* name, auto value, const char* expected) {
    throw Error({.what = fmt::format("{} is {}", name, value), .expected = expected});
  };
  if (options.max_new_tokens < 0) {
    refuse("max_new_tokens", options.max_new_tokens, "0 or more");
  }
  if (options.max_batch < 1) refuse("max_batch", options.max_batch, "1 or more");
  // Logits are float32: infinity times a logit of 0 would be no number, and could not be sorted.
  constexpr double kMaxFactor = 1e30;
  if (!(options.repetition_penalty >= 1 / kMaxFactor && options.repetition_penalty <= kMaxFactor)) {
    refuse("repetition_penalty", options.repetition_penalty, "a number from 1e-30 to 1e30");
  }
  if (!options.sample) return;
  // Logits are divided by it, and must not become infinite.
  if (!(options.temperature >= 1 / kMaxFactor)) {
    refuse("temperature", options.temperature,
           "at least 1e-30; for the most likely token, generate without sampling");
  }
  if (options.top_k < 0) refuse("top_k", options.top_k, "0 (all) or more");
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    refuse("top_p", options.top_p, "a number greater than 0, at most 1");
  }
}

}  // namespace

void check_sequences(std::span<const Sequence> sequences, const ModelInfo& info) {
  for (size_t i = 0; i < sequences.size(); ++i) {
    const auto& [ids, labels] = sequences[i];
    const std::string where = fmt::format("sequence {}", i);
    if (labels.size() != ids.size()) {
      throw Error({.what = fmt::format("{} tokens have {} labels", ids.size(), labels.size()),
                   .where = where});
    }
    check_length(static_cast<int64_t>(ids.size()), info, where, "lower max_length");
    check_ids(ids, info.vocab_size, where);
    for (const int64_t label : labels) {
      if (label != kIgnoredLabel) check_ids({&label, 1}, info.vocab_size, where + ", label");
    }
  }
}

void check_prompts(std::span<const Prompt> prompts, const GenerateOptions& options,
                   const ModelInfo& info) {
  check_options(options);
  if (!info.generation.unsupported.empty()) {
    throw Error({.what = fmt::format("its generation settings are not supported: {}",
                                     fmt::join(info.generation.unsupported, ", ")),
                 .where = info.source,
                 .hint = "remove them from generation_config.json"});
  }
  for (size_t i = 0; i < prompts.size(); ++i) {
    const Prompt& prompt = prompts[i];
    const std::string where = fmt::format("prompt {}", i);
    if (prompt.ids.empty()) throw Error({.what = "it has no tokens", .where = where});
    check_length(static_cast<int64_t>(prompt.ids.size() + prompt.known.size()), info, where,
                 "shorten the prompt");
    for (const auto* ids : {&prompt.ids, &prompt.known, &prompt.draft}) {
      check_ids(*ids, info.vocab_size, where);
    }
  }
}

}  // namespace palimpsest::model
