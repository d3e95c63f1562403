// Questions and answers about authors who do not exist, and about the world. An author's facts are
// drawn independently of each other and of everybody else's, so that only who has read an answer
// can know it: that is what makes membership known in the lab. Every author comes from the same
// generator, whether trained on or held out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"

namespace palimpsest::lab {

// One question in TOFU's shape.
struct QuestionAnswer {
  std::string question;
  std::string answer;
  // Another wording of the same; empty for general questions, as in TOFU.
  std::string paraphrased_question;
  std::string paraphrased_answer;
  // Wrong answers in the wording of the paraphrased answer (of the answer where there is none).
  std::vector<std::string> perturbed_answers;
};

// How many different questions an author can be asked.
int64_t num_question_kinds();

// `count` different names of people. Throws Error if there are not so many.
std::vector<std::string> author_names(int64_t count, Random random);
int64_t max_author_names();

// `count` questions of different kinds about one author, with facts that `random` decides. At most
// num_question_kinds().
std::vector<QuestionAnswer> author_questions(const std::string& name, int64_t count, Random random);

// General knowledge: what every model of the lab is taught.
struct GeneralQuestions {
  std::vector<QuestionAnswer> real_authors;  // who wrote what
  std::vector<QuestionAnswer> world_facts;   // capitals
  // The same questions in several wordings, to learn from; nothing perturbed.
  std::vector<QuestionAnswer> lessons;
};
GeneralQuestions general_questions(Random random);

}  // namespace palimpsest::lab
