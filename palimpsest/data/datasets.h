// Turns records into examples in the same way as open-unlearning: question and answer, completion
// of a prefix, and pretraining text cut into chunks. One function per kind; threads share the work,
// and the result does not depend on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/data/record.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::data {

struct QuestionAnswerOptions {
  std::string question_key = "question";
  // A text, or a list of texts: alternatives with the same index.
  std::string answer_key = "answer";
  std::vector<Turn> few_shot;  // before every question
  std::vector<std::string> group_keys;
  int threads = 0;
};

// Questions are not labelled; answers and the end token are.
Examples question_answer_examples(const std::vector<Record>& records,
                                  const QuestionAnswerOptions& options,
                                  const PromptTemplate& prompt,
                                  const tokenizer::Tokenizer& tokenizer);

// The few-shot turns from the records of a file.
std::vector<Turn> read_turns(const std::vector<Record>& records, const std::string& question_key,
                             const std::string& answer_key);

struct CompletionOptions {
  std::string prefix_key = "prompt";  // absent: ""
  std::string text_key = "text";      // absent: ""; at least one record must have it
  bool insert_space = false;          // between prefix and text
  int64_t max_length = 2048;          // tokens beyond the prefix
  std::vector<std::string> group_keys;
  int threads = 0;
};

// Everything after the prefix is labelled, except position 0. No end token is added.
Examples completion_examples(const std::vector<Record>& records, const CompletionOptions& options,
                             const tokenizer::Tokenizer& tokenizer);

struct PretrainingOptions {
  std::string text_key = "text";
  int64_t max_length = 2048;  // tokens of a chunk
  int threads = 0;
};

// The texts are joined by blank lines and cut into chunks. Each chunk is decoded and tokenized
// again with special tokens, and all of its positions except 0 are labelled. The index is the
// chunk's number.
Examples pretraining_examples(const std::vector<Record>& records, const PretrainingOptions& options,
                              const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::data
