#include "palimpsest/model/internal/fake_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/model/request_check.h"

namespace palimpsest::model {
namespace {

constexpr double kMaxLogit = 4;

// Tensors, so that gradient norms have something to be a mean over: an embedding, a norm and a head
// of this width.
constexpr int64_t kTensors = 3;
constexpr int64_t kHidden = 4;

std::vector<double> log_softmax(const std::vector<double>& logits) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - highest);
  std::vector<double> result = logits;
  for (double& value : result) value -= highest + std::log(sum);
  return result;
}

// The first of equals.
int64_t argmax(const std::vector<double>& values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

void penalise(std::span<const int64_t> ids, double penalty, std::vector<double>& logits) {
  std::vector<bool> seen(logits.size());
  for (const int64_t id : ids) seen[static_cast<size_t>(id)] = true;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (seen[i]) logits[i] = logits[i] < 0 ? logits[i] * penalty : logits[i] / penalty;
  }
}

// Draws from the likeliest tokens: at most top_k of them, and no more than give top_p together.
int64_t draw(std::vector<double> logits, const GenerateOptions& options, Random& random) {
  for (double& logit : logits) logit /= options.temperature;
  std::vector<int64_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
  });
  if (options.top_k > 0 && options.top_k < static_cast<int64_t>(order.size())) {
    order.resize(static_cast<size_t>(options.top_k));
  }
  std::vector<double> kept;
  for (const int64_t id : order) kept.push_back(logits[static_cast<size_t>(id)]);
  std::vector<double> sums;
  for (const double value : log_softmax(kept)) {
    sums.push_back(std::exp(value) + (sums.empty() ? 0 : sums.back()));
    if (sums.back() >= options.top_p) break;
  }
  const double target = random.uniform() * sums.back();
  const auto chosen = std::upper_bound(sums.begin(), sums.end(), target) - sums.begin();
  return order[std::min(static_cast<size_t>(chosen), sums.size() - 1)];
}

double order_factor(NormOrder order) {
  // ‖x‖₁ >= ‖x‖₂ >= ‖x‖∞
  if (order == NormOrder::kOne) return 4;
  return order == NormOrder::kTwo ? 2 : 1;
}

// A continuation in the making.
class Continuation {
 public:
  Continuation(const Prompt& prompt, const GenerateOptions& options)
      : options_(options), all_(prompt.ids) {
    for (const int64_t id : prompt.ids) {
      if (id != options.masked_token) visible_.push_back(id);
    }
    result_.forward_tokens = static_cast<int64_t>(prompt.ids.size());
  }

  bool is_finished() const { return result_.stopped || num_new() >= options_.max_new_tokens; }

  // Generated tokens are seen and counted even if they are the masked one.
  void append(int64_t id) {
    result_.forward_tokens += num_new() > 0 ? 1 : 0;  // the one before was run to get here
    result_.ids.push_back(id);
    visible_.push_back(id);
    all_.push_back(id);
    const auto& ends = options_.eos_ids;
    result_.stopped = std::find(ends.begin(), ends.end(), id) != ends.end() ||
                      (options_.should_stop && options_.should_stop(result_.ids));
  }

  const std::vector<int64_t>& visible() const { return visible_; }
  const std::vector<int64_t>& all() const { return all_; }
  Generation take() { return std::move(result_); }

 private:
  int64_t num_new() const { return static_cast<int64_t>(result_.ids.size()); }

  const GenerateOptions& options_;
  std::vector<int64_t> all_;
  std::vector<int64_t> visible_;
  Generation result_;
};

}  // namespace

FakeModel::FakeModel(const FakeModelOptions& options, std::string source,
                     std::shared_ptr<FakeModelCounts> total)
    : options_(options), total_(std::move(total)) {
  if (options.vocab_size < 1 || options.context < 0) {
    throw Error("a fake model needs a vocabulary and a context that is not negative");
  }
  info_.source = std::move(source);
  info_.vocab_size = options.vocab_size;
  info_.max_positions = options.max_positions;
  info_.positions_agree = options.positions_agree;
  info_.num_parameters = 2 * options.vocab_size * kHidden + kHidden;
  info_.stored_dtype = info_.dtype = "float32";
  info_.device = "cpu";
  info_.weight_bytes = 4 * info_.num_parameters;
  info_.generation = options.generation;
}

std::vector<double> FakeModel::logits(std::span<const int64_t> visible, int64_t position) const {
  const size_t used = std::min(visible.size(), static_cast<size_t>(options_.context));
  Random random = Random(options_.seed).split(static_cast<uint64_t>(position));
  for (const int64_t id : visible.last(used)) random = random.split(static_cast<uint64_t>(id));
  std::vector<double> result(static_cast<size_t>(options_.vocab_size));
  for (double& logit : result) logit = kMaxLogit * (2 * random.uniform() - 1);
  return result;
}

// As SequenceScores::rank says.
static int64_t rank_of(const std::vector<double>& logits, int64_t label) {
  const double bound = logits[static_cast<size_t>(label)];
  const auto greater = std::ranges::count_if(logits, [&](double logit) { return logit > bound; });
  return greater + std::count(logits.begin(), logits.begin() + label, bound);
}

SequenceScores FakeModel::score_one(const Sequence& sequence, const ScoreOptions& options) const {
  SequenceScores scores;
  std::vector<int64_t> visible;
  for (size_t t = 0; t < sequence.ids.size(); ++t) {
    if (t > 0 && sequence.labels[t] != kIgnoredLabel) {
      const std::vector<double> logp = log_softmax(logits(visible, static_cast<int64_t>(t)));
      double mean = 0;
      double square = 0;
      for (const double value : logp) {
        mean += std::exp(value) * value;
        square += std::exp(value) * value * value;
      }
      scores.logprob.push_back(logp[static_cast<size_t>(sequence.labels[t])]);
      scores.mean.push_back(mean);
      scores.var.push_back(std::max(0.0, square - mean * mean));
      scores.argmax.push_back(argmax(logp));
      if (options.ranks) scores.rank.push_back(rank_of(logp, sequence.labels[t]));
    }
    if (sequence.ids[t] != options.masked_token) visible.push_back(sequence.ids[t]);
  }
  scores.gradient_norms = gradient_norms(scores, options);
  return scores;
}

// Proportional to the loss, with a factor per tensor.
std::vector<double> FakeModel::gradient_norms(const SequenceScores& scores,
                                              const ScoreOptions& options) const {
  if (scores.logprob.size() < 2) return {};
  const double sum = std::accumulate(scores.logprob.begin(), scores.logprob.end() - 1, 0.0);
  const double loss = -sum / static_cast<double>(scores.logprob.size() - 1);
  std::vector<double> norms;
  for (const NormOrder order : options.gradient_norms) {
    Random random(options_.seed);
    double all = 0;
    for (int64_t j = 0; j < kTensors; ++j)
      all += order_factor(order) * (1 + random.uniform()) * loss;
    norms.push_back(all / kTensors);
  }
  return norms;
}

void FakeModel::count(int64_t FakeModelCounts::*field) {
  ++(own_.*field);
  if (total_) ++((*total_).*field);
}

std::vector<SequenceScores> FakeModel::score(std::span<const Sequence> sequences,
                                             const ScoreOptions& options) {
  check_sequences(sequences, info_);
  std::vector<SequenceScores> results;
  for (const Sequence& sequence : sequences) {
    results.push_back(score_one(sequence, options));
    count(&FakeModelCounts::scored_sequences);
    if (!results.back().gradient_norms.empty()) count(&FakeModelCounts::backward_sequences);
  }
  return results;
}

// The draft is not looked at: it never changes the result.
Generation FakeModel::generate_one(const Prompt& prompt, const GenerateOptions& options,
                                   uint64_t number) const {
  Continuation continuation(prompt, options);
  for (const int64_t id : prompt.known) {
    if (continuation.is_finished()) break;
    continuation.append(id);
  }
  Random random = Random(options.seed).split(number);
  const int64_t limit = options_.max_positions.value_or(std::numeric_limits<int64_t>::max());
  while (!continuation.is_finished()) {
    const auto position = static_cast<int64_t>(continuation.visible().size());
    if (position >= limit) break;
    std::vector<double> values = logits(continuation.visible(), position);
    penalise(continuation.all(), options.repetition_penalty, values);
    continuation.append(options.sample ? draw(values, options, random) : argmax(values));
  }
  return continuation.take();
}

std::vector<Generation> FakeModel::generate(std::span<const Prompt> prompts,
                                            const GenerateOptions& options) {
  check_prompts(prompts, options, info_);
  std::vector<Generation> results;
  for (const Prompt& prompt : prompts) {
    results.push_back(generate_one(prompt, options, results.size()));
    count(&FakeModelCounts::generated_prompts);
    if (options.on_finished) options.on_finished(1);
  }
  return results;
}

FakeModelLoader::FakeModelLoader(const FakeModelOptions& options)
    : options_(options), counts_(std::make_shared<FakeModelCounts>()) {}

std::unique_ptr<LanguageModel> FakeModelLoader::load(const std::filesystem::path& folder,
                                                     const ModelOptions&) {
  ++loads_;
  FakeModelOptions options = options_;
  uint64_t seed = options.seed;
  for (const char c : folder.string())
    seed = Random(seed).split(static_cast<unsigned char>(c)).next();
  options.seed = seed;
  return std::make_unique<FakeModel>(options, folder.string(), counts_);
}

std::vector<std::filesystem::path> FakeModelLoader::files(const std::filesystem::path&) {
  return {};
}

}  // namespace palimpsest::model
