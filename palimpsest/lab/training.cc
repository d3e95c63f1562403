#include "palimpsest/lab/training.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/lab/batches.h"
#include "palimpsest/lab/lab_examples.h"
#include "palimpsest/lab/model_folder.h"
#include "palimpsest/lab/ranges.h"
#include "palimpsest/lab/session.h"
#include "palimpsest/lab/stage.h"

namespace palimpsest::lab {
namespace {

// The seed's independent uses.
enum Stream : uint64_t { kInitialisation, kOrder };

void require_valid_options(const TrainOptions& options) {
  constexpr int64_t kMost = 1'000'000;
  require_valid(options.optimizer);
  if (options.data.empty()) throw Error("there is nothing to train on");
  require_between<int64_t>("the number of epochs", options.epochs, 0, kMost);
  require_between<int64_t>("the number of sequences a step", options.batch_size, 1, kMost);
}

std::string fingerprint_of(const TrainOptions& options, const std::string& config) {
  Fingerprint fingerprint;
  fingerprint.add("lab train 1").add(config);
  fingerprint.add(describe(options.optimizer));
  fingerprint.add(options.epochs).add(options.batch_size);
  fingerprint.add(static_cast<int64_t>(options.seed));
  add_tokenizer(fingerprint, options.tokenizer);
  for (const std::filesystem::path& file : options.data) fingerprint.add_file(file);
  return fingerprint.hex();
}

Json to_json(const TrainResult& result) {
  return {{"parameters", result.parameters},
          {"examples", result.examples},
          {"steps", result.steps},
          {"loss", result.loss}};
}

TrainResult from_facts(const std::string& facts, const std::string& where) {
  const Json json = parse_json(facts, where);
  return {.reused = true,
          .parameters = json.value("parameters", int64_t{0}),
          .examples = json.value("examples", int64_t{0}),
          .steps = json.value("steps", int64_t{0}),
          .loss = json.value("loss", 0.0)};
}

// Runs all epochs. Returns the mean loss of the last one.
double run_epochs(const TrainOptions& options, const std::vector<Example>& examples,
                  Session& session, int64_t steps) {
  const Random order = Random(options.seed).split(kOrder);
  AdamW optimizer(options.optimizer, session.layout());
  Progress progress(options.display, "training " + options.out.filename().string(), steps);
  int64_t step = 0;
  double loss = 0;
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    double sum = 0;
    int64_t labels = 0;
    for (std::vector<int64_t>& members : plan_epoch(std::ssize(examples), options.batch_size,
                                                    order.split(static_cast<uint64_t>(epoch)))) {
      const Batch batch = make_batch(examples, std::move(members));
      const auto objective = [&](const NetworkTensors& weights, int64_t s) {
        const Shard& shard = batch.shards[static_cast<size_t>(s)];
        return log_probabilities(session.network().logits(weights, shard), shard).sum() *
               (-1.0 / static_cast<double>(std::max<int64_t>(1, batch.num_labels)));
      };
      const double rate = learning_rate(options.optimizer, step++, steps);
      const double mean = session.step(std::ssize(batch.shards), objective, optimizer, rate);
      sum += mean * static_cast<double>(batch.num_labels);
      labels += batch.num_labels;
      progress.note(fmt::format("loss {:.3f}", mean));
      progress.advance(1);
    }
    loss = sum / static_cast<double>(std::max<int64_t>(1, labels));
  }
  return loss;
}

}  // namespace

TrainResult train_model(const TrainOptions& options) {
  require_valid_options(options);
  const Tokenizer tokenizer = Tokenizer::load(options.tokenizer);
  const std::string config = tiny_config(options.shape, tokenizer);
  Stage stage(options.out, fingerprint_of(options, config));
  if (stage.done()) return from_facts(stage.facts(), options.out.string());

  const ParameterLayout layout(read_architecture(config, "the lab's config"), "the lab's config");
  const std::vector<Example> examples =
      read_examples(options.data, options.tokenizer, tokenizer, options.shape.max_positions);
  const int64_t longest = longest_of(examples);
  require_memory(layout, {.tokens = std::min(options.batch_size, std::ssize(examples)) * longest,
                          .longest = longest,
                          .gradients = kShards});
  const std::filesystem::path folder = stage.begin(folder_bytes(layout));

  const int64_t per_epoch = (std::ssize(examples) + options.batch_size - 1) / options.batch_size;
  TrainResult result{.parameters = layout.size(),
                     .examples = std::ssize(examples),
                     .steps = options.epochs * per_epoch};
  Session session(layout, layout.initial(Random(options.seed).split(kInitialisation)), longest,
                  options.threads);
  result.loss = run_epochs(options, examples, session, result.steps);
  write_model(folder, config, tiny_generation_config(tokenizer), layout, session.values(),
              options.tokenizer);
  stage.commit(to_line(to_json(result)));
  return result;
}

}  // namespace palimpsest::lab
