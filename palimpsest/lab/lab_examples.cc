#include "palimpsest/lab/internal/lab_examples.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/data/internal/record_reader.h"
#include "palimpsest/data/internal/unknown_tokens.h"
#include "palimpsest/jinja/chat_template.h"

namespace palimpsest::lab {

namespace {

// A question and its answer for a model that has no chat template.
const data::TagTemplate kPlainTags = {.user_start_tag = "Question: ",
                                      .user_end_tag = "\n",
                                      .asst_start_tag = "Answer: ",
                                      .asst_end_tag = "\n\n"};

data::PromptTemplate prompt_of(const std::filesystem::path& folder,
                               const tokenizer::Tokenizer& tokenizer, int64_t longest) {
  if (!jinja::has_chat_template(folder)) return data::PromptTemplate::tags(kPlainTags, longest);
  return data::PromptTemplate::chat(
      {.chat = jinja::load_chat_template(folder), .options = data::chat_options_of(tokenizer)});
}

bool is_text(const std::vector<data::Record>& records) {
  return !records.empty() && records.front().has("text") && !records.front().has("question");
}

void require_usable(const data::Example& example, const std::string& file, int64_t longest,
                    int64_t vocabulary) {
  if (std::ssize(example.ids) > longest) {
    throw Error({.what = "the sequence is longer than the model's positions",
                 .where = fmt::format("{}, example {}", file, example.index),
                 .expected = fmt::format("at most {} tokens", longest),
                 .found = fmt::format("{}", example.ids.size()),
                 .hint = "train with more --positions, or shorten the text"});
  }
  for (const int64_t id : example.ids) {
    if (id < vocabulary) continue;
    throw Error({.what = "the tokenizer has tokens that the model does not know",
                 .where = fmt::format("{}, example {}", file, example.index),
                 .expected = fmt::format("ids below {}", vocabulary),
                 .found = fmt::format("{}", id),
                 .hint = "use the tokenizer that belongs to the model"});
  }
}

}  // namespace

std::vector<data::Example> read_examples(std::span<const std::filesystem::path> files,
                                         const std::filesystem::path& folder,
                                         const tokenizer::Tokenizer& tokenizer,
                                         const model::Architecture& architecture) {
  constexpr int64_t kNoLimit = 1 << 20;
  const int64_t longest = architecture.max_positions.value_or(kNoLimit);
  const data::PromptTemplate prompt = prompt_of(folder, tokenizer, longest);
  std::vector<data::Example> all;
  for (const std::filesystem::path& file : files) {
    const std::vector<data::Record> records = data::read_records(file);
    data::Examples made =
        is_text(records) ? data::completion_examples(records, {.max_length = longest}, tokenizer)
                         : data::question_answer_examples(records, {}, prompt, tokenizer);
    if (const auto note = data::unknown_tokens_note(file.string(), made.examples, tokenizer)) {
      log_warning("{}", *note);
    }
    for (data::Example& example : made.examples) {
      require_usable(example, file.string(), longest, architecture.vocab_size);
      all.push_back(std::move(example));
    }
  }
  return all;
}

int64_t longest_length(const std::vector<data::Example>& examples) {
  int64_t longest = 1;
  for (const data::Example& example : examples) {
    longest = std::max<int64_t>(longest, std::ssize(example.ids));
  }
  return longest;
}

}  // namespace palimpsest::lab
