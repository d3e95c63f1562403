#include "palimpsest/eval/internal/generation_args.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/model/internal/stop_strings.h"
#include "palimpsest/python_text/internal/text.h"

namespace palimpsest::eval {
namespace {

constexpr std::array<std::string_view, 7> kSupported = {
    "max_new_tokens", "do_sample",          "temperature", "top_k",
    "top_p",          "repetition_penalty", "stopwords"};
// These do not change what greedy decoding says, or not at this value.
constexpr std::array<std::string_view, 4> kWithoutEffect = {"use_cache", "return_dict_in_generate",
                                                            "output_scores", "early_stopping"};

void require_supported(const std::string& key, const Parameter& value) {
  if (std::ranges::find(kSupported, key) != kSupported.end() ||
      std::ranges::find(kWithoutEffect, key) != kWithoutEffect.end()) {
    return;
  }
  const bool one_beam = key == "num_beams" && value.is_int() && value.as_int() == 1;
  if (one_beam) return;
  throw Error({.what = fmt::format("generation with '{}' is not supported", key),
               .where = value.where(),
               .expected = fmt::format("one of {}", fmt::join(kSupported, ", "))});
}

}  // namespace

GenerationArgs read_generation_args(const Parameter& args) {
  GenerationArgs read;
  for (const auto& [key, value] : args.as_map()) {
    if (value.is_null()) continue;
    require_supported(key, value);
    if (key == "max_new_tokens") read.max_new_tokens = value.as_int();
    if (key == "do_sample") read.sample = value.as_bool();
    if (key == "temperature") read.temperature = value.as_real();
    if (key == "top_k") read.top_k = value.as_int();
    if (key == "top_p") read.top_p = value.as_real();
    if (key == "repetition_penalty") read.repetition_penalty = value.as_real();
    if (key != "stopwords") continue;
    for (const Parameter& word : value.as_list()) {
      if (word.as_text().empty()) {
        throw Error({.what = "a stop word is empty", .where = value.where()});
      }
      read.stopwords.push_back(word.as_text());
    }
  }
  if (read.max_new_tokens < 1) {
    throw Error({.what = fmt::format("max_new_tokens is {}", read.max_new_tokens),
                 .where = args.where(),
                 .expected = "1 or more"});
  }
  return read;
}

std::string describe(const GenerationArgs& args) {
  std::string text =
      fmt::format("max_new_tokens={} repetition_penalty={} stopwords={}", args.max_new_tokens,
                  args.repetition_penalty.value_or(-1), fmt::join(args.stopwords, "\x1f"));
  if (args.sample) {
    text +=
        fmt::format(" temperature={} top_k={} top_p={}", args.temperature, args.top_k, args.top_p);
  }
  return text;
}

model::GenerateOptions generate_options(const GenerationArgs& args, const model::ModelInfo& model,
                                        const tokenizer::Tokenizer& tokenizer,
                                        std::optional<int64_t> masked, uint64_t seed) {
  model::GenerateOptions options{
      .max_new_tokens = args.max_new_tokens,
      .eos_ids = model.generation.eos_ids,
      .repetition_penalty = args.repetition_penalty.value_or(model.generation.repetition_penalty),
      .masked_token = masked,
      .sample = args.sample,
      .temperature = args.temperature,
      .top_k = args.top_k,
      .top_p = args.top_p,
      .seed = seed};
  if (!args.stopwords.empty()) {
    options.should_stop = model::stop_at(
        args.stopwords,
        [&tokenizer](std::span<const int64_t> ids) { return plain_text(ids, tokenizer); });
  }
  return options;
}

std::string plain_text(std::span<const int64_t> ids, const tokenizer::Tokenizer& tokenizer) {
  return tokenizer.decode(ids, {.skip_special_tokens = true, .clean_up_tokenization_spaces = true});
}

std::string generated_text(const std::vector<int64_t>& ids, const GenerationArgs& args,
                           const tokenizer::Tokenizer& tokenizer) {
  std::string text = plain_text(ids, tokenizer);
  std::vector<std::string> words;
  // Where the end token is no special one, it is decoded and ends the text all the same.
  if (const auto end = tokenizer.eos_id()) words.push_back(tokenizer.decode(std::vector{*end}));
  words.insert(words.end(), args.stopwords.begin(), args.stopwords.end());
  for (const std::string& word : words) {
    if (!word.empty()) text.erase(std::min(text.find(word), text.size()));
  }
  return std::string(python_text::strip(text, python_text::Side::kBoth));
}

}  // namespace palimpsest::eval
