// Makes a model forget. Like training.h, this is for experiments and tests. As there, the same
// input gives the same bytes, a finished folder is not made again, and bad input throws Error
// before anything is written.
//
// Every step takes a batch of forget examples. If the method has a retain term, the step also takes
// the same number of retain examples. L_f and L_r are the mean negative log-probabilities of a
// labelled token in the two batches. π is the model, and π₀ is the model before unlearning. x is
// the prompt, y is the answer, |y| is the number of its tokens, and σ is the logistic function. The
// methods minimise these losses:
//
//   grad_ascent  -γ L_f                                 Thudi et al. 2022; Maini et al. 2024 (TOFU)
//   grad_diff    -γ L_f + α L_r                         Liu, Liu and Stone 2022
//   kl           -γ L_f + α KL(π₀ ‖ π) on the retain batch  Maini et al. 2024 (TOFU)
//   npo          -γ (2/β) mean log σ(-β log(π(y|x)/π₀(y|x))) + α L_r           Zhang et al. 2024
//   simnpo       -γ (2/β) mean log σ(-(β/|y|) log π(y|x) - δ) + α L_r          Fan et al. 2024
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "palimpsest/base/progress.h"
#include "palimpsest/lab/training.h"

namespace palimpsest::lab {

enum class UnlearnMethod { kGradAscent, kGradDiff, kKl, kNpo, kSimNpo };

// One row of the table of methods.
struct UnlearnMethodInfo {
  UnlearnMethod method;
  std::string_view name;
  std::string_view meaning;
  bool retains;          // whether it has a retain term
  double retain_weight;  // the usual weight α of that term
};
const std::vector<UnlearnMethodInfo>& unlearn_methods();

// The method with this name. Throws Error for an unknown name; the message lists the known ones.
const UnlearnMethodInfo& unlearn_method(std::string_view name);

struct UnlearnOptions {
  std::filesystem::path model;                // a checkpoint of any supported family
  std::vector<std::filesystem::path> forget;  // question and answer files
  std::vector<std::filesystem::path> retain;  // needed if the method retains
  std::filesystem::path out;
  UnlearnMethod method = UnlearnMethod::kNpo;
  double gamma = 1;                  // γ, the weight of forgetting
  std::optional<double> alpha = {};  // α, the weight of retaining; if absent: retain_weight
  double beta = 0.1;                 // β, the inverse temperature of npo and simnpo
  double delta = 0;                  // δ, the margin of the reward in simnpo
  AdamWOptions optimizer = {.learning_rate = 5e-4, .weight_decay = 0.01};
  int64_t epochs = 5;          // over the forget examples
  int64_t batch_size = 16;     // forget examples per step, and as many retain examples
  int64_t micro_batch = 4096;  // tokens in a micro-batch, as in TrainOptions
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // as in TrainOptions
};

struct UnlearnResult {
  bool reused = false;
  int64_t steps = 0;
  double forget_loss = 0;  // L_f of the last epoch
  double retain_loss = 0;  // L_r or KL of the last epoch; 0 without a retain term
};

UnlearnResult unlearn_model(const UnlearnOptions& options);

}  // namespace palimpsest::lab
