#include "palimpsest/lab/unlearning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/lab/internal/batches.h"
#include "palimpsest/lab/internal/lab_examples.h"
#include "palimpsest/lab/internal/model_folder.h"
#include "palimpsest/lab/internal/ranges.h"
#include "palimpsest/lab/internal/session.h"
#include "palimpsest/lab/internal/stage.h"
#include "palimpsest/lab/internal/unlearn_loss.h"

namespace palimpsest::lab {
namespace {

// The seed's independent uses.
enum UnlearnStream : uint64_t { kForgetOrder, kRetainOrder };

void require_valid_options(const UnlearnOptions& options, const UnlearnMethodInfo& info) {
  const double alpha = options.alpha.value_or(info.retain_weight);
  constexpr double kMaxWeight = 1e6;
  constexpr double kMinBeta = 1e-6;
  constexpr int64_t kMaxCount = 1'000'000;
  require_valid(options.optimizer);
  if (options.forget.empty()) throw Error("there is nothing to forget");
  if (info.retains && options.retain.empty()) {
    throw Error(
        {.what = "this method needs examples to retain", .hint = "name them, or use grad_ascent"});
  }
  require_between<double>("gamma", options.gamma, 0, kMaxWeight);
  require_between<double>("alpha", alpha, 0, kMaxWeight);
  require_between<double>("beta", options.beta, kMinBeta, kMaxWeight);
  require_between<double>("delta", options.delta, -kMaxWeight, kMaxWeight);
  require_between<int64_t>("the number of epochs", options.epochs, 0, kMaxCount);
  require_between<int64_t>("the number of examples per step", options.batch_size, 1, kMaxCount);
  require_between<int64_t>("the number of tokens of a micro-batch", options.micro_batch, 1,
                           kMaxCount);
}

std::string fingerprint_of(const UnlearnOptions& options, const UnlearnMethodInfo& info) {
  Fingerprint fingerprint;
  fingerprint.add("lab unlearn 2").add(static_cast<int64_t>(options.method));
  fingerprint.add(fmt::format("{} {} {} {}", options.gamma,
                              options.alpha.value_or(info.retain_weight), options.beta,
                              options.delta));
  fingerprint.add(describe(options.optimizer));
  fingerprint.add(options.epochs).add(options.batch_size).add(options.micro_batch);
  fingerprint.add(static_cast<int64_t>(options.seed));
  add_model(fingerprint, options.model);
  for (const auto& file : options.forget) fingerprint.add("forget").add_file(file);
  for (const auto& file : options.retain) fingerprint.add("retain").add_file(file);
  return fingerprint.hex();
}

UnlearnResult unlearn_result(const std::string& facts, const std::string& where) {
  const Json json = parse_json(facts, where);
  return {.reused = true,
          .steps = whole_number<int64_t>(json.value("steps", Json(0)), where),
          .forget_loss = json.value("forget_loss", 0.0),
          .retain_loss = json.value("retain_loss", 0.0)};
}

// What is run through in rounds of shuffled passes, without end: the retain examples.
class Rounds {
 public:
  Rounds(int64_t count, Random random) : count_(count), random_(random) {}

  std::vector<int64_t> take(int64_t wanted) {
    std::vector<int64_t> taken;
    while (static_cast<int64_t>(taken.size()) < wanted) {
      if (next_ == order_.size()) {
        order_ = shuffled(count_, random_.split(round_++));
        next_ = 0;
      }
      taken.push_back(order_[next_++]);
    }
    return taken;
  }

 private:
  int64_t count_;
  Random random_;
  std::vector<int64_t> order_;
  size_t next_ = 0;
  uint64_t round_ = 0;
};

class Unlearning {
 public:
  Unlearning(const UnlearnOptions& options, const UnlearnMethodInfo& info,
             const std::vector<data::Example>& forget, const std::vector<data::Example>& retain,
             Session& session)
      : options_(options),
        retains_(info.retains),
        forget_(forget),
        retain_(retain),
        session_(session),
        loss_({.method = options.method,
               .gamma = options.gamma,
               .alpha = options.alpha.value_or(info.retain_weight),
               .beta = options.beta,
               .delta = options.delta},
              session.trainer(), forget) {}

  UnlearnResult run() {
    const Random random(options_.seed);
    const int64_t per_epoch = (std::ssize(forget_) + options_.batch_size - 1) / options_.batch_size;
    UnlearnResult result{.steps = options_.epochs * per_epoch};
    Rounds rounds(std::ssize(retain_), random.split(kRetainOrder));
    Progress progress(options_.display, "unlearning " + options_.out.filename().string(),
                      result.steps);
    int64_t step = 0;
    for (int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
      LossSums sums;
      for (std::vector<int64_t>& members :
           plan_epoch(std::ssize(forget_), options_.batch_size,
                      random.split(kForgetOrder).split(static_cast<uint64_t>(epoch)))) {
        if (options_.stop.stop_requested()) throw Stopped();
        const double rate = learning_rate(options_.optimizer, step++, result.steps);
        const LossSums done = run_step(std::move(members), rounds, rate);
        sums.add(done);
        progress.note(fmt::format("forget loss {:.3f}", done.forget_mean()));
        progress.advance(1);
      }
      result.forget_loss = sums.forget_mean();
      result.retain_loss = sums.retain_mean();
    }
    return result;
  }

 private:
  LossSums run_step(std::vector<int64_t> members, Rounds& rounds, double rate) {
    const auto count = std::ssize(members);
    const Batch forget = make_batch(forget_, std::move(members));
    const Batch retain = retains_ ? make_batch(retain_, rounds.take(count)) : Batch();
    LossSums sums;
    session_.step(rate, [&] {
      sums = loss_.forget(forget);
      if (retains_) sums.add(loss_.retain(retain));
      return sums.forget + sums.retain;
    });
    return sums;
  }

  const UnlearnOptions& options_;
  bool retains_;
  const std::vector<data::Example>& forget_;
  const std::vector<data::Example>& retain_;
  Session& session_;
  UnlearnLoss loss_;
};

}  // namespace

const std::vector<UnlearnMethodInfo>& unlearn_methods() {
  static const std::vector<UnlearnMethodInfo> methods = {
      {UnlearnMethod::kGradAscent, "grad_ascent", "raise the loss of what is to be forgotten",
       false},
      {UnlearnMethod::kGradDiff, "grad_diff", "raise that loss, and train on what is to be kept",
       true, 1},
      {UnlearnMethod::kKl, "kl", "raise that loss, and stay close to the old model elsewhere", true,
       1},
      {UnlearnMethod::kNpo, "npo", "negative preference optimisation against the old model", true,
       10},
      {UnlearnMethod::kSimNpo, "simnpo", "npo without the old model, normalised by length", true,
       1},
  };
  return methods;
}

const UnlearnMethodInfo& unlearn_method(std::string_view name) {
  std::vector<std::string_view> names;
  for (const UnlearnMethodInfo& info : unlearn_methods()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error({.what = fmt::format("there is no method '{}'", name),
               .expected = fmt::format("one of {}", fmt::join(names, ", "))});
}

UnlearnResult unlearn_model(const UnlearnOptions& options) {
  const auto info =
      std::ranges::find(unlearn_methods(), options.method, &UnlearnMethodInfo::method);
  PALIMPSEST_CHECK(info != unlearn_methods().end());
  require_valid_options(options, *info);
  require_other_folder(options.model, options.out);
  const ModelTexts texts = read_model_texts(options.model);
  const model::Architecture architecture =
      model::read_architecture(texts.config, (options.model / "config.json").string());
  Stage stage(options.out, fingerprint_of(options, *info), "palimpsest lab unlearn");
  if (stage.done()) return unlearn_result(stage.facts(), options.out.string());

  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(options.model);
  const auto read = [&](const std::vector<std::filesystem::path>& files) {
    return read_examples(files, options.model, tokenizer, architecture);
  };
  const std::vector<data::Example> forget = read(options.forget);
  const std::vector<data::Example> retain =
      info->retains ? read(options.retain) : std::vector<data::Example>();
  const int64_t longest = std::max(longest_length(forget), longest_length(retain));
  require_memory(architecture, {.tokens = std::max(options.micro_batch, longest),
                                .models = options.method == UnlearnMethod::kKl ? 2 : 1});
  const std::filesystem::path folder = stage.begin(folder_bytes(architecture));

  WorkerPool pool(options.threads);
  const engine::ModelWeights weights = read_weights(options.model, architecture, pool);
  UnlearnResult result;
  {
    Session session(architecture, weights, texts, options.optimizer, pool,
                    {.micro_batch = options.micro_batch, .out = options.out});
    result = Unlearning(options, *info, forget, retain, session).run();
  }
  write_model(folder, texts, architecture, weights);
  stage.commit(to_line({{"steps", result.steps},
                        {"forget_loss", result.forget_loss},
                        {"retain_loss", result.retain_loss}}));
  return result;
}

}  // namespace palimpsest::lab
