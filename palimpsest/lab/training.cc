#include "palimpsest/lab/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/lab/internal/batches.h"
#include "palimpsest/lab/internal/lab_examples.h"
#include "palimpsest/lab/internal/model_folder.h"
#include "palimpsest/lab/internal/ranges.h"
#include "palimpsest/lab/internal/session.h"
#include "palimpsest/lab/internal/stage.h"
#include "palimpsest/lab/internal/tiny_config.h"
#include "palimpsest/lab/internal/token_losses.h"

namespace palimpsest::lab {
namespace {

// The seed's independent uses.
enum TrainStream : uint64_t { kInitialisation, kOrder };

void require_valid_options(const TrainOptions& options) {
  constexpr int64_t kMaxCount = 1'000'000;
  require_valid(options.optimizer);
  if (options.data.empty()) throw Error("there is nothing to train on");
  require_between<int64_t>("the number of epochs", options.epochs, 0, kMaxCount);
  require_between<int64_t>("the number of sequences per step", options.batch_size, 1, kMaxCount);
  require_between<int64_t>("the number of tokens of a micro-batch", options.micro_batch, 1,
                           kMaxCount);
}

std::string fingerprint_of(const TrainOptions& options, const std::string& config) {
  Fingerprint fingerprint;
  fingerprint.add("lab train 2").add(config);
  fingerprint.add(describe(options.optimizer));
  fingerprint.add(options.epochs).add(options.batch_size).add(options.micro_batch);
  fingerprint.add(static_cast<int64_t>(options.seed));
  if (options.from.empty()) {
    add_tokenizer(fingerprint, options.tokenizer);
  } else {
    add_model(fingerprint, options.from);
  }
  for (const std::filesystem::path& file : options.data) fingerprint.add_file(file);
  return fingerprint.hex();
}

Json to_json(const TrainResult& result) {
  return {{"parameters", result.parameters},
          {"examples", result.examples},
          {"steps", result.steps},
          {"loss", result.loss}};
}

TrainResult train_result(const std::string& facts, const std::string& where) {
  const Json json = parse_json(facts, where);
  return {.reused = true,
          .parameters = whole_number<int64_t>(json.value("parameters", Json(0)), where),
          .examples = whole_number<int64_t>(json.value("examples", Json(0)), where),
          .steps = whole_number<int64_t>(json.value("steps", Json(0)), where),
          .loss = json.value("loss", 0.0)};
}

// Runs all epochs. Returns the mean loss of the last one.
double run_epochs(const TrainOptions& options, const std::vector<data::Example>& examples,
                  Session& session, int64_t steps) {
  const Random order = Random(options.seed).split(kOrder);
  Progress progress(options.display, "training " + options.out.filename().string(), steps);
  int64_t step = 0;
  double loss = 0;
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    double sum = 0;
    int64_t labels = 0;
    for (std::vector<int64_t>& members : plan_epoch(std::ssize(examples), options.batch_size,
                                                    order.split(static_cast<uint64_t>(epoch)))) {
      if (options.stop.stop_requested()) throw Stopped();
      const Batch batch = make_batch(examples, std::move(members));
      const double share = 1.0 / static_cast<double>(std::max<int64_t>(1, batch.num_labels));
      const double mean = session.step(learning_rate(options.optimizer, step++, steps), [&] {
        return share * total_of(session.trainer().accumulate(
                           batch.sequences, {.weights = even_weights(batch, share)}));
      });
      sum += mean * static_cast<double>(batch.num_labels);
      labels += batch.num_labels;
      progress.note(fmt::format("loss {:.3f}", mean));
      progress.advance(1);
    }
    loss = sum / static_cast<double>(std::max<int64_t>(1, labels));
  }
  return loss;
}

// What is trained: a checkpoint, or a tiny model from nothing.
ModelTexts starting_texts(const TrainOptions& options) {
  if (!options.from.empty()) return read_model_texts(options.from);
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(options.tokenizer);
  return {.config = tiny_config(options.shape, tokenizer),
          .generation_config = tiny_generation_config(tokenizer),
          .tokenizer = options.tokenizer};
}

}  // namespace

TrainResult train_model(const TrainOptions& options) {
  require_valid_options(options);
  if (!options.from.empty()) require_other_folder(options.from, options.out);
  const ModelTexts texts = starting_texts(options);
  const std::string where =
      options.from.empty() ? "the lab's config" : (options.from / "config.json").string();
  const model::Architecture architecture = model::read_architecture(texts.config, where);
  Stage stage(options.out, fingerprint_of(options, texts.config), "palimpsest lab train");
  if (stage.done()) return train_result(stage.facts(), options.out.string());

  const std::vector<data::Example> examples = read_examples(
      options.data, texts.tokenizer, tokenizer::Tokenizer::load(texts.tokenizer), architecture);
  require_memory(architecture, {.tokens = std::max(options.micro_batch, longest_length(examples))});
  const std::filesystem::path folder = stage.begin(folder_bytes(architecture));

  const int64_t per_epoch = (std::ssize(examples) + options.batch_size - 1) / options.batch_size;
  TrainResult result{.parameters = model::num_parameters(architecture),
                     .examples = std::ssize(examples),
                     .steps = options.epochs * per_epoch};
  WorkerPool pool(options.threads);
  engine::ModelWeights weights =
      options.from.empty()
          ? engine::initial_weights(architecture, Random(options.seed).split(kInitialisation))
          : read_weights(options.from, architecture, pool);
  {
    Session session(architecture, weights, texts, options.optimizer, pool,
                    {.micro_batch = options.micro_batch, .out = options.out});
    result.loss = run_epochs(options, examples, session, result.steps);
  }
  write_model(folder, texts, architecture, weights);
  stage.commit(to_line(to_json(result)));
  return result;
}

}  // namespace palimpsest::lab
