#include "palimpsest/eval/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/data/internal/unknown_tokens.h"
#include "palimpsest/eval/data_files.h"
#include "palimpsest/eval/internal/dataset_plan.h"
#include "palimpsest/eval/internal/multiple_choice_data.h"

namespace palimpsest::eval {
namespace {

std::string text_or(const Parameter& args, std::string_view key, const char* otherwise) {
  const Parameter* found = args.find_set(key);
  return found != nullptr ? found->as_text() : otherwise;
}

int64_t length_or(const Parameter& args, int64_t otherwise) {
  const Parameter* found = args.find_set("max_length");
  if (found == nullptr) return otherwise;
  if (found->as_int() < 1) {
    throw Error({.what = "the maximum length is less than one token", .where = found->where()});
  }
  return found->as_int();
}

bool flag(const Parameter& args, std::string_view key) {
  const Parameter* found = args.find_set(key);
  return found != nullptr && found->as_bool();
}

data::LabelStart labels_of(const Parameter& args) {
  const Parameter* found = args.find_set("labels");
  if (found == nullptr) return data::LabelStart::kPublished;
  try {
    return data::label_start_named(found->as_text());
  } catch (const Error& error) {
    throw error.located(found->where());
  }
}

// "locuslab/TOFU forget10 train"
std::string title_of(const Parameter& args) {
  const Parameter& hf_args = args.at("hf_args");
  std::string title = hf_args.at("path").as_text();
  for (const char* key : {"name", "split", "data_files"}) {
    const Parameter* found = hf_args.find_set(key);
    if (found != nullptr && found->is_text()) title += " " + found->as_text();
  }
  return title;
}

// The key that says which records belong together, as far as these records have it: a data set
// without it (facts about the world beside authors) is one of independent examples.
std::vector<std::string> group_keys_in(const std::vector<data::Record>& records,
                                       const std::string& key) {
  const auto has_it = [&](const data::Record& record) { return record.has(key); };
  if (key.empty() || std::ranges::none_of(records, has_it)) return {};
  return {key};
}

PreparedData taken(data::Examples made, const Parameter& args) {
  PreparedData data{.title = title_of(args),
                    .examples = std::move(made.examples),
                    .lost_beginnings = made.lost_beginnings};
  if (made.without_labels > 0) {
    data.notes.push_back(
        fmt::format("{}: {} of {} examples have no labelled token, because the prompt's tokens "
                    "cover the answer; they cannot be scored",
                    data.title, made.without_labels, data.examples.size()));
  }
  if (made.truncated > 0) {
    data.notes.push_back(
        fmt::format("{}: {} of {} examples are as long as max_length allows and may be cut",
                    data.title, made.truncated, data.examples.size()));
  }
  return data;
}

// A chat template's examples are never cut, whatever max_length says. The configurations that ship
// always say something, so this is worth a word only where it would have cut.
void add_length_note(const Parameter& args, PreparedData& data) {
  if (args.find_set("max_length") == nullptr) return;
  const int64_t length = length_or(args, 0);
  const auto longer = std::ranges::count_if(data.examples, [&](const data::Example& example) {
    return std::ssize(example.ids) > length;
  });
  if (longer == 0) return;
  data.notes.push_back(fmt::format(
      "{}: max_length has no effect under a chat template; {} of {} examples are longer than {} "
      "tokens",
      data.title, longer, data.examples.size(), length));
}

PreparedData prepare_questions(const Parameter& args, const DataContext& context) {
  data::QuestionAnswerOptions options{.question_key = text_or(args, "question_key", "question"),
                                      .answer_key = text_or(args, "answer_key", "answer"),
                                      .labels = labels_of(args),
                                      .threads = context.threads};
  if (const Parameter* few_shot = args.find_set("few_shot_dataset_hf_args")) {
    options.few_shot =
        data::read_turns(read_data_file(find_data_file(*few_shot, context.locations)),
                         options.question_key, options.answer_key);
  }
  const data::PromptTemplate prompt = prompt_template(context, length_or(args, 512));
  const auto records = read_data_file(find_data_file(args.at("hf_args"), context.locations));
  options.group_keys = group_keys_in(records, context.cluster_key);
  PreparedData data =
      taken(data::question_answer_examples(records, options, prompt, context.tokenizer), args);
  data.title += fmt::format(", {} and {}", options.question_key, options.answer_key);
  if (prompt.is_chat()) add_length_note(args, data);
  data.ground_truth_is_whole = true;
  return data;
}

PreparedData prepare_completions(const Parameter& args, const DataContext& context) {
  data::CompletionOptions options{.prefix_key = text_or(args, "prefix_key", "prompt"),
                                  .text_key = text_or(args, "text_key", "text"),
                                  .insert_space = flag(args, "insert_space"),
                                  .max_length = length_or(args, 2048),
                                  .labels = labels_of(args),
                                  .threads = context.threads};
  const auto records = read_data_file(find_data_file(args.at("hf_args"), context.locations));
  options.group_keys = group_keys_in(records, context.cluster_key);
  return taken(data::completion_examples(records, options, context.tokenizer), args);
}

PreparedData prepare_chunks(const Parameter& args, const DataContext& context) {
  const data::PretrainingOptions options{.text_key = text_or(args, "text_key", "text"),
                                         .max_length = length_or(args, 2048),
                                         .threads = context.threads};
  const auto records = read_data_file(find_data_file(args.at("hf_args"), context.locations));
  return taken(data::pretraining_examples(records, options, context.tokenizer), args);
}

data::PromptTemplate chat_template(const DataContext& context) {
  data::ChatPrompt prompt{.chat = jinja::load_chat_template(context.tokenizer_folder),
                          .options = data::chat_options_of(context.tokenizer)};
  prompt.options.now = context.now;
  if (const auto& date = context.prompt->date_string) {
    prompt.options.variables["date_string"] = to_line(Json(*date));
  }
  prompt.system_prompt = context.prompt->system_prompt;
  return data::PromptTemplate::chat(std::move(prompt));
}

// Data sets for training, which have no place in an evaluation.
constexpr std::string_view kForTraining[] = {"QAwithIdkDataset", "QAwithAlternateDataset",
                                             "ForgetRetainDataset"};

const DatasetHandler& find_dataset_handler(const DatasetTable& table, const DatasetSpec& spec) {
  for (const DatasetHandler& handler : table) {
    if (handler.name == spec.handler) return handler;
  }
  std::vector<std::string> known;
  for (const DatasetHandler& handler : table) known.push_back(handler.name);
  const bool trains = std::ranges::find(kForTraining, spec.handler) != std::end(kForTraining);
  const bool is_named = !spec.handler.empty();
  throw Error({.what = trains ? fmt::format("'{}' makes data for training, not for an evaluation",
                                            spec.handler)
                       : is_named ? fmt::format("there is no data set handler '{}'", spec.handler)
                                  : fmt::format("the data set '{}' has no handler", spec.name),
               .where = spec.where,
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

}  // namespace

const DatasetTable& default_dataset_table() {
  static const DatasetTable table = {
      {.name = "QADataset",
       .makes = "a question and its answer, or several; the answer is scored",
       .keys = {"hf_args", "question_key", "answer_key", "few_shot_dataset_hf_args", "max_length",
                "labels", "predict_with_generate"},
       .prepare = prepare_questions},
      {.name = "CompletionDataset",
       .makes = "a prefix and the text that follows it, which is scored",
       .keys = {"hf_args", "prefix_key", "text_key", "insert_space", "max_length", "labels",
                "predict_with_generate"},
       .prepare = prepare_completions},
      {.name = "PretrainingDataset",
       .makes = "texts, joined and cut into chunks that are scored",
       .keys = {"hf_args", "text_key", "max_length"},
       .prepare = prepare_chunks},
      {.name = "MultipleChoiceDataset",
       .makes = "a question with several options, of which one is right",
       .keys = {"hf_args", "question_key", "choices_key", "answer_key", "subject_key", "options",
                "few_shot_dataset_hf_args"},
       .prepare = prepare_multiple_choice},
  };
  return table;
}

DatasetPlan plan_dataset(const DatasetSpec& spec, const DatasetTable& table,
                         const attack::ClusterChoice& clusters) {
  DatasetPlan plan{.name = spec.name,
                   .access_key = spec.access_key.empty() ? spec.name : spec.access_key,
                   .handler = &find_dataset_handler(table, spec),
                   .args = spec.args,
                   .clusters = clusters};
  for (const auto& [key, value] : plan.args.as_map()) {
    if (std::ranges::find(plan.handler->keys, key) != plan.handler->keys.end()) continue;
    throw Error({.what = fmt::format("{} has no argument '{}'", plan.handler->name, key),
                 .where = value.where(),
                 .expected = fmt::format("one of {}", fmt::join(plan.handler->keys, ", "))});
  }
  // A handler need not read files.
  const bool reads_files =
      std::ranges::find(plan.handler->keys, "hf_args") != plan.handler->keys.end();
  if (reads_files) plan.args.at("hf_args").at("path").as_text();
  plan.predict_with_generate = flag(plan.args, "predict_with_generate");
  plan.key = plan.handler->name + canonical_text(plan.args.without("predict_with_generate"));
  plan.source =
      plan.handler->name + canonical_text(reads_files ? plan.args.at("hf_args") : plan.args);
  if (spec.cluster_size > 0) {
    plan.clusters = {.key = "", .size = spec.cluster_size, .independent = false};
  }
  if (!plan.clusters.key.empty()) plan.key += " by " + plan.clusters.key;
  return plan;
}

// What could not be scored is found before a model has run over the data.
void require_examples(const PreparedData& data) {
  if (data.examples.empty())
    throw Error({.what = "the data set has no examples", .where = data.title});
  std::set<std::pair<std::string_view, int64_t>> seen;
  for (const data::Example& example : data.examples) {
    if (seen.emplace(example.index, example.alternative).second) continue;
    throw Error({.what = "two examples have the same index and alternative",
                 .where = data.title,
                 .found = fmt::format("index {}, alternative {}, twice", example.index,
                                      example.alternative),
                 .hint = "give every example an index of its own"});
  }
}

PreparedData prepare(const DatasetPlan& plan, const DataContext& context) {
  DataContext own = context;
  own.cluster_key = plan.clusters.key;
  PreparedData data = plan.handler->prepare(plan.args, own);
  require_examples(data);
  if (auto note = data::unknown_tokens_note(data.title, data.examples, context.tokenizer)) {
    data.notes.push_back(std::move(*note));
  }
  return data;
}

data::PromptTemplate prompt_template(const DataContext& context, int64_t max_length) {
  const PromptSettings* prompt = context.prompt;
  if (prompt != nullptr && prompt->chat_template) return chat_template(context);
  if (prompt == nullptr || !prompt->tags) {
    throw Error({.what = "questions need the model's template_args",
                 .where = "model.template_args",
                 .expected =
                     "apply_chat_template: true, or false with user_start_tag, user_end_tag "
                     "and asst_start_tag"});
  }
  return data::PromptTemplate::tags(*prompt->tags, max_length);
}

}  // namespace palimpsest::eval
