#include "palimpsest/data/prompt_template.h"

#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::data {

jinja::ChatOptions chat_options_of(const tokenizer::Tokenizer& tokenizer) {
  jinja::ChatOptions options;
  for (const char* name : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                           "cls_token", "mask_token"}) {
    if (const auto token = tokenizer.special_token(name)) options.special_tokens[name] = *token;
  }
  return options;
}

PromptTemplate PromptTemplate::chat(ChatPrompt prompt) {
  PromptTemplate made;
  made.chat_ = std::move(prompt);
  return made;
}

PromptTemplate PromptTemplate::tags(TagTemplate tags, int64_t max_length) {
  PromptTemplate made;
  made.tags_ = std::move(tags);
  made.max_length_ = max_length;
  return made;
}

PromptTokens PromptTemplate::tokens(const std::vector<Turn>& turns,
                                    const tokenizer::Tokenizer& tokenizer) const {
  PALIMPSEST_CHECK(!turns.empty());
  PromptTokens tokens = chat_ ? chat_tokens(turns, tokenizer) : tag_tokens(turns, tokenizer);
  const std::optional<int64_t> end = tokenizer.eos_id();
  if (!end) {
    throw Error({.what = "the tokenizer has no end token, which every answer ends with",
                 .hint = "set eos_token in tokenizer_config.json"});
  }
  if (tokens.full.empty() || tokens.full.back() != *end) tokens.full.push_back(*end);
  return tokens;
}

PromptTokens PromptTemplate::chat_tokens(const std::vector<Turn>& turns,
                                         const tokenizer::Tokenizer& tokenizer) const {
  std::vector<jinja::ChatMessage> messages;
  if (chat_->system_prompt && !chat_->system_prompt->empty()) {
    messages.push_back({"system", *chat_->system_prompt});
  }
  for (const Turn& turn : turns) {
    messages.push_back({"user", turn.question});
    messages.push_back({"assistant", turn.answer});
  }
  // The template writes special tokens itself.
  const auto encode = [&](const jinja::ChatOptions& options) {
    return tokenizer
        .encode(chat_->chat.render_text(messages, options), {.add_special_tokens = false})
        .ids;
  };
  jinja::ChatOptions options = chat_->options;
  options.add_generation_prompt = false;
  PromptTokens tokens{.full = encode(options)};
  messages.pop_back();
  options.add_generation_prompt = true;
  tokens.prompt = encode(options);
  return tokens;
}

PromptTokens PromptTemplate::tag_tokens(const std::vector<Turn>& turns,
                                        const tokenizer::Tokenizer& tokenizer) const {
  std::string prompt = tags_.system_prompt_with_special_tokens;
  for (size_t i = 0; i < turns.size(); ++i) {
    prompt += tags_.user_start_tag + turns[i].question + tags_.user_end_tag + tags_.asst_start_tag;
    if (i + 1 < turns.size()) prompt += turns[i].answer + tags_.asst_end_tag;
  }
  const tokenizer::EncodeOptions options{.max_length = max_length_};
  PromptTokens tokens{.prompt = tokenizer.encode(prompt, options).ids,
                      .full = tokenizer.encode(prompt + turns.back().answer, options).ids};
  // As long as the maximum: cut, or just so long, which makes no difference worth another pass.
  tokens.truncated = static_cast<int64_t>(tokens.full.size()) >= max_length_;
  return tokens;
}

}  // namespace palimpsest::data
