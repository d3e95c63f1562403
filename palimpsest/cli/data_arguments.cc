#include "palimpsest/cli/data_arguments.h"

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/cli/chat.h"

namespace palimpsest::cli {
namespace {

// The value of that name. Throws Error that names the option.
template <class Kind>
Kind choice(Kind (*named)(std::string_view), const std::string& name, const char* option) {
  try {
    return named(name);
  } catch (const Error& error) {
    throw error.located(option);
  }
}

}  // namespace

void add_data_options(Command& app, DataArguments& arguments) {
  Command command = app.group(kDataOptions);
  data::PreparationOptions& options = arguments.options;
  command
      .option("--dataset", arguments.kind,
              "How records become examples: qa (question and answer), completion (a prefix, which "
              "may be missing, and its text), pretraining (texts joined and cut into chunks), or "
              "auto: completion if --text-key or --prefix-key is given, else qa")
      .completes({"auto", "qa", "completion", "pretraining"})
      .show_default();
  command.option("--question-key", options.question_key, "Key of the question (qa)").show_default();
  command
      .option("--answer-key", options.answer_key,
              "Key of the answer, a text or a list of alternatives (qa)")
      .show_default();
  command.option("--text-key", options.text_key,
                 "Key of the text (completion, pretraining; default: text)");
  command.option("--prefix-key", options.prefix_key,
                 "Key of the prefix (completion; default: prompt)");
  command.option("--few-shot", options.few_shot,
                 "File with examples that go before every question (qa)");
  command
      .option("--template", arguments.prompt_template,
              "How a question becomes a prompt (qa): chat (the tokenizer's chat template), tags, "
              "none, or auto: chat if there is a chat template, else tags")
      .completes({"auto", "chat", "tags", "none"})
      .show_default();
  command.option("--user-start-tag", options.tags.user_start_tag,
                 "Text before each question (tags)");
  command.option("--user-end-tag", options.tags.user_end_tag, "Text after each question (tags)");
  command.option("--asst-start-tag", options.tags.asst_start_tag, "Text before each answer (tags)");
  command.option("--asst-end-tag", options.tags.asst_end_tag,
                 "Text after the answer of each few-shot example (tags)");
  command.option("--system-prompt", options.system_prompt, "System prompt (chat)");
  command
      .option("--var", arguments.variables,
              "NAME=VALUE, a variable of the chat template; may be repeated")
      .one_value_per_use();
  command.option("--max-length", options.max_length,
                 "Maximum number of tokens: of an example (tags; default 512), of the part after "
                 "the prefix (completion; default 2048), or of a chunk (pretraining; default "
                 "2048)");
  command.flag("--insert-space", options.insert_space,
               "Put a space between prefix and text (completion)");
  command
      .option("--attention-mask", arguments.attention_mask,
              "ne_pad hides all tokens that equal the padding token, as was done for published "
              "numbers; full hides none")
      .completes({"ne_pad", "full"})
      .show_default();
  command
      .option("--labels", arguments.labels,
              "Which tokens are scored: exact (every token that holds some of the answer), or "
              "published (as for published numbers: all after the first N, where N is the number "
              "of tokens of the prompt alone)")
      .completes({"published", "exact"})
      .show_default();
}

data::PreparationOptions preparation_options(const DataArguments& arguments) {
  data::PreparationOptions options = arguments.options;
  options.kind = choice(data::dataset_kind_named, arguments.kind, "--dataset");
  options.prompt_template =
      choice(data::template_kind_named, arguments.prompt_template, "--template");
  options.attention_mask =
      choice(data::attention_mask_named, arguments.attention_mask, "--attention-mask");
  options.labels = choice(data::label_start_named, arguments.labels, "--labels");
  if (options.max_length && *options.max_length < 1) {
    throw Error({.what = "the maximum length is less than one token", .where = "--max-length"});
  }
  if (!options.few_shot.empty() && data::kind_of(options) != data::DatasetKind::kQuestionAnswer) {
    throw Error({.what = "few-shot examples need data of questions and answers",
                 .where = "--few-shot",
                 .hint = "use --dataset qa, or leave it out"});
  }
  options.chat = chat_options(arguments.variables);
  return options;
}

PreparedData prepare_data(data::PreparationOptions options,
                          const std::filesystem::path& tokenizer_folder,
                          const std::filesystem::path& file) {
  PreparedData data{.preparation = data::DataPreparation(std::move(options), tokenizer_folder)};
  for (const std::string& choice : data.preparation.choices()) log_info("{}", choice);
  for (const std::string& note : data.preparation.notes()) log_warning("{}", note);
  data::PreparedFile prepared = data.preparation.prepare(file);
  for (const std::string& note : prepared.notes) log_warning("{}", note);
  data.examples = std::move(prepared.examples);
  return data;
}

}  // namespace palimpsest::cli
