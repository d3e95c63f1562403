#include "palimpsest/data/prompt_template.h"

#include <algorithm>
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

size_t first_token_after(const std::string& beginning, const std::vector<int64_t>& beginning_ids,
                         const std::string& whole, const std::vector<int64_t>& whole_ids,
                         const tokenizer::Tokenizer& tokenizer, tokenizer::EncodeOptions options) {
  const auto parted =
      std::mismatch(beginning_ids.begin(), beginning_ids.end(), whole_ids.begin(), whole_ids.end());
  const auto common = static_cast<size_t>(parted.first - beginning_ids.begin());
  if (common == beginning_ids.size() || !whole.starts_with(beginning)) return common;
  options.with_offsets = true;
  options.byte_offsets = true;
  const auto offsets = tokenizer.encode(whole, options).offsets;
  const auto first = std::ranges::find_if(offsets, [&](const tokenizer::TextOffset& offset) {
    return offset.end > static_cast<int64_t>(beginning.size());
  });
  return static_cast<size_t>(first - offsets.begin());
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
  const tokenizer::EncodeOptions encoding{.add_special_tokens = false};
  jinja::ChatOptions options = chat_->options;
  options.add_generation_prompt = false;
  const std::string full = chat_->chat.render_text(messages, options);
  messages.pop_back();
  options.add_generation_prompt = true;
  const std::string prompt = chat_->chat.render_text(messages, options);
  PromptTokens tokens{.prompt = tokenizer.encode(prompt, encoding).ids,
                      .full = tokenizer.encode(full, encoding).ids};
  tokens.answer_begin =
      first_token_after(prompt, tokens.prompt, full, tokens.full, tokenizer, encoding);
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
  const std::string full = prompt + turns.back().answer;
  PromptTokens tokens{.prompt = tokenizer.encode(prompt, options).ids,
                      .full = tokenizer.encode(full, options).ids};
  tokens.answer_begin =
      first_token_after(prompt, tokens.prompt, full, tokens.full, tokenizer, options);
  // As long as the maximum: cut, or just so long, which makes no difference worth another pass.
  tokens.truncated = static_cast<int64_t>(tokens.full.size()) >= max_length_;
  return tokens;
}

}  // namespace palimpsest::data
