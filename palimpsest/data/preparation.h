// Makes examples from data files. `palimpsest mia`, `palimpsest trace` and audit() share this code.
// It prints and logs nothing; it returns remarks for the user as sentences.
//
//   const DataPreparation preparation({.question_key = "q"}, "checkpoint");
//   PreparedFile forget = preparation.prepare("forget.jsonl");
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/data/prompt_template.h"
#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::data {

// How records become examples (datasets.h). kAuto means kCompletion if a text or prefix key is
// given, otherwise kQuestionAnswer.
enum class DatasetKind { kAuto, kQuestionAnswer, kCompletion, kPretraining };
// How a question is turned into a prompt. kChat uses the tokenizer's chat template. kTags puts
// texts such as "Question: " around question and answer (TagTemplate). kNone adds nothing. kAuto
// means kChat if the tokenizer has a chat template, otherwise kTags.
enum class TemplateKind { kAuto, kChat, kTags, kNone };
// Which tokens attention can see. kNotPadding hides all tokens that equal the padding token, as was
// done for the published benchmark numbers. kFull hides none.
enum class AttentionMask { kNotPadding, kFull };

// The names on command lines and in records of runs. Of a DatasetKind: auto, qa, completion,
// pretraining. Of a TemplateKind: auto, chat, tags, none. Of an AttentionMask: ne_pad, full.
std::string_view name_of(DatasetKind kind);
std::string_view name_of(TemplateKind kind);
std::string_view name_of(AttentionMask mask);
// The inverse of name_of(). Throws Error for an unknown name; the message lists the known ones.
DatasetKind dataset_kind_named(std::string_view name);
TemplateKind template_kind_named(std::string_view name);
AttentionMask attention_mask_named(std::string_view name);

struct PreparationOptions {
  DatasetKind kind = DatasetKind::kAuto;
  std::string question_key = "question";
  std::string answer_key = "answer";
  std::optional<std::string> text_key = {};    // if absent: "text"
  std::optional<std::string> prefix_key = {};  // if absent: "prompt"
  // A file of solved questions that are put before every question (few-shot examples). Empty: none.
  std::filesystem::path few_shot = {};
  TemplateKind prompt_template = TemplateKind::kAuto;
  TagTemplate tags = {.user_start_tag = "Question: ",
                      .user_end_tag = "\n",
                      .asst_start_tag = "Answer: ",
                      .asst_end_tag = "\n\n"};
  std::optional<std::string> system_prompt = {};  // for the chat template
  // Variables, tools and the time for the chat template. The special tokens are taken from the
  // tokenizer.
  jinja::ChatOptions chat = {};
  // The largest number of tokens, at least 1. With tags, or with kNone, it limits a whole example
  // (default 512). With a chat template it has no effect: nothing is cut, and a note says so. For
  // completion it limits the part after the prefix (default 2048). For pretraining it limits a
  // chunk (default 2048).
  std::optional<int64_t> max_length = {};
  bool insert_space = false;  // between prefix and text; for completion only
  AttentionMask attention_mask = AttentionMask::kNotPadding;
  LabelStart labels = LabelStart::kPublished;  // for qa and completion
  // Keys of the records whose values go into Example::groups.
  std::vector<std::string> group_keys = {};
  int threads = 0;  // 0: one per core; the examples do not depend on it
};

// The kind that the options lead to; never kAuto.
DatasetKind kind_of(const PreparationOptions& options);

// The token that attention must not see; nullopt if the mask hides none.
std::optional<int64_t> masked_token(AttentionMask mask, const tokenizer::Tokenizer& tokenizer);

struct PreparedFile {
  std::vector<Example> examples;
  // Warnings about examples that cannot be scored, that the tokenizer cannot represent, that may
  // have been cut, or that have tokens hidden from attention.
  std::vector<std::string> notes;
};

// Prepares all data files for one model in the same way. Threads may share an object.
class DataPreparation {
 public:
  // `folder` holds the tokenizer and its chat template. Throws Error for options that contradict
  // each other or the content of the folder.
  DataPreparation(PreparationOptions options, const std::filesystem::path& folder);

  // Throws Error for a file or record that cannot be used.
  PreparedFile prepare(const std::filesystem::path& file) const;

  const tokenizer::Tokenizer& tokenizer() const { return tokenizer_; }
  // The result of the function masked_token() for these options.
  std::optional<int64_t> masked_token() const;
  // One sentence for each choice that the options left open and that was made here.
  const std::vector<std::string>& choices() const { return choices_; }
  // Warnings about options that have no effect.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  PreparationOptions options_;
  DatasetKind kind_;  // never kAuto
  tokenizer::Tokenizer tokenizer_;
  std::optional<PromptTemplate> prompt_;
  std::vector<Turn> few_shot_;
  std::vector<std::string> choices_;
  std::vector<std::string> notes_;
};

}  // namespace palimpsest::data
