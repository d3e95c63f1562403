// The data set of the lab, the module that makes small models for experiments and tests: questions
// about fictitious authors, in the format of TOFU (Maini et al. 2024, "TOFU: A Task of Fictitious
// Unlearning for LLMs"). It is generated from a seed. Nothing is downloaded, and the files hold
// everything that is known about the authors.
//
//   LabData data = make_lab_data({.seed = 7});
//   write_lab_data(data, "data");   // data/full.json, data/forget10.json …
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace palimpsest::lab {

// One question in the format of TOFU.
struct QuestionAnswer {
  std::string question;
  std::string answer;
  // The question and the answer in other words. Empty for general questions, as in TOFU.
  std::string paraphrased_question;
  std::string paraphrased_answer;
  // Wrong answers, worded like the paraphrased answer, or like the answer if that is empty.
  std::vector<std::string> perturbed_answers;
};

// Questions of general knowledge, which every model of the lab is taught.
struct GeneralQuestions {
  std::vector<QuestionAnswer> real_authors;  // who wrote what
  std::vector<QuestionAnswer> world_facts;   // capitals
  // The same questions in several wordings, for training. They have no wrong answers.
  std::vector<QuestionAnswer> lessons;
};

struct LabDataOptions {
  uint64_t seed = 0;
  int64_t authors = 400;          // number of authors that models may be trained on; at least 2
  int64_t questions = 2;          // number of questions per author, 1 to 10
  int64_t forget_percent = 10;    // percentage of `authors` to forget, 1 to 50; at least one author
  int64_t holdout_authors = 0;    // authors that no model is trained on; 0: as many as to forget
  int64_t perturbed_retain = 80;  // largest number of questions in retain_perturbed
};

struct LabData {
  int64_t forget_percent = 10;
  std::vector<QuestionAnswer> retain;
  std::vector<QuestionAnswer> forget;   // the last authors, as in TOFU
  std::vector<QuestionAnswer> holdout;  // from the same generator
  GeneralQuestions general;
  int64_t perturbed_retain = 0;
};

// Throws Error if an option is out of range. The facts about an author depend on the seed and on
// the author's position alone, not on how many authors there are in each part.
LabData make_lab_data(const LabDataOptions& options);

// Writes the files of the data set into `folder`, which is created if necessary. Throws Error, and
// writes nothing, if another file that the lab did not write has one of their names. The file
// NAME.json has one JSON object per line. The numbers in the names follow from the percentage to
// forget:
//
//   full, retain90, forget10, holdout10         question and answer
//   forget10_perturbed, retain_perturbed, holdout10_perturbed
//                                               TOFU's other fields too
//   real_authors_perturbed, world_facts_perturbed
//                                               general questions with wrong answers
//   general                                     the lessons that every model is taught
void write_lab_data(const LabData& data, const std::filesystem::path& folder);

// The texts that a tokenizer is trained on. Held-out texts are included, because otherwise the
// number of tokens would distinguish them from the texts that models are trained on.
std::vector<std::string> tokenizer_texts(const LabData& data);

}  // namespace palimpsest::lab
