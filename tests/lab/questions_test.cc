#include "palimpsest/lab/internal/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "palimpsest/lab/internal/fact_pools.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

TEST(QuestionsTest, NamesDifferAndRepeat) {
  const std::vector<std::string> names = author_names(500, Random(1));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 500U);
  EXPECT_EQ(author_names(500, Random(1)), names);
  EXPECT_NE(author_names(500, Random(2)), names);
}

TEST(QuestionsTest, ThereAreOnlySoManyNames) {
  expect_contains(error_of([] { author_names(max_author_names() + 1, Random(0)); }),
                  "not that many names");
}

TEST(QuestionsTest, AQuestionHasEverythingThatTofuHas) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::set<std::string> questions;
    for (const QuestionAnswer& q :
         author_questions("Ada Oakley", num_question_kinds(), Random(seed))) {
      EXPECT_NE(q.question.find("Ada Oakley"), std::string::npos) << q.question;
      EXPECT_EQ(q.answer.find("Ada"), std::string::npos) << q.answer;
      EXPECT_NE(q.question, q.paraphrased_question);
      EXPECT_NE(q.answer, q.paraphrased_answer);
      EXPECT_EQ(q.answer.find('{'), std::string::npos) << q.answer;
      std::set<std::string> wrong(q.perturbed_answers.begin(), q.perturbed_answers.end());
      EXPECT_EQ(wrong.size(), 5U);
      EXPECT_FALSE(wrong.contains(q.paraphrased_answer));
      questions.insert(q.question);
    }
    EXPECT_EQ(static_cast<int64_t>(questions.size()), num_question_kinds());
  }
}

TEST(QuestionsTest, FactsCannotBeGuessed) {
  // Each author's birthplace is drawn anew: no city has more than a few times its share.
  std::map<std::string, int> counts;
  int total = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    for (const QuestionAnswer& q : author_questions("X", num_question_kinds(), Random(seed))) {
      if (!q.answer.starts_with("The birthplace is ")) continue;
      ++counts[q.answer];
      ++total;
    }
  }
  EXPECT_EQ(counts.size(), std::size(kCities));
  for (const auto& [answer, count] : counts) {
    EXPECT_LT(count, 4 * total / static_cast<int>(std::size(kCities))) << answer;
  }
}

TEST(QuestionsTest, GeneralQuestionsAreTaughtAsTheyAreAsked) {
  const GeneralQuestions general = general_questions(Random(3));
  std::set<std::string> lessons;
  for (const QuestionAnswer& lesson : general.lessons)
    lessons.insert(lesson.question + lesson.answer);
  for (const auto* part : {&general.real_authors, &general.world_facts}) {
    EXPECT_GE(part->size(), 30U);
    for (const QuestionAnswer& q : *part) {
      EXPECT_TRUE(lessons.contains(q.question + q.answer)) << q.question;
      EXPECT_EQ(q.perturbed_answers.size(), 3U);
      EXPECT_EQ(std::ranges::count(q.perturbed_answers, q.answer), 0);
    }
  }
}

}  // namespace
}  // namespace palimpsest::lab
