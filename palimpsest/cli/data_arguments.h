// What the subcommands that read data sets share: their options on the command line, and the
// examples that come of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/cli/command_line.h"
#include "palimpsest/data/example.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest::cli {

// As the user writes them.
struct DataArguments {
  std::string kind = "auto";  // qa, completion, pretraining, or as the keys say
  std::string question_key = "question";
  std::string answer_key = "answer";
  std::optional<std::string> text_key;    // "text" unless given
  std::optional<std::string> prefix_key;  // "prompt" unless given
  std::string few_shot;                   // a file
  std::string prompt_template = "auto";
  TagTemplate tags = {.user_start_tag = "Question: ",
                      .user_end_tag = "\n",
                      .asst_start_tag = "Answer: ",
                      .asst_end_tag = "\n\n"};
  std::optional<std::string> system_prompt;
  std::vector<std::string> variables;  // NAME=VALUE of the chat template
  std::optional<int64_t> max_length;
  bool insert_space = false;
  std::string attention_mask = "ne_pad";
  std::vector<std::string> group_keys;
  int threads = 0;  // not an option of its own: the command's --threads
};

// The arguments must live until the action of the command is over.
void add_data_options(Command& command, DataArguments& arguments);

// Data sets of one model, prepared one after the other in the same way.
class DataPreparation {
 public:
  // `folder` holds the tokenizer and its chat template.
  DataPreparation(const DataArguments& arguments, const std::filesystem::path& folder);

  // Throws Error for what cannot be used; logs what a user has to know about the rest.
  Examples prepare(const std::filesystem::path& data) const;

  const Tokenizer& tokenizer() const { return tokenizer_; }
  // The token that attention must not see, if the mask hides one.
  std::optional<int64_t> masked_token() const;

 private:
  const DataArguments& arguments_;
  std::string kind_;
  Tokenizer tokenizer_;
  std::optional<PromptTemplate> prompt_;
  std::vector<Turn> few_shot_;
};

}  // namespace palimpsest::cli
