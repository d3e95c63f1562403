// generation_args of a metric: how a model continues its prompts, and where its text ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest::eval {

struct GenerationArgs {
  int64_t max_new_tokens = 20;  // transformers' own default
  bool sample = false;
  double temperature = 1;
  int64_t top_k = 50;  // transformers' own default; 0: all
  double top_p = 1;
  std::optional<double> repetition_penalty;  // nothing: as the model's generation_config.json says
  std::vector<std::string> stopwords;

  friend bool operator==(const GenerationArgs&, const GenerationArgs&) = default;
};

// Throws Error for a key that would change the text and is not supported. null counts as absent.
GenerationArgs read_generation_args(const config::Value& args);

// Everything that decides the text, written out: for fingerprints.
std::string describe(const GenerationArgs& args);

// For a model, with its own end tokens. `masked` is hidden in prompts. The tokenizer must outlive
// the options.
GenerateOptions generate_options(const GenerationArgs& args, const ModelInfo& model,
                                 const Tokenizer& tokenizer, std::optional<int64_t> masked,
                                 uint64_t seed);

// Tokens as a text that is shown and compared: without special tokens, spaces cleaned up.
std::string plain_text(std::span<const int64_t> ids, const Tokenizer& tokenizer);

// The text of new tokens as it is compared: cut before the first stop word, without white space
// at its ends.
std::string generated_text(const std::vector<int64_t>& ids, const GenerationArgs& args,
                           const Tokenizer& tokenizer);

}  // namespace palimpsest::eval
