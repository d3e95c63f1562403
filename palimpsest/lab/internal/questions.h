// Questions and answers about authors who do not exist, and about the world. The facts about an
// author are drawn independently of each other and of the facts about all other authors. So only a
// model that was trained on an answer can know it. This is why membership is known for certain in
// the lab. All authors come from the same generator, those in the training data and those held out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/lab/lab_data.h"

namespace palimpsest::lab {

// The number of different kinds of questions about an author.
int64_t num_question_kinds();

// Returns `count` different names of people. Throws Error if `count` exceeds max_author_names().
std::vector<std::string> author_names(int64_t count, Random random);
int64_t max_author_names();

// Returns `count` questions of different kinds about one author, with facts drawn from `random`.
// `count` must be at most num_question_kinds().
std::vector<QuestionAnswer> author_questions(const std::string& name, int64_t count, Random random);

GeneralQuestions general_questions(Random random);

}  // namespace palimpsest::lab
