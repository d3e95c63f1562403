// Turns a question and its answer into one text. This is done with the tokenizer's chat template,
// or with tags: texts that are put before and after the question and the answer. The configuration
// of a model in open-unlearning gives such tags.
#pragma once

#include <cstddef>
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
  std::string asst_end_tag;  // follows the answers of few-shot examples, but not the last answer
};

struct ChatPrompt {
  jinja::ChatTemplate chat;
  // Special tokens, the time, and variables such as date_string (as JSON values).
  jinja::ChatOptions options;
  std::optional<std::string> system_prompt;
};

// Returns chat options that hold the special tokens of the tokenizer.
jinja::ChatOptions chat_options_of(const tokenizer::Tokenizer& tokenizer);

// A question with its answer, as one turn of a dialogue.
struct Turn {
  std::string question;
  std::string answer;
};

struct PromptTokens {
  std::vector<int64_t> prompt;  // everything before the answer
  std::vector<int64_t> full;    // the prompt and the answer; the end token is the last
  // The first token of `full` that holds some of the answer. It may come before the prompt's end,
  // because a tokenizer can join the end of the prompt and the beginning of the answer into one
  // token.
  size_t answer_begin = 0;
  bool truncated = false;
};

// `whole` is a text that starts with `beginning`. Returns the position in whole_ids of the first
// token that holds some of the text after `beginning`. whole_ids and beginning_ids are the ids of
// the two texts, each encoded alone with `options`.
size_t first_token_after(const std::string& beginning, const std::vector<int64_t>& beginning_ids,
                         const std::string& whole, const std::vector<int64_t>& whole_ids,
                         const tokenizer::Tokenizer& tokenizer, tokenizer::EncodeOptions options);

// How questions are put to one model. Immutable; threads may share it.
class PromptTemplate {
 public:
  static PromptTemplate chat(ChatPrompt prompt);
  // Both the prompt and the whole text are cut to max_length tokens.
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
