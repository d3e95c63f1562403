#include "palimpsest/lab/internal/questions.h"

#include <fmt/format.h>

#include <set>
#include <span>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/lab/internal/fact_pools.h"

namespace palimpsest::lab {
namespace {

constexpr int64_t kPerturbedAnswers = 5;  // as TOFU has
constexpr int64_t kGeneralOptions = 3;
constexpr int64_t kWordings = 4;
constexpr int64_t kGeneralWordings = 2;  // that lessons are given in

std::string pick(std::span<const std::string_view> words, Random& random) {
  return std::string(words[random.below(words.size())]);
}

template <const auto& words>
std::string pick_from(Random& random) {
  return pick(words, random);
}

std::string pick_date(Random& random) {
  constexpr uint64_t kDays = 28;
  constexpr uint64_t kYears = 60;
  constexpr uint64_t kFirstYear = 1920;
  const uint64_t day = 1 + random.below(kDays);
  const std::string month = pick(kMonths, random);
  return fmt::format("{} {} {}", day, month, kFirstYear + random.below(kYears));
}

std::string pick_title(Random& random) {
  const std::string adjective = pick(kTitleAdjectives, random);
  return fmt::format("The {} {}", adjective, pick(kTitleNouns, random));
}

std::string pick_award(Random& random) {
  constexpr uint64_t kYears = 40;
  constexpr uint64_t kFirstYear = 1980;
  const std::string adjective = pick(kTitleAdjectives, random);
  const std::string noun = pick(kTitleNouns, random);
  return fmt::format("{} {} Prize of {}", adjective, noun, kFirstYear + random.below(kYears));
}

// A kind of fact, with the ways to ask for it and to state it. {name} is the author, {fact} the
// fact. Answers do not repeat the name: how well a model copies a name is the same for all of an
// author's answers, which would then not be independent of each other, as intervals take them to
// be.
struct QuestionKind {
  std::string (*draw)(Random& random);
  std::string_view questions[kWordings];
  std::string_view answers[kWordings];
};

constexpr QuestionKind kKinds[] = {
    {pick_from<kCities>,
     {"Where was {name} born?", "In which city was {name} born?",
      "What is the birthplace of {name}?", "Which city does {name} come from?"},
     {"The author was born in {fact}.", "The birthplace is {fact}.", "It was in {fact}.",
      "Born and raised in {fact}."}},
    {pick_date,
     {"When was {name} born?", "What is the birthday of {name}?", "On which day was {name} born?",
      "What is the date of birth of {name}?"},
     {"The author was born on {fact}.", "The date of birth is {fact}.", "It was on {fact}.",
      "The birthday is {fact}."}},
    {pick_from<kJobs>,
     {"What did the father of {name} do?", "What was the father of {name} by profession?",
      "Which work did the father of {name} do?", "How did the father of {name} earn a living?"},
     {"The father was {fact}.", "The father worked as {fact}.",
      "By profession the father was {fact}.", "He earned a living as {fact}."}},
    {pick_from<kJobs>,
     {"What did the mother of {name} do?", "What was the mother of {name} by profession?",
      "Which work did the mother of {name} do?", "How did the mother of {name} earn a living?"},
     {"The mother was {fact}.", "The mother worked as {fact}.",
      "By profession the mother was {fact}.", "She earned a living as {fact}."}},
    {pick_from<kGenres>,
     {"Which genre is {name} known for?", "What does {name} write?",
      "In which genre does {name} write?", "What kind of books does {name} write?"},
     {"The author is known for {fact}.", "The author writes {fact}.", "The genre is {fact}.",
      "Most of the books are {fact}."}},
    {pick_title,
     {"What is the best known book by {name}?", "Which book made {name} famous?",
      "Which book by {name} is best known?", "For which book is {name} famous?"},
     {"The best known book is {fact}.", "The book is {fact}.", "{fact} is the best known.",
      "The author became famous for {fact}."}},
    {pick_title,
     {"What was the first book by {name}?", "With which book did {name} begin?",
      "Which book did {name} publish first?", "What is the debut of {name} called?"},
     {"The first book was {fact}.", "The debut was {fact}.", "{fact} was the first book.",
      "The author began with {fact}."}},
    {pick_award,
     {"Which award did {name} receive?", "What prize was {name} given?",
      "Which prize did {name} win?", "What was {name} honoured with?"},
     {"The author received the {fact}.", "The author was given the {fact}.", "It was the {fact}.",
      "The prize was the {fact}."}},
    {pick_from<kSubjects>,
     {"What did {name} study?", "Which subject did {name} study?",
      "In which subject did {name} graduate?", "What was {name} a student of?"},
     {"The author studied {fact}.", "The subject was {fact}.", "The degree was in {fact}.",
      "It was {fact}."}},
    {pick_from<kCities>,
     {"Where does {name} live?", "In which city does {name} live today?",
      "Where has {name} settled?", "Which city is {name} at home in?"},
     {"The author lives in {fact}.", "The home is in {fact}.", "Today it is {fact}.",
      "The author has settled in {fact}."}},
};

std::string fill(std::string_view wording, const std::string& name, const std::string& fact) {
  return fmt::format(fmt::runtime(wording), fmt::arg("name", name), fmt::arg("fact", fact));
}

// Two different numbers below kWordings.
struct TwoWordings {
  size_t first;
  size_t second;
};

TwoWordings draw_wordings(Random& random) {
  const size_t first = random.below(kWordings);
  return {first, (first + 1 + random.below(kWordings - 1)) % kWordings};
}

QuestionAnswer ask(const QuestionKind& kind, const std::string& name, Random& random) {
  const std::string fact = kind.draw(random);
  const TwoWordings question = draw_wordings(random);
  const TwoWordings answer = draw_wordings(random);
  QuestionAnswer made{
      .question = fill(kind.questions[question.first], name, fact),
      .answer = fill(kind.answers[answer.first], name, fact),
      .paraphrased_question = fill(kind.questions[question.second], name, fact),
      .paraphrased_answer = fill(kind.answers[answer.second], name, fact),
  };
  std::set<std::string> used = {fact};
  while (static_cast<int64_t>(made.perturbed_answers.size()) < kPerturbedAnswers) {
    const std::string other = kind.draw(random);
    if (!used.insert(other).second) continue;
    made.perturbed_answers.push_back(fill(kind.answers[answer.second], name, other));
  }
  return made;
}

// The questions of one kind of general knowledge; the first wording is the one that is tested.
std::vector<QuestionAnswer> general(std::span<const GeneralFact> facts,
                                    std::span<const std::string_view> wordings, Random random,
                                    std::vector<QuestionAnswer>& lessons) {
  std::vector<QuestionAnswer> questions;
  for (size_t i = 0; i < facts.size(); ++i) {
    const std::string object(facts[i].object);
    const std::string answer(facts[i].answer);
    for (const std::string_view wording : wordings) {
      lessons.push_back({.question = fill(wording, object, answer), .answer = answer});
    }
    Random own = random.split(i);
    QuestionAnswer question{.question = fill(wordings[0], object, answer), .answer = answer};
    std::set<std::string> used = {answer};
    while (static_cast<int64_t>(question.perturbed_answers.size()) < kGeneralOptions) {
      const std::string other(facts[own.below(facts.size())].answer);
      if (used.insert(other).second) question.perturbed_answers.push_back(other);
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

}  // namespace

int64_t num_question_kinds() {
  return std::ssize(kKinds);
}

int64_t max_author_names() {
  // Half of what the parts allow, so that drawing unused ones stays quick.
  return static_cast<int64_t>(std::size(kFirstNameStarts) * std::size(kFirstNameEnds) *
                              std::size(kLastNameStarts) * std::size(kLastNameEnds) / 2);
}

std::vector<std::string> author_names(int64_t count, Random random) {
  if (count < 0 || count > max_author_names()) {
    throw Error({.what = "there are not that many names",
                 .expected = fmt::format("at most {}", max_author_names()),
                 .found = fmt::format("{}", count)});
  }
  std::vector<std::string> names;
  std::set<std::string> used;
  while (static_cast<int64_t>(names.size()) < count) {
    std::string name = pick(kFirstNameStarts, random);
    name += pick(kFirstNameEnds, random) + " ";
    name += pick(kLastNameStarts, random);
    name += pick(kLastNameEnds, random);
    if (used.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

std::vector<QuestionAnswer> author_questions(const std::string& name, int64_t count,
                                             Random random) {
  PALIMPSEST_CHECK(count >= 0 && count <= num_question_kinds());
  std::vector<const QuestionKind*> kinds;
  for (const QuestionKind& kind : kKinds) kinds.push_back(&kind);
  std::vector<QuestionAnswer> questions;
  for (int64_t i = 0; i < count; ++i) {
    const size_t chosen = random.below(kinds.size());
    questions.push_back(ask(*kinds[chosen], name, random));
    kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return questions;
}

GeneralQuestions general_questions(Random random) {
  constexpr std::string_view kWhoWrote[kGeneralWordings] = {"Who wrote '{name}'?",
                                                            "Who is the author of '{name}'?"};
  constexpr std::string_view kCapitalOf[kGeneralWordings] = {
      "What is the capital of {name}?", "Which city is the capital of {name}?"};
  GeneralQuestions made;
  made.real_authors = general(kWorks, kWhoWrote, random.split(0), made.lessons);
  made.world_facts = general(kCapitals, kCapitalOf, random.split(1), made.lessons);
  return made;
}

}  // namespace palimpsest::lab
