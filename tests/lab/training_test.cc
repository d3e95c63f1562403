#include "palimpsest/lab/training.h"

#include <gtest/gtest.h>

#include "palimpsest/base/file.h"
#include "palimpsest/lab/lab_examples.h"
#include "palimpsest/lab/network.h"
#include "palimpsest/lab/session.h"
#include "palimpsest/torch/torch_loader.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

std::string weights_of(const std::filesystem::path& folder) {
  return read_file(folder / "model.safetensors");
}

TEST(TrainingTest, LearnsByHeart) {
  const TinyWorld world;
  TrainOptions options = world.training("model");
  options.epochs = 150;
  options.optimizer.learning_rate = 1e-2;
  const TrainResult result = train_model(options);
  EXPECT_EQ(result.examples, 24);
  EXPECT_EQ(result.steps, 450);
  EXPECT_LT(result.loss, 0.1);
}

TEST(TrainingTest, ThreadsDoNotChangeAByte) {
  const TinyWorld world;
  TrainOptions one = world.training("one");
  one.threads = 1;
  TrainOptions three = world.training("three");
  three.threads = 3;
  train_model(one);
  train_model(three);
  EXPECT_EQ(weights_of(one.out), weights_of(three.out));
  TrainOptions other = world.training("other");
  other.seed = 1;
  train_model(other);
  EXPECT_NE(weights_of(one.out), weights_of(other.out));
}

TEST(TrainingTest, FinishedWorkIsFoundAgain) {
  const TinyWorld world;
  TrainOptions options = world.training("model");
  const TrainResult first = train_model(options);
  EXPECT_FALSE(first.reused);
  const TrainResult second = train_model(options);
  EXPECT_TRUE(second.reused);
  EXPECT_EQ(second.loss, first.loss);
  EXPECT_EQ(second.parameters, first.parameters);
  options.epochs = 3;
  EXPECT_FALSE(train_model(options).reused);
}

TEST(TrainingTest, TheLibraryScoresACheckpointAsTheTrainerDoes) {
  const TinyWorld world;
  TrainOptions options = world.training("model");
  options.shape.layers = 2;
  options.epochs = 20;
  train_model(options);
  const Tokenizer tokenizer = Tokenizer::load(options.out);
  const std::vector<std::filesystem::path> files = {world.file("forget25"),
                                                    world.file("holdout25")};
  const std::vector<Example> examples = read_examples(files, options.out, tokenizer, 96);
  std::vector<Sequence> sequences;
  for (const Example& example : examples) sequences.push_back({example.ids, example.labels});
  const auto model = TorchLoader().load(options.out, {.threads = 1});
  const std::vector<SequenceScores> scores = model->score(sequences, {});

  const std::string config = read_file(options.out / "config.json");
  const ParameterLayout layout(read_architecture(config, "config"), "config");
  Session session(layout, layout.read(Checkpoint::open(options.out), "model"), longest_of(examples),
                  1);
  std::vector<int64_t> members(examples.size());
  for (size_t i = 0; i < members.size(); ++i) members[i] = static_cast<int64_t>(i);
  const Batch batch = make_batch(examples, members);
  int64_t compared = 0;
  session.evaluate(std::ssize(batch.shards), [&](const NetworkTensors& weights, int64_t s) {
    const Shard& shard = batch.shards[static_cast<size_t>(s)];
    const at::Tensor logprob = log_probabilities(session.network().logits(weights, shard), shard);
    std::vector<size_t> next(shard.members.size());
    for (size_t m = 0; m < shard.targets.size(); ++m) {
      const auto owner = static_cast<size_t>(shard.owners[m]);
      const auto& expected = scores[static_cast<size_t>(shard.members[owner])].logprob;
      EXPECT_NEAR(logprob.data_ptr<float>()[m], expected.at(next[owner]++), 1e-5);
      ++compared;
    }
  });
  EXPECT_GT(compared, 100);
}

TEST(TrainingTest, RefusesBadInputAndLeavesNothing) {
  const TinyWorld world;
  const auto failure = [&](auto change) {
    TrainOptions options = world.training("model");
    change(options);
    const std::string message = error_of([&] { train_model(options); });
    EXPECT_FALSE(std::filesystem::exists(world.path() / "model"));
    EXPECT_FALSE(std::filesystem::exists(world.path() / "model.partial"));
    return message;
  };
  expect_contains(failure([](TrainOptions& o) { o.data.clear(); }), "nothing to train on");
  expect_contains(failure([](TrainOptions& o) { o.data = {"absent.json"}; }), "absent.json");
  expect_contains(failure([](TrainOptions& o) { o.tokenizer = "absent"; }), "absent");
  expect_contains(failure([](TrainOptions& o) { o.epochs = -1; }), "epochs");
  expect_contains(failure([](TrainOptions& o) { o.batch_size = 0; }), "sequences a step");
  expect_contains(failure([](TrainOptions& o) { o.shape.heads = 5; }), "heads");
  expect_contains(failure([](TrainOptions& o) { o.optimizer.learning_rate = -1; }),
                  "learning rate");
  expect_contains(failure([](TrainOptions& o) { o.shape.max_positions = 8; }), "at most 8 tokens");
  expect_contains(failure([](TrainOptions& o) {
                    o.shape = {.layers = 64, .width = 8192, .heads = 64, .mlp = 32768};
                  }),
                  "too little memory");
}

}  // namespace
}  // namespace palimpsest::lab
