#include "palimpsest/eval/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/json.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/eval/inference_settings.h"
#include "palimpsest/eval/multiple_choice_data.h"

namespace palimpsest::eval {
namespace {

std::string text_or(const config::Value& args, std::string_view key, const char* otherwise) {
  const config::Value* found = args.find_set(key);
  return found != nullptr ? found->as_text() : otherwise;
}

int64_t length_or(const config::Value& args, int64_t otherwise) {
  const config::Value* found = args.find_set("max_length");
  if (found == nullptr) return otherwise;
  if (found->as_int() < 1) {
    throw Error({.what = "the maximum length is less than one token", .where = found->where()});
  }
  return found->as_int();
}

bool flag(const config::Value& args, std::string_view key) {
  const config::Value* found = args.find_set(key);
  return found != nullptr && found->as_bool();
}

// "locuslab/TOFU forget10 train"
std::string title_of(const config::Value& args) {
  const config::Value& hf_args = args.at("hf_args");
  std::string title = hf_args.at("path").as_text();
  for (const char* key : {"name", "split", "data_files"}) {
    const config::Value* found = hf_args.find_set(key);
    if (found != nullptr && found->is_text()) title += " " + found->as_text();
  }
  return title;
}

// The key that says which records belong together, as far as these records have it: a data set
// without it (facts about the world beside authors) is one of independent examples.
std::vector<std::string> group_keys_in(const std::vector<Record>& records, const std::string& key) {
  const auto has_it = [&](const Record& record) { return record.has(key); };
  if (key.empty() || std::ranges::none_of(records, has_it)) return {};
  return {key};
}

PreparedData taken(Examples made, const config::Value& args) {
  PreparedData data{.title = title_of(args), .examples = std::move(made.examples)};
  if (made.swallowed > 0) {
    data.notes.push_back(
        fmt::format("{}: {} of {} examples have no labelled token, because the prompt's tokens "
                    "cover the answer; they cannot be scored",
                    data.title, made.swallowed, data.examples.size()));
  }
  if (made.truncated > 0) {
    data.notes.push_back(
        fmt::format("{}: {} of {} examples are as long as max_length allows and may be cut",
                    data.title, made.truncated, data.examples.size()));
  }
  return data;
}

PreparedData prepare_questions(const config::Value& args, const DataContext& context) {
  QuestionAnswerOptions options{.question_key = text_or(args, "question_key", "question"),
                                .answer_key = text_or(args, "answer_key", "answer"),
                                .threads = context.threads};
  if (const config::Value* few_shot = args.find_set("few_shot_dataset_hf_args")) {
    options.few_shot = read_turns(read_data_file(find_data_file(*few_shot, context.places)),
                                  options.question_key, options.answer_key);
  }
  const PromptTemplate prompt = prompt_template(context, length_or(args, 512));
  const auto records = read_data_file(find_data_file(args.at("hf_args"), context.places));
  options.group_keys = group_keys_in(records, context.cluster_key);
  PreparedData data =
      taken(question_answer_examples(records, options, prompt, context.tokenizer), args);
  data.title += fmt::format(", {} and {}", options.question_key, options.answer_key);
  data.ground_truth_is_whole = true;
  return data;
}

PreparedData prepare_completions(const config::Value& args, const DataContext& context) {
  CompletionOptions options{.prefix_key = text_or(args, "prefix_key", "prompt"),
                            .text_key = text_or(args, "text_key", "text"),
                            .insert_space = flag(args, "insert_space"),
                            .max_length = length_or(args, 2048),
                            .threads = context.threads};
  const auto records = read_data_file(find_data_file(args.at("hf_args"), context.places));
  options.group_keys = group_keys_in(records, context.cluster_key);
  return taken(completion_examples(records, options, context.tokenizer), args);
}

PreparedData prepare_chunks(const config::Value& args, const DataContext& context) {
  const PretrainingOptions options{.text_key = text_or(args, "text_key", "text"),
                                   .max_length = length_or(args, 2048),
                                   .threads = context.threads};
  const auto records = read_data_file(find_data_file(args.at("hf_args"), context.places));
  return taken(pretraining_examples(records, options, context.tokenizer), args);
}

PromptTemplate chat_template(const DataContext& context) {
  const config::Value& args = *context.template_args;
  ChatPrompt prompt{.chat = load_chat_template(context.tokenizer_folder),
                    .options = chat_options_of(context.tokenizer)};
  prompt.options.now = context.now;
  if (const config::Value* date = args.find_set("date_string")) {
    prompt.options.variables["date_string"] = to_line(Json(date->as_text()));
  }
  if (const config::Value* system = args.find_set("system_prompt")) {
    prompt.system_prompt = system->as_text();
  }
  return PromptTemplate::chat(std::move(prompt));
}

// Data sets for training, which have no place in an evaluation.
constexpr std::string_view kForTraining[] = {"QAwithIdkDataset", "QAwithAlternateDataset",
                                             "ForgetRetainDataset"};

const DatasetHandler& find_dataset_handler(const DatasetTable& table, const config::Value& name) {
  for (const DatasetHandler& handler : table) {
    if (handler.name == name.as_text()) return handler;
  }
  std::vector<std::string> known;
  for (const DatasetHandler& handler : table) known.push_back(handler.name);
  const bool trains = std::ranges::find(kForTraining, name.as_text()) != std::end(kForTraining);
  throw Error({.what = trains ? fmt::format("'{}' makes data for training, not for an evaluation",
                                            name.as_text())
                              : fmt::format("there is no data set handler '{}'", name.as_text()),
               .where = name.where(),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

void append_canonical(std::string& text, const config::Value& value) {
  if (value.is_map()) {
    std::vector<const config::Value::Map::value_type*> entries;
    for (const auto& entry : value.as_map()) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const auto* entry) { return entry->first; });
    text += '{';
    for (const auto* entry : entries) {
      text += to_line(Json(entry->first)) + ":";
      append_canonical(text, entry->second);
      text += ',';
    }
    text += '}';
  } else if (value.is_list()) {
    text += '[';
    for (const config::Value& element : value.as_list()) {
      append_canonical(text, element);
      text += ',';
    }
    text += ']';
  } else if (value.is_text()) {
    text += to_line(Json(value.as_text()));
  } else if (value.is_bool()) {
    text += value.as_bool() ? "true" : "false";
  } else {
    text += value.is_null() ? "null" : fmt::format("{}", value.as_real());
  }
}

}  // namespace

const DatasetTable& default_dataset_table() {
  static const DatasetTable table = {
      {.name = "QADataset",
       .makes = "a question and its answer, or several; the answer is scored",
       .keys = {"hf_args", "question_key", "answer_key", "few_shot_dataset_hf_args", "max_length",
                "predict_with_generate"},
       .prepare = prepare_questions},
      {.name = "CompletionDataset",
       .makes = "a prefix and the text that follows it, which is scored",
       .keys = {"hf_args", "prefix_key", "text_key", "insert_space", "max_length",
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

DatasetSpec read_dataset(const std::string& name, const config::Value& dataset,
                         const DatasetTable& table, const ClusterChoice& clusters) {
  DatasetSpec spec{.name = name, .access_key = name, .clusters = clusters};
  if (const config::Value* access = dataset.find_set("access_key")) {
    spec.access_key = access->as_text();
  }
  spec.handler = &find_dataset_handler(table, dataset.at("handler"));
  spec.args = dataset.at("args");
  for (const auto& [key, value] : spec.args.as_map()) {
    if (std::ranges::find(spec.handler->keys, key) != spec.handler->keys.end()) continue;
    throw Error({.what = fmt::format("{} has no argument '{}'", spec.handler->name, key),
                 .where = value.where(),
                 .expected = fmt::format("one of {}", fmt::join(spec.handler->keys, ", "))});
  }
  spec.args.at("hf_args").at("path").as_text();
  spec.predict_with_generate = flag(spec.args, "predict_with_generate");
  config::Value same = spec.args;
  same.erase("predict_with_generate");
  spec.key = spec.handler->name + canonical_text(same);
  spec.source = spec.handler->name + canonical_text(spec.args.at("hf_args"));
  if (const int64_t own = read_cluster_size(dataset); own > 0) {
    spec.clusters = {.key = "", .size = own, .independent = false};
  }
  if (!spec.clusters.key.empty()) spec.key += " by " + spec.clusters.key;
  return spec;
}

PreparedData prepare(const DatasetSpec& spec, const DataContext& context) {
  DataContext own = context;
  own.cluster_key = spec.clusters.key;
  return spec.handler->prepare(spec.args, own);
}

PromptTemplate prompt_template(const DataContext& context, int64_t max_length) {
  if (context.template_args == nullptr) {
    throw Error({.what = "questions need the model's template_args",
                 .where = "model.template_args",
                 .expected = "apply_chat_template: true, or the tags around question and answer"});
  }
  const config::Value& args = *context.template_args;
  if (args.at("apply_chat_template").as_bool()) return chat_template(context);
  TagTemplate tags{.user_start_tag = args.at("user_start_tag").as_text(),
                   .user_end_tag = args.at("user_end_tag").as_text(),
                   .asst_start_tag = args.at("asst_start_tag").as_text()};
  if (const config::Value* end = args.find_set("asst_end_tag")) tags.asst_end_tag = end->as_text();
  if (const config::Value* system = args.find_set("system_prompt_with_special_tokens")) {
    tags.system_prompt_with_special_tokens = system->as_text();
  }
  return PromptTemplate::tags(std::move(tags), max_length);
}

std::string canonical_text(const config::Value& value) {
  std::string text;
  append_canonical(text, value);
  return text;
}

}  // namespace palimpsest::eval
