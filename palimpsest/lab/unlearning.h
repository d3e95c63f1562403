// Makes a model forget. For experiments and tests, like training.h; the same promises about
// repeating, finished folders and bad input.
//
// Every step takes a batch of what is to be forgotten and, where the method has a retain term, as
// many examples of what is to be kept. With L_f, L_r the mean negative log-probability of a
// labelled token of the two batches, π the model and π₀ the model before unlearning:
//
//   grad_ascent  -γ L_f                                    Thudi et al. 2022; Maini et al. 2024 (TOFU)
//   grad_diff    -γ L_f + α L_r                            Liu, Liu and Stone 2022
//   kl           -γ L_f + α KL(π₀ ‖ π) on the retain batch  Maini et al. 2024 (TOFU)
//   npo          -γ (2/β) mean log σ(-β log(π(y|x)/π₀(y|x))) + α L_r           Zhang et al. 2024
//   simnpo       -γ (2/β) mean log σ(-(β/|y|) log π(y|x) - δ) + α L_r          Fan et al. 2024
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/progress.h"
#include "palimpsest/lab/adamw.h"

namespace palimpsest::lab {

enum class UnlearnMethod { kGradAscent, kGradDiff, kKl, kNpo, kSimNpo };

// A line of the table of methods.
struct UnlearnMethodInfo {
  UnlearnMethod method;
  std::string_view name;
  std::string_view meaning;
  bool retains;          // whether it has a retain term
  double retain_weight;  // that is usual for it
};
const std::vector<UnlearnMethodInfo>& unlearn_methods();

// Throws Error for a name that is none, with those that are.
const UnlearnMethodInfo& unlearn_method(std::string_view name);

struct UnlearnOptions {
  std::filesystem::path model;                // a checkpoint of any supported family
  std::vector<std::filesystem::path> forget;  // question and answer files
  std::vector<std::filesystem::path> retain;  // needed if the method retains
  std::filesystem::path out;
  UnlearnMethod method = UnlearnMethod::kNpo;
  double gamma = 1;                  // weight of forgetting
  std::optional<double> alpha = {};  // weight of retaining; nothing: what is usual for the method
  double beta = 0.1;                 // npo, simnpo: inverse temperature
  double delta = 0;                  // simnpo: the margin of the reward
  AdamWOptions optimizer = {.learning_rate = 5e-4, .weight_decay = 0.01};
  int64_t epochs = 5;          // over the forget examples
  int64_t batch_size = 16;     // forget examples per step, and as many to retain
  int64_t micro_batch = 4096;  // tokens that run together
  uint64_t seed = 0;
  int threads = 0;  // 0: one for each core
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // as in TrainOptions
};

struct UnlearnResult {
  bool reused = false;
  int64_t steps = 0;
  double forget_loss = 0;  // L_f of the last epoch
  double retain_loss = 0;  // L_r, or KL; 0 without a retain term
};

UnlearnResult unlearn_model(const UnlearnOptions& options);

}  // namespace palimpsest::lab
