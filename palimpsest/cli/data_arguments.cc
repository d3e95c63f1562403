#include "palimpsest/cli/data_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/data/record_reader.h"

namespace palimpsest::cli {
namespace {

constexpr int64_t kAnswerLength = 512;
constexpr int64_t kTextLength = 2048;

void require_one_of(const std::string& value, const std::vector<std::string>& choices,
                    const char* option) {
  if (std::ranges::find(choices, value) != choices.end()) return;
  throw Error({.what = fmt::format("'{}' is not a choice", value),
               .where = option,
               .expected = fmt::format("one of {}", fmt::join(choices, ", "))});
}

std::string kind_of(const DataArguments& arguments) {
  require_one_of(arguments.kind, {"auto", "qa", "completion", "pretraining"}, "--dataset");
  if (arguments.kind != "auto") return arguments.kind;
  return arguments.text_key || arguments.prefix_key ? "completion" : "qa";
}

PromptTemplate prompt_template(const DataArguments& arguments, const std::filesystem::path& folder,
                               const Tokenizer& tokenizer) {
  std::string kind = arguments.prompt_template;
  if (kind == "auto") {
    kind = has_chat_template(folder) ? "chat" : "tags";
  }
  if (kind == "chat") {
    return PromptTemplate::chat({.chat = load_chat_template(folder),
                                 .options = chat_options(tokenizer, arguments.variables),
                                 .system_prompt = arguments.system_prompt});
  }
  if (arguments.system_prompt) {
    throw Error({.what = "a system prompt needs the chat template",
                 .where = "--system-prompt",
                 .hint = "use --template chat"});
  }
  return PromptTemplate::tags(kind == "tags" ? arguments.tags : TagTemplate(),
                              arguments.max_length.value_or(kAnswerLength));
}

}  // namespace

void add_data_options(Command& command, DataArguments& arguments) {
  command
      .option("--dataset", arguments.kind,
              "How records become examples: qa (question and answer), completion (a prefix, "
              "which may be missing, and its text), pretraining (texts joined and cut into "
              "chunks), or auto: completion where --text-key or --prefix-key is given, else qa")
      .show_default();
  command.option("--question-key", arguments.question_key, "Key of the question (qa)")
      .show_default();
  command
      .option("--answer-key", arguments.answer_key,
              "Key of the answer, a text or a list of alternatives (qa)")
      .show_default();
  command.option("--text-key", arguments.text_key,
                 "Key of the text (completion, pretraining); text unless given");
  command.option("--prefix-key", arguments.prefix_key,
                 "Key of the prefix (completion); prompt unless given");
  command.option("--few-shot", arguments.few_shot,
                 "File with examples that go before every question (qa)");
  command
      .option("--template", arguments.prompt_template,
              "How a question is put: chat (the tokenizer's template), tags, none, or auto: "
              "chat where there is a template (qa)")
      .show_default();
  command.option("--user-start-tag", arguments.tags.user_start_tag, "Before a question (tags)");
  command.option("--user-end-tag", arguments.tags.user_end_tag, "After a question (tags)");
  command.option("--asst-start-tag", arguments.tags.asst_start_tag, "Before an answer (tags)");
  command.option("--asst-end-tag", arguments.tags.asst_end_tag,
                 "After the answer of a few-shot example (tags)");
  command.option("--system-prompt", arguments.system_prompt, "System prompt (chat)");
  command
      .option("--var", arguments.variables,
              "NAME=VALUE, a variable of the chat template; may be repeated")
      .one_value_per_use();
  command.option("--max-length", arguments.max_length,
                 "Most tokens of an example (tags: 512), beyond its prefix (completion: 2048), or "
                 "of a chunk (pretraining: 2048)");
  command.flag("--insert-space", arguments.insert_space,
               "Put a space between prefix and text (completion)");
  command
      .option("--attention-mask", arguments.attention_mask,
              "ne_pad hides tokens that equal the padding token wherever they stand, as "
              "published numbers do; full hides none")
      .show_default();
}

DataPreparation::DataPreparation(const DataArguments& arguments,
                                 const std::filesystem::path& folder)
    : arguments_(arguments), kind_(kind_of(arguments)), tokenizer_(Tokenizer::load(folder)) {
  require_one_of(arguments.prompt_template, {"auto", "chat", "tags", "none"}, "--template");
  require_one_of(arguments.attention_mask, {"ne_pad", "full"}, "--attention-mask");
  if (arguments.max_length && *arguments.max_length < 1) {
    throw Error({.what = "the maximum length is less than one token", .where = "--max-length"});
  }
  if (arguments.kind == "auto" && kind_ != "qa") {
    log_info("records are texts to complete, not questions (--dataset)");
  }
  if (kind_ != "qa" && !arguments.few_shot.empty()) {
    throw Error({.what = "solved questions need questions and answers",
                 .where = "--few-shot",
                 .hint = "use --dataset qa, or leave it out"});
  }
  if (kind_ != "qa") return;
  prompt_ = prompt_template(arguments, folder, tokenizer_);
  if (arguments.prompt_template == "auto") {
    log_info("questions go through the {} (--template)",
             prompt_->is_chat() ? "tokenizer's chat template" : "tags 'Question: … Answer: …'");
  }
  if (!arguments.few_shot.empty()) {
    few_shot_ =
        read_turns(read_records(arguments.few_shot), arguments.question_key, arguments.answer_key);
  }
}

std::optional<int64_t> DataPreparation::masked_token() const {
  return arguments_.attention_mask == "ne_pad" ? tokenizer_.pad_id() : std::nullopt;
}

Examples DataPreparation::prepare(const std::filesystem::path& data) const {
  const std::vector<Record> records = read_records(data);
  const int64_t length = arguments_.max_length.value_or(kTextLength);
  Examples examples;
  const std::string text_key = arguments_.text_key.value_or("text");
  if (kind_ == "qa") {
    examples = question_answer_examples(records,
                                        {.question_key = arguments_.question_key,
                                         .answer_key = arguments_.answer_key,
                                         .few_shot = few_shot_,
                                         .group_keys = arguments_.group_keys,
                                         .threads = arguments_.threads},
                                        *prompt_, tokenizer_);
  } else if (kind_ == "completion") {
    examples = completion_examples(records,
                                   {.prefix_key = arguments_.prefix_key.value_or("prompt"),
                                    .text_key = text_key,
                                    .insert_space = arguments_.insert_space,
                                    .max_length = length,
                                    .group_keys = arguments_.group_keys,
                                    .threads = arguments_.threads},
                                   tokenizer_);
  } else {
    examples = pretraining_examples(
        records, {.text_key = text_key, .max_length = length, .threads = arguments_.threads},
        tokenizer_);
  }
  if (examples.swallowed > 0) {
    log_warning(
        "{}: {} of {} examples have no labelled token, because the prompt's tokens cover "
        "the answer; they cannot be scored",
        data.string(), examples.swallowed, examples.examples.size());
  }
  if (examples.truncated > 0) {
    log_warning("{}: {} of {} examples are as long as --max-length allows and may be cut",
                data.string(), examples.truncated, examples.examples.size());
  }
  const auto hidden = std::ranges::count_if(examples.examples, [&](const Example& example) {
    return mask_hides(example, masked_token());
  });
  if (hidden > 0) {
    log_warning(
        "{}: {} of {} examples hold the padding token, which attention does not see, as "
        "in published numbers; --attention-mask full shows it",
        data.string(), hidden, examples.examples.size());
  }
  return examples;
}

}  // namespace palimpsest::cli
