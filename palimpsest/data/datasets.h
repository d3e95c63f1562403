// Turns records into examples in the same way as open-unlearning, a benchmark framework, does.
// There is one function for each kind of data set: questions with answers, completion of a prefix,
// and pretraining text cut into chunks. The work is shared among threads; the result does not
// depend on their number. All functions throw Error for a record that lacks a needed key or has
// another kind of value there. The message has the record's position.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/data/record.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::data {

struct QuestionAnswerOptions {
  std::string question_key = "question";
  // The value is a text or a list of texts. A list gives one example per text; they have the same
  // index and differ in their `alternative`.
  std::string answer_key = "answer";
  std::vector<Turn> few_shot;  // solved questions, put before every question
  std::vector<std::string> group_keys;
  LabelStart labels = LabelStart::kPublished;
  int threads = 0;  // 0: one per core
};

// The answer and the end token are labelled; the question is not.
Examples question_answer_examples(const std::vector<Record>& records,
                                  const QuestionAnswerOptions& options,
                                  const PromptTemplate& prompt,
                                  const tokenizer::Tokenizer& tokenizer);

// Reads the few-shot turns (solved questions) from the records of a file.
std::vector<Turn> read_turns(const std::vector<Record>& records, const std::string& question_key,
                             const std::string& answer_key);

struct CompletionOptions {
  std::string prefix_key = "prompt";  // a record without it has the prefix ""
  std::string text_key = "text";  // a record without it has the text ""; at least one must have it
  bool insert_space = false;      // between prefix and text
  int64_t max_length = 2048;      // the largest number of tokens after the prefix, at least 1
  std::vector<std::string> group_keys;
  LabelStart labels = LabelStart::kPublished;
  int threads = 0;  // 0: one per core
};

// Everything after the prefix is labelled, except position 0. No end token is added.
Examples completion_examples(const std::vector<Record>& records, const CompletionOptions& options,
                             const tokenizer::Tokenizer& tokenizer);

struct PretrainingOptions {
  std::string text_key = "text";
  int64_t max_length = 2048;  // number of tokens in a chunk, at least 1
  int threads = 0;            // 0: one per core
};

// Joins the texts with blank lines and cuts the result into chunks. Each chunk is decoded and
// tokenized again with special tokens, and all of its positions except 0 are labelled. The index of
// an example is the number of its chunk.
Examples pretraining_examples(const std::vector<Record>& records, const PretrainingOptions& options,
                              const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::data
