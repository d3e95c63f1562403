#include "palimpsest/lab/lab_examples.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/data/record_reader.h"
#include "palimpsest/text/chat_template.h"

namespace palimpsest::lab {

std::vector<Example> read_examples(std::span<const std::filesystem::path> files,
                                   const std::filesystem::path& folder, const Tokenizer& tokenizer,
                                   int64_t longest) {
  const PromptTemplate prompt = PromptTemplate::chat(
      {.chat = load_chat_template(folder), .options = chat_options_of(tokenizer)});
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
