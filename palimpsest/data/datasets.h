// From records to examples, as open-unlearning prepares them: question and answer, completion of a
// prefix, and pretraining text cut into chunks. One function a kind; threads share the work, and
// the result does not depend on them.
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
#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

struct QuestionAnswerOptions {
  std::string question_key = "question";
  std::string answer_key = "answer";  // a text, or a list: alternatives with the same index
  std::vector<Turn> few_shot;         // before every question
  std::vector<std::string> group_keys;
  int threads = 0;
};

// Questions are not labelled; answers and the end token are.
Examples question_answer_examples(const std::vector<Record>& records,
                                  const QuestionAnswerOptions& options,
                                  const PromptTemplate& prompt, const Tokenizer& tokenizer);

// The few-shot turns of a file.
std::vector<Turn> read_turns(const std::vector<Record>& records, const std::string& question_key,
                             const std::string& answer_key);

struct CompletionOptions {
  std::string prefix_key = "prompt";  // absent: ""
  std::string text_key = "text";      // absent: ""; but some record must have it
  bool insert_space = false;          // between prefix and text
  int64_t max_length = 2048;          // tokens beyond the prefix
  std::vector<std::string> group_keys;
  int threads = 0;
};

// Everything after the prefix is labelled, position 0 never; no end token is added.
Examples completion_examples(const std::vector<Record>& records, const CompletionOptions& options,
                             const Tokenizer& tokenizer);

struct PretrainingOptions {
  std::string text_key = "text";
  int64_t max_length = 2048;  // tokens of a chunk
  int threads = 0;
};

// The texts, joined by blank lines, in chunks; each chunk is decoded and tokenized again with
// special tokens, and all of it but position 0 is labelled. The index is the chunk's number.
Examples pretraining_examples(const std::vector<Record>& records, const PretrainingOptions& options,
                              const Tokenizer& tokenizer);

}  // namespace palimpsest
