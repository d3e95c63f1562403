#include <limits>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/ez_mia.h"
#include "palimpsest/attack/gradnorm.h"
#include "palimpsest/attack/loss.h"
#include "palimpsest/attack/min_k.h"
#include "palimpsest/attack/min_k_plus_plus.h"
#include "palimpsest/attack/ratio.h"
#include "palimpsest/attack/reference.h"
#include "palimpsest/attack/surp.h"
#include "palimpsest/attack/wbc.h"
#include "palimpsest/attack/zlib.h"

namespace palimpsest {
namespace {

using Options = AttackOptions;

std::vector<double> tenths() {
  std::vector<double> values;
  for (int tenth = 1; tenth <= 10; ++tenth) values.push_back(tenth / 10.0);
  return values;
}

constexpr std::string_view kOnePass = "one forward pass an example; no memory of its own";
constexpr std::string_view kTwoModels =
    "one forward pass of each of two models, which need not be in memory together";

// The attacks that look at one model.
AttackTable plain_attacks() {
  const AttackParameter k = {"k", "share of the least likely tokens", &Options::k, tenths()};
  return {
      {.name = "loss",
       .measures = "average negative log-probability of the labelled tokens",
       .cost = kOnePass,
       .use = "always: the baseline that the others must beat",
       .avoid = "as the only one: misled by texts that are easy or hard for every model",
       .paper = "Yeom et al. 2018, arXiv 1709.01604",
       .needs = {kNeedsLoss},
       .score = loss_score},
      {.name = "min_k",
       .measures = "the same over the share k of the least likely tokens",
       .cost = kOnePass,
       .parameters = {k},
       .use = "longer texts, where a few rare words give membership away",
       .avoid = "texts below ten tokens: the share is then one or two of them",
       .paper = "Shi et al. 2024, arXiv 2310.16789",
       .needs = {kNeedsLogprob},
       .score = min_k_score},
      {.name = "min_k_plus_plus",
       .measures = "Min-K on log-probabilities standardised by the model's own distribution",
       .cost = kOnePass,
       .parameters = {k},
       .use = "usually the strongest without a reference model",
       .avoid = "services that return only log-probabilities of the given tokens",
       .paper = "Zhang et al. 2025, arXiv 2404.02936",
       .needs = {kNeedsLogprob, kNeedsMoments},
       .score = min_k_plus_plus_score},
      {.name = "zlib",
       .measures = "average loss over the compressed size of the text in bytes",
       .cost = "one forward pass an example; 0.3 MB a thread for the compressor",
       .use = "texts of very different complexity but like lengths",
       .avoid = "sets of different lengths: longer texts score lower whoever they are",
       .paper = "Carlini et al. 2021, arXiv 2012.07805",
       .needs = {kNeedsLoss, kNeedsText},
       .score = zlib_score},
      {.name = "surp",
       .measures = "average loss of the unlikely tokens where the model was sure of another",
       .cost = kOnePass,
       .parameters =
           {{"k", "share of the least likely tokens", &Options::surp_k, tenths()},
            {"entropy", "keep tokens below this entropy, in nats", &Options::surp_entropy, {}}},
       .use = "pretraining data in long texts",
       .avoid = "short texts: few tokens pass both bounds (none: the entropy is disregarded)",
       .paper = "Zhang and Wu 2024, arXiv 2407.21248",
       .needs = {kNeedsLogprob, kNeedsMean},
       .score = surp_score},
      {.name = "gradnorm",
       .measures = "size of the gradient that one more step on the example would have",
       .cost = "one forward and one backward pass an example; keeps activations in memory",
       .parameters = {{"p",
                       "which norm of each weight's gradient: 1, 2 or inf",
                       &Options::p,
                       {1, 2, std::numeric_limits<double>::infinity()}}},
       .use = "the weights are at hand and the model was trained to its end on the examples",
       .avoid = "services without weights; large models on few cores",
       .paper = "Wang et al. 2024, arXiv 2402.17012",
       .needs = {kNeedsGradNorm},
       .score = gradnorm_score},
  };
}

// The attacks that compare with a reference model.
AttackTable comparing_attacks() {
  return {
      {.name = "reference",
       .measures = "average loss minus that of a reference model",
       .cost = kTwoModels,
       .use = "a model of the same vocabulary that never saw the examples is at hand",
       .avoid = "a reference of another family or size, whose own habits then dominate",
       .paper = "Carlini et al. 2021, arXiv 2012.07805",
       .needs = {kNeedsLoss},
       .reference_needs = {kNeedsLoss},
       .compare = reference_score},
      {.name = "ratio",
       .measures = "average loss divided by that of a reference model",
       .cost = kTwoModels,
       .use = "as reference, where the texts' difficulty varies much",
       .avoid = "texts that the reference knows by heart: it divides by almost nothing",
       .paper = "Carlini et al. 2021, arXiv 2012.07805",
       .needs = {kNeedsLoss},
       .reference_needs = {kNeedsLoss},
       .compare = ratio_score},
      {.name = "wbc",
       .measures = "share of windows of 2 to 40 tokens that the reference finds no less likely",
       .cost = kTwoModels,
       .use = "fine-tuned models against the model they were tuned from; long texts",
       .avoid = "texts of a few tokens: the score then has only a few steps",
       .paper = "Chen et al. 2026, arXiv 2601.02751",
       .needs = {kNeedsLogprob},
       .reference_needs = {kNeedsLogprob},
       .compare = wbc_score},
      {.name = "ez_mia",
       .measures =
           "share of the shift against a reference, where the model errs, that is downwards",
       .cost = kTwoModels,
       .use = "fine-tuned models against the model they were tuned from",
       .avoid = "texts that the model predicts without an error: all of those score 0",
       .paper = "Ilić et al. 2026, arXiv 2601.12104",
       .needs = {kNeedsLogprob, kNeedsArgmax},
       .reference_needs = {kNeedsLogprob},
       .compare = ez_mia_score},
  };
}

}  // namespace

const TraceNeed kNeedsLoss = {"'avg_loss' or 'logprob'", [](const Trace& t, const Options&) {
                                return t.num_labels == 0 || avg_loss(t).has_value();
                              }};
const TraceNeed kNeedsLogprob = {"'logprob'", [](const Trace& t, const Options&) {
                                   return t.num_labels == 0 || t.logprob.has_value();
                                 }};
const TraceNeed kNeedsMean = {"'mean'", [](const Trace& t, const Options&) {
                                return t.num_labels == 0 || t.mean.has_value();
                              }};
const TraceNeed kNeedsMoments = {"'mean' and 'var'", [](const Trace& t, const Options&) {
                                   return t.num_labels == 0 || (t.mean && t.var);
                                 }};
const TraceNeed kNeedsArgmax = {"'argmax' and 'label'", [](const Trace& t, const Options&) {
                                  return t.num_labels == 0 || (t.argmax && t.label);
                                }};
const TraceNeed kNeedsText = {"'text'", [](const Trace& t, const Options&) {
                                return t.num_labels == 0 || t.text.has_value();
                              }};
// An example that has no token before the last has no gradient either.
const TraceNeed kNeedsGradNorm = {
    "'grad_norm' of the p asked for", [](const Trace& t, const Options& options) {
      return num_tokens(t) == 0 || t.grad_norm.contains(grad_norm_key(options.p));
    }};

const AttackTable& default_attack_table() {
  static const AttackTable table = [] {
    AttackTable attacks = plain_attacks();
    for (Attack& attack : comparing_attacks()) attacks.push_back(std::move(attack));
    return attacks;
  }();
  return table;
}

}  // namespace palimpsest
