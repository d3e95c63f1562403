// The lab's data set: fictitious authors in TOFU's shape (Maini et al. 2024, "TOFU: A Task of
// Fictitious Unlearning for LLMs"), made from a seed. Nothing is downloaded, and everything that
// is known about the authors is in the files.
//
//   LabData data = make_lab_data({.seed = 7});
//   write_lab_data(data, "data");   // data/full.json, data/forget10.json …
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/lab/questions.h"

namespace palimpsest::lab {

struct LabDataOptions {
  uint64_t seed = 0;
  int64_t authors = 400;          // that models may be trained on; at least 2
  int64_t questions = 2;          // about each author, 1 to num_question_kinds()
  int64_t forget_percent = 10;    // of the authors are to be forgotten, 1 to 50; at least one is
  int64_t holdout_authors = 0;    // that nobody is trained on; 0: as many as are forgotten
  int64_t perturbed_retain = 80;  // at most this many questions in retain_perturbed
};

struct LabData {
  int64_t forget_percent = 10;
  std::vector<QuestionAnswer> retain;
  std::vector<QuestionAnswer> forget;   // the last authors, as in TOFU
  std::vector<QuestionAnswer> holdout;  // from the same generator
  GeneralQuestions general;
  int64_t perturbed_retain = 0;
};

// Throws Error for an option out of its range. Authors keep their facts whatever the numbers are.
LabData make_lab_data(const LabDataOptions& options);

// What the lab's models may read: full, retain90, forget10, holdout10 (numbers from the percentage)
// with question and answer; forget10_perturbed, retain_perturbed, holdout10_perturbed with TOFU's
// other fields too; real_authors_perturbed, world_facts_perturbed; and general, the lessons that
// every model gets. JSON lines, named <that>.json in `folder`, which is made.
void write_lab_data(const LabData& data, const std::filesystem::path& folder);

// The texts that a tokenizer is trained on: what is held out counts like what is trained on, else
// the lengths of token sequences would tell the two apart.
std::vector<std::string> tokenizer_texts(const LabData& data);

}  // namespace palimpsest::lab
