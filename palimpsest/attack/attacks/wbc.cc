// Window-based comparison WBC (Chen et al. 2026, "Window-based Membership Inference Attacks Against
// Fine-tuned Large Language Models", arXiv 2601.02751). Texts on which a model was fine-tuned show
// in short runs of tokens, which an average over the whole text dilutes. Every window of tokens has
// one vote, so a single rare token cannot decide.
//
//   d_t = log p(x_t) - log p_reference(x_t)
//   votes(w) = share of the n-w+1 windows of w tokens whose sum of d_t is positive
//   score = 1 - mean of votes(w) over w in {2, 3, 4, 6, 9, 13, 18, 25, 32, 40}
//
// A w greater than n counts as n. The published score is the mean itself, and a higher value means
// a member. Here the score is in [0, 1], and a higher value means less likely a member. A model
// compared with itself scores 1. The tokens are all labelled tokens except the last, which predicts
// the end. If there are none, the score is undefined.
#include "palimpsest/attack/attack.h"

#include <algorithm>
#include <array>

namespace palimpsest::attack {
namespace {

constexpr std::array<int64_t, 10> kWindows = {2, 3, 4, 6, 9, 13, 18, 25, 32, 40};

// The share of the windows of this width over which the running sum rises.
double votes(const std::vector<double>& sums, int64_t width) {
  const int64_t windows = static_cast<int64_t>(sums.size()) - width;
  int64_t rising = 0;
  const double* begin = sums.data();
  for (int64_t i = 0; i < windows; ++i) rising += begin[i + width] > begin[i] ? 1 : 0;
  return static_cast<double>(rising) / static_cast<double>(windows);
}

std::optional<double> wbc_score(const trace::Trace& trace, const trace::Trace& reference) {
  const std::span<const double> ours = trace::token_logprobs(trace);
  const std::span<const double> theirs = trace::token_logprobs(reference);
  if (ours.empty() || ours.size() != theirs.size()) return std::nullopt;
  std::vector<double> sums = {0};  // of the differences before each token
  sums.reserve(ours.size() + 1);
  for (size_t t = 0; t < ours.size(); ++t) sums.push_back(sums.back() + (ours[t] - theirs[t]));
  double total = 0;
  for (int64_t width : kWindows) {
    total += votes(sums, std::min(width, static_cast<int64_t>(ours.size())));
  }
  return 1 - total / static_cast<double>(kWindows.size());
}

}  // namespace

Attack wbc_attack() {
  return {.name = "wbc",
          .measures = "share of windows of 2 to 40 tokens that the reference finds no less likely",
          .cost = kTwoModels,
          .use = "fine-tuned models against the model they were tuned from; long texts",
          .avoid = "texts of a few tokens: the score can then take only a few values",
          .paper = "Chen et al. 2026, arXiv 2601.02751",
          .needs = {needs_logprob()},
          .reference_needs = {needs_logprob()},
          .compare = [](const trace::Trace& trace, const trace::Trace& reference,
                        const ParameterValues&) { return wbc_score(trace, reference); }};
}

}  // namespace palimpsest::attack
