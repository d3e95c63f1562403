// generation_args of a metric: how a model continues its prompts, and where its text ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/eval/parameter.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::eval {

struct GenerationArgs {
  int64_t max_new_tokens = 20;  // transformers' own default
  bool sample = false;
  double temperature = 1;
  int64_t top_k = 50;  // transformers' own default; 0: all
  double top_p = 1;
  std::optional<double> repetition_penalty;  // nullopt: as in the model's generation_config.json
  std::vector<std::string> stopwords;

  friend bool operator==(const GenerationArgs&, const GenerationArgs&) = default;
};

// Throws Error for a key that would change the text and is not supported. null counts as absent.
GenerationArgs read_generation_args(const Parameter& args);

// A text with every setting that influences the generated text. It is used in fingerprints.
std::string describe(const GenerationArgs& args);

// The options for a model, with the model's own end tokens. Tokens with the id `masked` are hidden
// in prompts. The tokenizer must outlive the result.
model::GenerateOptions generate_options(const GenerationArgs& args, const model::ModelInfo& model,
                                        const tokenizer::Tokenizer& tokenizer,
                                        std::optional<int64_t> masked, uint64_t seed);

// The tokens as a text for display and comparison, without special tokens and with spaces cleaned
// up.
std::string plain_text(std::span<const int64_t> ids, const tokenizer::Tokenizer& tokenizer);

// The text of new tokens as it is compared: cut before the first stop word, without white space
// at its ends.
std::string generated_text(const std::vector<int64_t>& ids, const GenerationArgs& args,
                           const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::eval
