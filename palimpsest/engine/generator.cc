#include "palimpsest/engine/internal/generator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/engine/internal/draft.h"
#include "palimpsest/engine/internal/head.h"
#include "palimpsest/engine/internal/repetition.h"
#include "palimpsest/engine/internal/sampling.h"
#include "palimpsest/model/internal/memory.h"

namespace palimpsest::engine {
namespace {

// A pass of its own must save at least so many tokens.
constexpr size_t kTokensWorthAPass = 32;
// Rows that guesses may add to a pass before they take time, and the least for each text: a full
// batch is bound by its arithmetic, where a wrong guess costs as much as a token and a right one
// saves only what is done once per pass.
constexpr int64_t kFreeRows = 256;
constexpr int64_t kMinTrial = 4;
// New tokens that a cache has room for at once; it grows with longer texts.
constexpr int64_t kUsualNewTokens = 256;

// A prompt that is being continued.
struct Active {
  size_t prompt = 0;
  std::vector<int64_t> ids;        // prompt and new tokens
  std::vector<int64_t> positions;  // of the prompt's tokens
  int64_t prompt_length = 0;
  int64_t next_position = 0;       // of the first new token
  std::shared_ptr<KvCache> cache;  // of the tokens after the shared beginning
  int64_t cached = 0;              // tokens whose keys are in a cache, the beginning's included
  int64_t length_class = -1;       // of the rotary frequencies that they were turned with
  Draft draft;
  Repetition repetition;
  std::vector<int64_t> guess;  // in this pass
  bool repeats = false;        // the guess is the repetition's, not the draft's
  Random random;
  model::Generation result;

  std::span<const int64_t> new_ids() const {
    return std::span(ids).subspan(static_cast<size_t>(prompt_length));
  }
  int64_t length() const { return static_cast<int64_t>(ids.size()); }
};

class Generator {
 public:
  Generator(Decoder& decoder, std::span<const model::Prompt> prompts,
            const model::GenerateOptions& options, const ScorerOptions& limits)
      : decoder_(decoder),
        architecture_(decoder.architecture()),
        head_(decoder),
        prompts_(prompts),
        options_(options),
        limits_(limits),
        cache_per_token_(model::memory_need(architecture_).cache_per_token),
        shared_length_(shared_length()),
        results_(prompts.size()) {}

  std::vector<model::Generation> run() {
    while (true) {
      admit();
      if (active_.empty()) return std::move(results_);
      if (options_.stop.stop_requested()) throw Stopped();
      pass();
      retire();
    }
  }

 private:
  // ---- what all prompts begin with (a system prompt), which runs once

  int64_t shared_length() const {
    if (prompts_.size() < 2 || rotation_depends_on_length()) return 0;
    const std::vector<int64_t>& first = prompts_[0].ids;
    size_t length = first.size();
    for (const model::Prompt& prompt : prompts_) {
      const auto parted = std::ranges::mismatch(first, prompt.ids);
      // The token that predicts is each prompt's own.
      length = std::min(
          {length, static_cast<size_t>(parted.in1 - first.begin()), prompt.ids.size() - 1});
      if (class_of(counted(prompt.ids)) != class_of(counted(first))) return 0;
    }
    const bool worth = length * (prompts_.size() - 1) >= kTokensWorthAPass;
    return worth ? static_cast<int64_t>(length) : 0;
  }

  int64_t counted(std::span<const int64_t> ids) const {
    const auto count = static_cast<int64_t>(ids.size());
    return options_.masked_token ? count - std::ranges::count(ids, *options_.masked_token) : count;
  }

  // For the first prompt that runs, in whose name it is counted.
  void run_shared(Active& one) {
    if (shared_length_ == 0 || shared_) return;
    shared_ = std::make_shared<KvCache>(architecture_.num_layers, shared_length_);
    const std::span<const int64_t> ids =
        std::span(one.ids).first(static_cast<size_t>(shared_length_));
    shared_->hidden = hidden_flags(ids, options_.masked_token);
    Batch batch;
    batch.segments.push_back({.row = 0, .count = shared_length_, .cache = shared_});
    for (int64_t t = 0; t < shared_length_; ++t) append_token(one, t, batch);
    one.result.forward_tokens += shared_length_;
    std::vector<Matrix> hidden = {decoder_.embed(batch)};
    decoder_.run({&batch, 1}, hidden);
  }

  // ---- who takes part

  void admit() {
    while (next_ < prompts_.size() && static_cast<int64_t>(active_.size()) < options_.max_batch &&
           (active_.empty() || cache_bytes() <= static_cast<double>(limits_.max_cache_bytes))) {
      active_.push_back(begin(next_++));
      if (is_done(*active_.back())) retire();
    }
  }

  // In double: max_new_tokens may be the greatest number there is, for texts as long as they get.
  double cache_bytes() const {
    double tokens = 0;
    for (const auto& one : active_) {
      tokens +=
          static_cast<double>(one->prompt_length) + static_cast<double>(options_.max_new_tokens);
    }
    return tokens * static_cast<double>(cache_per_token_);
  }

  std::unique_ptr<Active> begin(size_t number) const {
    const model::Prompt& prompt = prompts_[number];
    auto one = std::make_unique<Active>(Active{.prompt = number,
                                               .ids = prompt.ids,
                                               .draft = Draft(prompt.draft, prompt.known),
                                               .random = Random(options_.seed).split(number)});
    one->prompt_length = one->length();
    one->cached = shared_length_;
    one->cache = std::make_shared<KvCache>(
        architecture_.num_layers,
        one->prompt_length - shared_length_ + std::min(options_.max_new_tokens, kUsualNewTokens));
    one->cache->hidden = hidden_flags(
        std::span(prompt.ids).subspan(static_cast<size_t>(shared_length_)), options_.masked_token);
    // Hidden tokens are not counted; they stand at position 1, where nobody looks.
    for (const int64_t id : prompt.ids) {
      one->positions.push_back(id == options_.masked_token ? 1 : one->next_position++);
    }
    for (const int64_t id : prompt.known) {
      if (!accept(*one, id)) break;
    }
    return one;
  }

  // Takes the token in; false if generation ends here.
  bool accept(Active& one, int64_t id) const {
    if (is_done(one)) return false;
    one.ids.push_back(id);
    if (std::ranges::find(options_.eos_ids, id) != options_.eos_ids.end() ||
        (options_.should_stop && options_.should_stop(one.new_ids()))) {
      one.result.stopped = true;
    }
    return !is_done(one);
  }

  bool is_done(const Active& one) const {
    return one.result.stopped || one.length() - one.prompt_length >= options_.max_new_tokens ||
           (architecture_.max_positions && one.length() >= *architecture_.max_positions);
  }

  void retire() {
    int64_t finished = 0;
    std::erase_if(active_, [&](const std::unique_ptr<Active>& one) {
      if (!is_done(*one)) return false;
      one->result.ids.assign(one->new_ids().begin(), one->new_ids().end());
      results_[one->prompt] = std::move(one->result);
      ++finished;
      return true;
    });
    if (finished > 0 && options_.on_finished) options_.on_finished(finished);
  }

  // ---- one pass: what each sequence has not run yet, and its guess

  void pass() {
    std::vector<Batch> batches;
    std::vector<std::vector<Active*>> members;
    run_shared(*active_.front());
    for (const auto& one : active_) {
      prepare(*one);
      const int64_t rows = one->length() - one->cached + static_cast<int64_t>(one->guess.size());
      if (batches.empty() || batches.back().rows() + rows > limits_.max_rows) {
        batches.emplace_back();
        members.emplace_back();
      }
      append(*one, batches.back());
      members.back().push_back(one.get());
    }
    std::vector<Matrix> hidden;
    for (const Batch& batch : batches) hidden.push_back(decoder_.embed(batch));
    decoder_.run(batches, hidden);
    for (size_t i = 0; i < batches.size(); ++i) advance(members[i], batches[i], hidden[i]);
  }

  int64_t class_of(int64_t length) const {
    return architecture_.rotary ? model::rotary_length_class(*architecture_.rotary, length) : 0;
  }
  bool rotation_depends_on_length() const {
    return architecture_.rotary && architecture_.rotary->scaling == model::RopeScaling::kLongRope;
  }

  // Chooses the guess, and forgets cached keys that the length has made wrong.
  void prepare(Active& one) const {
    const int64_t room = options_.max_new_tokens - (one.length() - one.prompt_length) - 1;
    const int64_t trial = std::max(kMinTrial, kFreeRows / static_cast<int64_t>(active_.size()));
    one.guess.clear();
    if (!options_.sample) one.guess = one.draft.propose(one.new_ids(), trial, room);
    one.repeats = one.guess.empty() && !options_.sample;
    if (one.repeats) one.guess = one.repetition.propose(one.new_ids(), trial, room);
    int64_t longest = one.length() + static_cast<int64_t>(one.guess.size());
    if (architecture_.max_positions) longest = std::min(longest, *architecture_.max_positions);
    if (rotation_depends_on_length()) {
      const int64_t uncounted = one.prompt_length - one.next_position;
      const int64_t now = class_of(one.length() - uncounted);
      while (longest > one.length() && class_of(longest - uncounted) != now) --longest;
      if (now != one.length_class) one.cached = 0;
      one.length_class = now;
    }
    one.guess.resize(static_cast<size_t>(longest - one.length()));
  }

  void append(Active& one, Batch& batch) const {
    const int64_t total = one.length() + static_cast<int64_t>(one.guess.size());
    Segment segment{.row = batch.rows(),
                    .count = total - one.cached,
                    .cache = one.cache,
                    .cached = one.cached - shared_length_};
    if (shared_) segment.context.push_back({shared_, shared_length_});
    batch.segments.push_back(std::move(segment));
    for (int64_t t = one.cached; t < total; ++t) append_token(one, t, batch);
    if (!one.cache->hidden.empty()) {
      one.cache->hidden.resize(static_cast<size_t>(total - shared_length_));
    }
    one.result.forward_tokens += total - one.cached;
  }

  // Token t of prompt, new tokens and guess.
  void append_token(const Active& one, int64_t t, Batch& batch) const {
    const bool is_guess = t >= one.length();
    batch.ids.push_back(is_guess ? one.guess[static_cast<size_t>(t - one.length())]
                                 : one.ids[static_cast<size_t>(t)]);
    batch.positions.push_back(t < one.prompt_length ? one.positions[static_cast<size_t>(t)]
                                                    : one.next_position + t - one.prompt_length);
    // Like positions, lengths do not count what is hidden.
    batch.rope_lengths.push_back(rotation_depends_on_length()
                                     ? one.length() - (one.prompt_length - one.next_position)
                                     : std::max(one.next_position, batch.positions.back() + 1));
  }

  // ---- what the pass says

  void advance(const std::vector<Active*>& members, const Batch& batch, const Matrix& hidden) {
    std::vector<int64_t> rows;  // those that predict: the last token's and the guesses'
    for (size_t i = 0; i < members.size(); ++i) {
      const Segment& segment = batch.segments[i];
      const int64_t last = segment.row + segment.count;
      for (int64_t row = last - 1 - static_cast<int64_t>(members[i]->guess.size()); row < last;
           ++row) {
        rows.push_back(row);
      }
    }
    const Matrix normed = decoder_.final_norm(hidden, rows);
    const bool plain = !options_.sample && options_.repetition_penalty == 1;
    std::vector<int64_t> best;
    if (plain) {
      const std::vector<int64_t> no_labels(rows.size(), -1);
      for (const auto& state : head_.reduce(normed, no_labels)) {
        require_finite_output(std::isfinite(state.sum()));
        best.push_back(state.argmax);
      }
    }
    int64_t first = 0;
    for (Active* one : members) {
      const auto count = static_cast<int64_t>(one->guess.size()) + 1;
      take(*one, count, [&](int64_t i) {
        return plain ? best[static_cast<size_t>(first + i)]
                     : shaped_token(*one, normed.slice(first + i, 1));
      });
      first += count;
    }
  }

  // The next tokens: as many of the guess as are right, and the first that is not in it.
  template <class TokenAt>
  void take(Active& one, int64_t count, TokenAt token_at) const {
    one.cached = one.length();
    const std::vector<int64_t> guess = std::move(one.guess);
    int64_t right = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t token = token_at(i);
      const bool goes_on = accept(one, token);
      if (i + 1 == count || token != guess[static_cast<size_t>(i)]) break;
      ++right;
      ++one.cached;
      if (!goes_on) break;
    }
    if (!options_.sample) learn(one, static_cast<int64_t>(guess.size()), right);
    if (!one.cache->hidden.empty()) {
      one.cache->hidden.resize(static_cast<size_t>(one.cached - shared_length_));
    }
  }

  static void learn(Active& one, int64_t guessed, int64_t right) {
    one.draft.record(one.repeats ? 0 : guessed, one.repeats ? 0 : right);
    if (one.repeats) one.repetition.record(guessed, right);
  }

  int64_t shaped_token(Active& one, const Matrix& normed) {
    const Matrix logits = head_.logits(normed);
    const std::span<float> row(logits.data(), static_cast<size_t>(logits.size()));
    require_finite_output(
        std::ranges::all_of(row, [](float logit) { return std::isfinite(logit); }));
    if (options_.repetition_penalty != 1) penalize(row, one.ids, options_.repetition_penalty);
    return options_.sample ? sampled_token(row, options_, one.random) : greedy_token(row);
  }

  Decoder& decoder_;
  const model::Architecture& architecture_;
  Head head_;
  std::span<const model::Prompt> prompts_;
  const model::GenerateOptions& options_;
  const ScorerOptions& limits_;
  int64_t cache_per_token_;
  int64_t shared_length_;
  std::shared_ptr<KvCache> shared_;  // null until something runs
  std::vector<std::unique_ptr<Active>> active_;
  size_t next_ = 0;
  std::vector<model::Generation> results_;
};

}  // namespace

std::vector<model::Generation> generate_texts(Decoder& decoder,
                                              std::span<const model::Prompt> prompts,
                                              const model::GenerateOptions& options,
                                              const ScorerOptions& limits) {
  return Generator(decoder, prompts, options, limits).run();
}

}  // namespace palimpsest::engine
