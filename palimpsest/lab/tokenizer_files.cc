#include "palimpsest/lab/internal/tokenizer_files.h"

#include "palimpsest/base/internal/json.h"
#include "palimpsest/lab/internal/bpe_trainer.h"
#include "palimpsest/lab/internal/own_files.h"
#include "palimpsest/lab/internal/ranges.h"

namespace palimpsest::lab {
namespace {

constexpr int64_t kByteTokens = 256;
constexpr int64_t kMaxTokens = 16384;

// Their indices are their ids.
constexpr const char* kSpecialTokens[] = {"<|pad|>", "<|end|>", "<|system|>", "<|user|>",
                                          "<|assistant|>"};
constexpr const char* kPad = kSpecialTokens[0];
constexpr const char* kEnd = kSpecialTokens[1];

constexpr const char* kChatTemplate =
    "{% for message in messages %}"
    "{{ '<|' + message['role'] + '|>' + message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}";

Json byte_level(bool trim_offsets) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", trim_offsets},
          {"use_regex", true}};
}

Json added_token(const char* content) {
  return {{"content", content}, {"single_word", false}, {"lstrip", false},
          {"rstrip", false},    {"normalized", false},  {"special", true}};
}

Json added_tokens() {
  Json tokens = Json::array();
  for (const char* content : kSpecialTokens) {
    Json token = {{"id", tokens.size()}};
    token.update(added_token(content));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Json model_of(const Bpe& bpe) {
  Json vocabulary = Json::object();
  for (const char* content : kSpecialTokens) vocabulary[content] = vocabulary.size();
  for (const std::string& token : bpe.tokens) {
    const size_t id = vocabulary.size();
    // Two ways to the same token: the first one has it.
    if (!vocabulary.contains(token)) vocabulary[token] = id;
  }
  Json merges = Json::array();
  for (const auto& [first, second] : bpe.merges) {
    merges.push_back(bpe.tokens[static_cast<size_t>(first)] + " " +
                     bpe.tokens[static_cast<size_t>(second)]);
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"vocab", std::move(vocabulary)},
          {"merges", std::move(merges)}};
}

}  // namespace

int64_t min_vocab_size() {
  return kByteTokens + std::ssize(kSpecialTokens);
}

tokenizer::TokenizerTexts train_tokenizer(std::span<const std::string> texts, int64_t vocab_size,
                                          const std::stop_token& stop) {
  require_between<int64_t>("the size of the vocabulary", vocab_size, min_vocab_size(), kMaxTokens);
  const Bpe bpe = train_bpe(texts, vocab_size - std::ssize(kSpecialTokens), stop);
  const Json tokenizer = {{"version", "1.0"},
                          {"truncation", nullptr},
                          {"padding", nullptr},
                          {"added_tokens", added_tokens()},
                          {"normalizer", nullptr},
                          {"pre_tokenizer", byte_level(true)},
                          {"post_processor", byte_level(false)},
                          {"decoder", byte_level(true)},
                          {"model", model_of(bpe)}};
  Json by_id = Json::object();
  for (const char* content : kSpecialTokens) {
    by_id[std::to_string(by_id.size())] = added_token(content);
  }
  const Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                       {"eos_token", kEnd},
                       {"pad_token", kPad},
                       {"added_tokens_decoder", std::move(by_id)},
                       {"clean_up_tokenization_spaces", false},
                       {"chat_template", kChatTemplate}};
  return {.tokenizer = to_text(tokenizer), .tokenizer_config = to_text(config)};
}

void write_tokenizer(const tokenizer::TokenizerTexts& texts, const std::filesystem::path& folder) {
  write_own_files(folder, {{kTokenizerFile, texts.tokenizer},
                           {kTokenizerConfigFile, texts.tokenizer_config.value_or("{}\n")}});
}

}  // namespace palimpsest::lab
