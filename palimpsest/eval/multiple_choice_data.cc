#include "palimpsest/eval/internal/multiple_choice_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/data/datasets.h"
#include "palimpsest/eval/data_files.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::eval {
namespace {

constexpr size_t kMaxOptions = 26;  // as many as there are letters

struct Keys {
  std::string question = "question";
  std::string choices = "choices";
  std::string answer = "answer";
  std::string subject;  // empty: none
  bool letters = true;
};

Keys read_keys(const Parameter& args) {
  Keys keys;
  const auto set = [&](std::string_view name, std::string& key) {
    if (const Parameter* found = args.find_set(name)) key = found->as_text();
  };
  set("question_key", keys.question);
  set("choices_key", keys.choices);
  set("answer_key", keys.answer);
  set("subject_key", keys.subject);
  std::string options = "letters";
  set("options", options);
  if (options != "letters" && options != "full") {
    throw Error({.what = fmt::format("there is no kind of options '{}'", options),
                 .where = args.at("options").where(),
                 .expected = "letters or full"});
  }
  keys.letters = options == "letters";
  return keys;
}

std::string letter(size_t number) {
  return std::string(1, static_cast<char>('A' + number));
}

struct Question {
  std::string prompt;
  std::vector<std::string> options;  // as they are scored
  size_t answer = 0;
};

size_t answer_of(const data::Record& record, const Keys& keys,
                 const std::vector<std::string>& choices) {
  const std::string given = record.label(keys.answer).value_or("");
  size_t number = choices.size();
  const char* end = given.data() + given.size();
  if (std::from_chars(given.data(), end, number).ptr != end || given.empty()) {
    number = choices.size();
  }
  if (given.size() == 1 && given[0] >= 'A' && given[0] <= 'Z') {
    number = static_cast<size_t>(given[0] - 'A');
  }
  if (number >= choices.size()) {
    number = static_cast<size_t>(std::ranges::find(choices, given) - choices.begin());
  }
  if (number < choices.size()) return number;
  if (!record.has(keys.answer)) record.text(keys.answer);  // says which keys there are
  throw Error({.what = fmt::format("'{}' names none of the options", keys.answer),
               .where = record.where(),
               .expected = fmt::format("a number from 0 to {}, a letter, or an option's text",
                                       choices.size() - 1),
               .found = given});
}

Question read_question(const data::Record& record, const Keys& keys) {
  const std::vector<std::string> choices = record.texts(keys.choices).texts;
  if (choices.size() < 2 || choices.size() > kMaxOptions) {
    throw Error({.what = fmt::format("'{}' has {} options", keys.choices, choices.size()),
                 .where = record.where(),
                 .expected = fmt::format("2 to {}", kMaxOptions)});
  }
  Question question{.answer = answer_of(record, keys, choices)};
  const std::string text = record.text(keys.question);
  if (!keys.letters) {
    question.prompt = fmt::format("Question: {}\nAnswer:", text);
    question.options = choices;
    return question;
  }
  question.prompt = text;
  for (size_t i = 0; i < choices.size(); ++i) {
    question.prompt += fmt::format("\n{}. {}", letter(i), choices[i]);
    question.options.push_back(letter(i));
  }
  question.prompt += "\nAnswer:";
  return question;
}

// What stands before every question: solved ones.
std::string solved_questions(const Parameter& args, const Keys& keys, const DataContext& context) {
  const Parameter* few_shot = args.find_set("few_shot_dataset_hf_args");
  if (few_shot == nullptr) return "";
  std::string text;
  for (const data::Record& record : read_data_file(find_data_file(*few_shot, context.locations))) {
    const Question question = read_question(record, keys);
    text += fmt::format("{} {}\n\n", question.prompt, question.options[question.answer]);
  }
  return text;
}

std::string subject_line(const data::Record& record, const Keys& keys) {
  if (keys.subject.empty()) return "";
  return fmt::format("The following are multiple choice questions (with answers) about {}.\n\n",
                     text::replace_all(record.text(keys.subject), "_", " "));
}

}  // namespace

PreparedData prepare_multiple_choice(const Parameter& args, const DataContext& context) {
  const Keys keys = read_keys(args);
  const std::string solved = solved_questions(args, keys, context);
  const DataFile file = find_data_file(args.at("hf_args"), context.locations);
  PreparedData data{.title = fmt::format("{}, {}", file.path.string(), keys.question)};
  std::vector<data::Record> parts;  // one per option
  std::vector<std::pair<size_t, size_t>> locations;
  std::vector<std::optional<std::string>> groups;  // one per question, where a key is wanted
  for (const data::Record& record : read_data_file(file)) {
    const Question question = read_question(record, keys);
    if (!context.cluster_key.empty()) groups.push_back(record.label(context.cluster_key));
    const std::string prompt = subject_line(record, keys) + solved + question.prompt;
    std::vector<int64_t>& bytes = data.option_bytes.emplace_back();
    for (size_t i = 0; i < question.options.size(); ++i) {
      parts.push_back(data::Record::from_columns(
          {{"prompt", prompt}, {"text", question.options[i]}}, record.where()));
      bytes.push_back(static_cast<int64_t>(question.options[i].size()));
      locations.emplace_back(data.answers.size(), i);
    }
    data.answers.push_back(static_cast<int64_t>(question.answer));
  }
  data::Examples made =
      data::completion_examples(parts,
                                {.prefix_key = "prompt",
                                 .text_key = "text",
                                 .insert_space = true,
                                 .max_length = std::numeric_limits<int32_t>::max(),
                                 .threads = context.threads},
                                context.tokenizer);
  data.examples = std::move(made.examples);
  if (made.without_labels > 0) {
    data.notes.push_back(
        fmt::format("{}: {} of {} options have no token of their own and are never chosen",
                    data.title, made.without_labels, data.examples.size()));
  }
  for (size_t i = 0; i < data.examples.size(); ++i) {
    data.examples[i].index = std::to_string(locations[i].first);
    data.examples[i].alternative = static_cast<int64_t>(locations[i].second);
    if (groups.empty() || !groups[locations[i].first]) continue;
    data.examples[i].groups[context.cluster_key] = *groups[locations[i].first];
  }
  return data;
}

}  // namespace palimpsest::eval
