#include "palimpsest/lab/lab_data.h"

#include <gtest/gtest.h>

#include <set>

#include "palimpsest/data/internal/record_reader.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {
namespace {

std::set<std::string> questions_of(const std::vector<QuestionAnswer>& part) {
  std::set<std::string> questions;
  for (const QuestionAnswer& q : part) questions.insert(q.question);
  return questions;
}

TEST(LabDataTest, PartsAreDisjointAndOfTheSizesAskedFor) {
  const LabData data = make_lab_data({.seed = 5, .authors = 40, .questions = 3});
  EXPECT_EQ(data.retain.size(), 36U * 3);
  EXPECT_EQ(data.forget.size(), 4U * 3);
  EXPECT_EQ(data.holdout.size(), 4U * 3);
  std::set<std::string> all;
  for (const auto* part : {&data.retain, &data.forget, &data.holdout}) {
    all.merge(questions_of(*part));
  }
  EXPECT_EQ(all.size(), 44U * 3);
}

TEST(LabDataTest, TheSeedDecidesEverything) {
  const LabDataOptions options{.seed = 5, .authors = 10};
  EXPECT_EQ(tokenizer_texts(make_lab_data(options)), tokenizer_texts(make_lab_data(options)));
  EXPECT_NE(questions_of(make_lab_data(options).forget),
            questions_of(make_lab_data({.seed = 6, .authors = 10}).forget));
}

TEST(LabDataTest, MoreHeldOutAuthorsChangeNothingElse) {
  const LabData few = make_lab_data({.seed = 5, .authors = 20});
  const LabData many = make_lab_data({.seed = 5, .authors = 20, .holdout_authors = 9});
  EXPECT_EQ(questions_of(few.forget), questions_of(many.forget));
  EXPECT_EQ(many.holdout.size(), 9U * 2);
  EXPECT_EQ(many.holdout[0].answer, few.holdout[0].answer);
}

TEST(LabDataTest, FilesHaveTofusNamesAndFields) {
  const TempFolder folder;
  const LabData data =
      make_lab_data({.authors = 100, .questions = 4, .forget_percent = 5, .perturbed_retain = 7});
  write_lab_data(data, folder.path() / "data");
  const auto read = [&](const std::string& name) {
    return data::read_records(folder.path() / "data" / (name + ".json"));
  };
  using Keys = std::vector<std::string>;
  const Keys plain = {"question", "answer"};
  const Keys perturbed = {"question", "answer", "paraphrased_answer", "perturbed_answer",
                          "paraphrased_question"};
  const Keys general = {"question", "answer", "perturbed_answer"};
  EXPECT_EQ(read("full").size(), 400U);
  EXPECT_EQ(read("retain95").size(), 380U);
  EXPECT_EQ(read("retain_perturbed").size(), 7U);
  for (const char* name : {"full", "retain95", "forget05", "holdout05", "general"}) {
    EXPECT_EQ(read(name)[0].keys(), plain) << name;
  }
  for (const char* name : {"forget05_perturbed", "retain_perturbed", "holdout05_perturbed"}) {
    EXPECT_EQ(read(name)[0].keys(), perturbed) << name;
  }
  for (const char* name : {"real_authors_perturbed", "world_facts_perturbed"}) {
    EXPECT_EQ(read(name)[0].keys(), general) << name;
  }
  EXPECT_EQ(read("forget05")[3].text("answer"), data.forget[3].answer);
  EXPECT_EQ(read("forget05_perturbed")[3].texts("perturbed_answer").texts,
            data.forget[3].perturbed_answers);
}

TEST(LabDataTest, RefusesWhatCannotBe) {
  expect_contains(error_of([] { make_lab_data({.authors = 1}); }), "authors is out of range");
  expect_contains(error_of([] { make_lab_data({.questions = 11}); }), "1 to 10");
  expect_contains(error_of([] { make_lab_data({.forget_percent = 0}); }), "percentage to forget");
  expect_contains(error_of([] { make_lab_data({.holdout_authors = -1}); }), "held out");
  expect_contains(error_of([] { make_lab_data({.perturbed_retain = 0}); }), "retain_perturbed");
}

}  // namespace
}  // namespace palimpsest::lab
