#include "palimpsest/lab/lab_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/lab/internal/own_files.h"
#include "palimpsest/lab/internal/questions.h"
#include "palimpsest/lab/internal/ranges.h"

namespace palimpsest::lab {
namespace {

using Questions = std::vector<QuestionAnswer>;

// The seed's independent uses.
enum Stream : uint64_t { kNames, kFacts, kGeneral };

enum class Fields { kQuestionAnswer, kAll };

std::string lines_of(const Questions& questions, Fields fields) {
  std::string lines;
  for (const QuestionAnswer& question : questions) {
    Json line = {{"question", question.question}, {"answer", question.answer}};
    if (fields == Fields::kAll) {
      if (!question.paraphrased_answer.empty()) {
        line["paraphrased_answer"] = question.paraphrased_answer;
      }
      line["perturbed_answer"] = question.perturbed_answers;
      if (!question.paraphrased_question.empty()) {
        line["paraphrased_question"] = question.paraphrased_question;
      }
    }
    lines += to_line(line) + "\n";
  }
  return lines;
}

// `count` of the questions, evenly spread over all of them.
Questions spread(const Questions& questions, int64_t count) {
  const auto total = std::ssize(questions);
  const int64_t kept = std::min(count, total);
  Questions chosen;
  for (int64_t i = 0; i < kept; ++i)
    chosen.push_back(questions[static_cast<size_t>(i * total / kept)]);
  return chosen;
}

}  // namespace

LabData make_lab_data(const LabDataOptions& options) {
  constexpr int64_t kMaxAuthors = 100'000;
  require_between<int64_t>("the number of authors", options.authors, 2, kMaxAuthors);
  require_between<int64_t>("the number of questions about an author", options.questions, 1,
                           num_question_kinds());
  require_between<int64_t>("the percentage to forget", options.forget_percent, 1, 50);
  require_between<int64_t>("the number of authors held out", options.holdout_authors, 0,
                           max_author_names() - kMaxAuthors);
  require_between<int64_t>("the number of questions in retain_perturbed", options.perturbed_retain,
                           1, kMaxAuthors * num_question_kinds());
  const int64_t forgotten = std::max<int64_t>(1, options.authors * options.forget_percent / 100);
  const int64_t held_out = options.holdout_authors > 0 ? options.holdout_authors : forgotten;

  const Random random(options.seed);
  const std::vector<std::string> names =
      author_names(options.authors + held_out, random.split(kNames));
  const Random facts = random.split(kFacts);
  LabData data{.forget_percent = options.forget_percent,
               .general = general_questions(random.split(kGeneral)),
               .perturbed_retain = options.perturbed_retain};
  for (int64_t i = 0; i < std::ssize(names); ++i) {
    Questions& part = i >= options.authors               ? data.holdout
                      : i >= options.authors - forgotten ? data.forget
                                                         : data.retain;
    std::ranges::move(author_questions(names[static_cast<size_t>(i)], options.questions,
                                       facts.split(static_cast<uint64_t>(i))),
                      std::back_inserter(part));
  }
  return data;
}

void write_lab_data(const LabData& data, const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  const auto add = [&](const std::string& name, std::string lines) {
    files[name + ".json"] = std::move(lines);
  };
  const auto numbered = [](const char* name, int64_t percent) {
    return fmt::format("{}{:02}", name, percent);
  };
  const std::string forget = numbered("forget", data.forget_percent);
  const std::string retain = numbered("retain", 100 - data.forget_percent);
  const std::string holdout = numbered("holdout", data.forget_percent);
  const std::string retain_lines = lines_of(data.retain, Fields::kQuestionAnswer);
  const std::string forget_lines = lines_of(data.forget, Fields::kQuestionAnswer);
  add("full", retain_lines + forget_lines);
  add(retain, retain_lines);
  add(forget, forget_lines);
  add(holdout, lines_of(data.holdout, Fields::kQuestionAnswer));
  add(forget + "_perturbed", lines_of(data.forget, Fields::kAll));
  add(holdout + "_perturbed", lines_of(data.holdout, Fields::kAll));
  add("retain_perturbed", lines_of(spread(data.retain, data.perturbed_retain), Fields::kAll));
  add("real_authors_perturbed", lines_of(data.general.real_authors, Fields::kAll));
  add("world_facts_perturbed", lines_of(data.general.world_facts, Fields::kAll));
  add("general", lines_of(data.general.lessons, Fields::kQuestionAnswer));
  write_own_files(folder, files);
}

std::vector<std::string> tokenizer_texts(const LabData& data) {
  std::vector<std::string> texts;
  for (const Questions* part : {&data.retain, &data.forget, &data.holdout, &data.general.lessons}) {
    for (const QuestionAnswer& question : *part) {
      texts.push_back(question.question);
      texts.push_back(question.answer);
    }
  }
  return texts;
}

}  // namespace palimpsest::lab
