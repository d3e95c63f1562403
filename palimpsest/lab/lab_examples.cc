#include "palimpsest/lab/lab_examples.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/data/record_reader.h"
#include "palimpsest/text/chat_template.h"

namespace palimpsest::lab {
namespace {

PromptTemplate chat_prompt(const std::filesystem::path& folder, const Tokenizer& tokenizer) {
  ChatOptions options;
  for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
    if (const auto token = tokenizer.special_token(name)) options.special_tokens[name] = *token;
  }
  return PromptTemplate::chat({.chat = load_chat_template(folder), .options = options});
}

}  // namespace

std::vector<Example> read_examples(std::span<const std::filesystem::path> files,
                                   const std::filesystem::path& folder, const Tokenizer& tokenizer,
                                   int64_t longest) {
  const PromptTemplate prompt = chat_prompt(folder, tokenizer);
  std::vector<Example> all;
  for (const std::filesystem::path& file : files) {
    Examples made = question_answer_examples(read_records(file), {}, prompt, tokenizer);
    for (Example& example : made.examples) {
      if (std::ssize(example.ids) > longest) {
        throw Error({.what = "the sequence is longer than the model's positions",
                     .where = fmt::format("{}, example {}", file.string(), example.index),
                     .expected = fmt::format("at most {} tokens", longest),
                     .found = fmt::format("{}", example.ids.size()),
                     .hint = "train with more --positions, or shorten the text"});
      }
      all.push_back(std::move(example));
    }
  }
  return all;
}

int64_t longest_of(const std::vector<Example>& examples) {
  int64_t longest = 1;
  for (const Example& example : examples) {
    longest = std::max<int64_t>(longest, std::ssize(example.ids));
  }
  return longest;
}

}  // namespace palimpsest::lab
