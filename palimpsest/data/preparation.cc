#include "palimpsest/data/preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/data/internal/record_reader.h"
#include "palimpsest/data/internal/unknown_tokens.h"

namespace palimpsest::data {
namespace {

constexpr int64_t kAnswerLength = 512;
constexpr int64_t kTextLength = 2048;

template <class Kind>
using Named = std::pair<std::string_view, Kind>;

constexpr std::array kDatasetNames = {Named<DatasetKind>{"auto", DatasetKind::kAuto},
                                      Named<DatasetKind>{"qa", DatasetKind::kQuestionAnswer},
                                      Named<DatasetKind>{"completion", DatasetKind::kCompletion},
                                      Named<DatasetKind>{"pretraining", DatasetKind::kPretraining}};
constexpr std::array kTemplateNames = {Named<TemplateKind>{"auto", TemplateKind::kAuto},
                                       Named<TemplateKind>{"chat", TemplateKind::kChat},
                                       Named<TemplateKind>{"tags", TemplateKind::kTags},
                                       Named<TemplateKind>{"none", TemplateKind::kNone}};
constexpr std::array kMaskNames = {Named<AttentionMask>{"ne_pad", AttentionMask::kNotPadding},
                                   Named<AttentionMask>{"full", AttentionMask::kFull}};

template <class Names, class Kind>
std::string_view name_among(const Names& names, Kind kind) {
  for (const auto& [name, one] : names) {
    if (one == kind) return name;
  }
  return "";
}

template <class Names>
auto kind_among(const Names& names, std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& [one, kind] : names) {
    if (one == name) return kind;
    known.push_back(one);
  }
  throw Error({.what = fmt::format("'{}' is not a choice", name),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

PromptTemplate prompt_template(const PreparationOptions& options,
                               const std::filesystem::path& folder,
                               const tokenizer::Tokenizer& tokenizer) {
  TemplateKind kind = options.prompt_template;
  if (kind == TemplateKind::kAuto)
    kind = jinja::has_chat_template(folder) ? TemplateKind::kChat : TemplateKind::kTags;
  if (kind == TemplateKind::kChat) {
    jinja::ChatOptions chat = options.chat;
    chat.special_tokens = chat_options_of(tokenizer).special_tokens;
    return PromptTemplate::chat({.chat = jinja::load_chat_template(folder),
                                 .options = std::move(chat),
                                 .system_prompt = options.system_prompt});
  }
  if (options.system_prompt) {
    throw Error({.what = "a system prompt needs the chat template",
                 .hint = "choose the template 'chat', or leave the system prompt out"});
  }
  return PromptTemplate::tags(kind == TemplateKind::kTags ? options.tags : TagTemplate(),
                              options.max_length.value_or(kAnswerLength));
}

}  // namespace

std::string_view name_of(DatasetKind kind) {
  return name_among(kDatasetNames, kind);
}
std::string_view name_of(TemplateKind kind) {
  return name_among(kTemplateNames, kind);
}
std::string_view name_of(AttentionMask mask) {
  return name_among(kMaskNames, mask);
}
DatasetKind dataset_kind_named(std::string_view name) {
  return kind_among(kDatasetNames, name);
}
TemplateKind template_kind_named(std::string_view name) {
  return kind_among(kTemplateNames, name);
}
AttentionMask attention_mask_named(std::string_view name) {
  return kind_among(kMaskNames, name);
}

DatasetKind kind_of(const PreparationOptions& options) {
  if (options.kind != DatasetKind::kAuto) return options.kind;
  return options.text_key || options.prefix_key ? DatasetKind::kCompletion
                                                : DatasetKind::kQuestionAnswer;
}

std::optional<int64_t> masked_token(AttentionMask mask, const tokenizer::Tokenizer& tokenizer) {
  return mask == AttentionMask::kNotPadding ? tokenizer.pad_id() : std::nullopt;
}

DataPreparation::DataPreparation(PreparationOptions options, const std::filesystem::path& folder)
    : options_(std::move(options)),
      kind_(kind_of(options_)),
      tokenizer_(tokenizer::Tokenizer::load(folder)) {
  if (options_.max_length && *options_.max_length < 1)
    throw Error("the maximum length of an example is less than one token");
  if (options_.kind == DatasetKind::kAuto && kind_ != DatasetKind::kQuestionAnswer)
    choices_.emplace_back("records are texts to complete, not questions");
  if (kind_ != DatasetKind::kQuestionAnswer) {
    if (options_.few_shot.empty()) return;
    throw Error({.what = "few-shot examples need data of questions and answers",
                 .where = options_.few_shot.string(),
                 .hint = "say that the records are questions (qa), or leave it out"});
  }
  prompt_ = prompt_template(options_, folder, tokenizer_);
  if (options_.prompt_template == TemplateKind::kAuto) {
    choices_.push_back(fmt::format(
        "questions are put into the {}",
        prompt_->is_chat() ? "tokenizer's chat template" : "tags 'Question: … Answer: …'"));
  }
  if (prompt_->is_chat() && options_.max_length) {
    notes_.emplace_back(
        "the maximum length has no effect under a chat template, whose examples are never cut; the "
        "template 'tags' cuts them");
  }
  if (!options_.few_shot.empty()) {
    few_shot_ =
        read_turns(read_records(options_.few_shot), options_.question_key, options_.answer_key);
  }
}

std::optional<int64_t> DataPreparation::masked_token() const {
  return data::masked_token(options_.attention_mask, tokenizer_);
}

PreparedFile DataPreparation::prepare(const std::filesystem::path& file) const {
  const std::vector<Record> records = read_records(file);
  const int64_t length = options_.max_length.value_or(kTextLength);
  const std::string text_key = options_.text_key.value_or("text");
  Examples examples;
  if (kind_ == DatasetKind::kQuestionAnswer) {
    examples = question_answer_examples(records,
                                        {.question_key = options_.question_key,
                                         .answer_key = options_.answer_key,
                                         .few_shot = few_shot_,
                                         .group_keys = options_.group_keys,
                                         .labels = options_.labels,
                                         .threads = options_.threads},
                                        *prompt_, tokenizer_);
  } else if (kind_ == DatasetKind::kCompletion) {
    examples = completion_examples(records,
                                   {.prefix_key = options_.prefix_key.value_or("prompt"),
                                    .text_key = text_key,
                                    .insert_space = options_.insert_space,
                                    .max_length = length,
                                    .group_keys = options_.group_keys,
                                    .labels = options_.labels,
                                    .threads = options_.threads},
                                   tokenizer_);
  } else {
    examples = pretraining_examples(
        records, {.text_key = text_key, .max_length = length, .threads = options_.threads},
        tokenizer_);
  }
  PreparedFile prepared{.examples = std::move(examples.examples), .notes = {}};
  const auto note = [&](int64_t count, std::string_view what) {
    if (count == 0) return;
    prepared.notes.push_back(fmt::format("{}: {} of {} examples {}", file.string(), count,
                                         prepared.examples.size(), what));
  };
  note(examples.without_labels,
       "have no labelled token, because the prompt's tokens cover the answer; they cannot be "
       "scored");
  note(examples.lost_beginnings,
       "lose the beginning of their answer, as in published numbers: the tokenizer joins it with "
       "the end of the prompt into one token, which is not labelled; the labels 'exact' keep it");
  note(examples.truncated, "are as long as the maximum length allows and may be cut");
  if (auto unknown = unknown_tokens_note(file.string(), prepared.examples, tokenizer_))
    prepared.notes.push_back(std::move(*unknown));
  note(std::ranges::count_if(
           prepared.examples,
           [&](const Example& example) { return mask_hides(example, masked_token()); }),
       "hold the padding token, which attention does not see, as in published numbers; the "
       "attention "
       "mask 'full' shows it");
  return prepared;
}

}  // namespace palimpsest::data
