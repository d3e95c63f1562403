// How a question and its answer become one text: by the tokenizer's chat template, or by the tags
// of a model's configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::data {

struct TagTemplate {
  std::string system_prompt_with_special_tokens;
  std::string user_start_tag;
  std::string user_end_tag;
  std::string asst_start_tag;
  std::string asst_end_tag;  // after the answers of few-shot examples only
};

struct ChatPrompt {
  jinja::ChatTemplate chat;
  jinja::ChatOptions
      options;  // special tokens, the time, variables such as date_string (JSON values)
  std::optional<std::string> system_prompt;
};

// Options for a chat template, filled with the special tokens of the tokenizer.
jinja::ChatOptions chat_options_of(const tokenizer::Tokenizer& tokenizer);

// A question with its answer.
struct Turn {
  std::string question;
  std::string answer;
};

struct PromptTokens {
  std::vector<int64_t> prompt;  // everything before the answer
  std::vector<int64_t> full;    // with the answer; the end token is the last
  bool truncated = false;
};

class PromptTemplate {
 public:
  static PromptTemplate chat(ChatPrompt prompt);
  // The prompt and the whole text are each cut to max_length tokens.
  static PromptTemplate tags(TagTemplate tags, int64_t max_length);

  bool is_chat() const { return chat_.has_value(); }

  // The last turn is the question; the turns before it are few-shot examples in the prompt. There
  // must be at least one turn. Throws Error if the tokenizer has no end token.
  PromptTokens tokens(const std::vector<Turn>& turns, const tokenizer::Tokenizer& tokenizer) const;

 private:
  PromptTemplate() = default;
  PromptTokens chat_tokens(const std::vector<Turn>& turns,
                           const tokenizer::Tokenizer& tokenizer) const;
  PromptTokens tag_tokens(const std::vector<Turn>& turns,
                          const tokenizer::Tokenizer& tokenizer) const;

  std::optional<ChatPrompt> chat_;
  TagTemplate tags_;
  int64_t max_length_ = 0;
};

}  // namespace palimpsest::data
