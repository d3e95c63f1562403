// How a question and its answer become one text: by the tokenizer's chat template, or by the tags
// of a model's configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/text/chat_template.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

struct TagTemplate {
  std::string system_prompt_with_special_tokens;
  std::string user_start_tag;
  std::string user_end_tag;
  std::string asst_start_tag;
  std::string asst_end_tag;  // after the answers of few-shot examples only
};

struct ChatPrompt {
  ChatTemplate chat;
  ChatOptions options;  // special tokens, the time, variables such as date_string (JSON values)
  std::optional<std::string> system_prompt;
};

// Options for a chat template that know what the tokenizer calls its special tokens.
ChatOptions chat_options_of(const Tokenizer& tokenizer);

// A question with its answer.
struct Turn {
  std::string question;
  std::string answer;
};

struct PromptTokens {
  std::vector<int64_t> prompt;  // up to where the answer begins
  std::vector<int64_t> full;    // with the answer; the end token is the last
  bool truncated = false;
};

class PromptTemplate {
 public:
  static PromptTemplate chat(ChatPrompt prompt);
  // Prompt and whole text are cut to max_length tokens, each for itself.
  static PromptTemplate tags(TagTemplate tags, int64_t max_length);

  bool is_chat() const { return chat_.has_value(); }

  // The turns before the last one are examples in the prompt. At least one turn; without an end
  // token in the tokenizer an Error.
  PromptTokens tokens(const std::vector<Turn>& turns, const Tokenizer& tokenizer) const;

 private:
  PromptTemplate() = default;
  PromptTokens chat_tokens(const std::vector<Turn>& turns, const Tokenizer& tokenizer) const;
  PromptTokens tag_tokens(const std::vector<Turn>& turns, const Tokenizer& tokenizer) const;

  std::optional<ChatPrompt> chat_;
  TagTemplate tags_;
  int64_t max_length_ = 0;
};

}  // namespace palimpsest
