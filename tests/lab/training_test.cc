#include "palimpsest/lab/training.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/lab/internal/lab_examples.h"
#include "palimpsest/lab/internal/model_folder.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

std::string weights_of(const std::filesystem::path& folder) {
  return read_file(folder / "model.safetensors");
}

TEST(TrainingTest, LearnsByHeart) {
  const TinyData tiny;
  TrainOptions options = tiny.training("model");
  options.epochs = 150;
  options.optimizer.learning_rate = 1e-2;
  const TrainResult result = train_model(options);
  EXPECT_EQ(result.examples, 24);
  EXPECT_EQ(result.steps, 450);
  EXPECT_LT(result.loss, 0.1);
}

TEST(TrainingTest, ThreadsDoNotChangeAByte) {
  const TinyData tiny;
  TrainOptions one = tiny.training("one");
  one.threads = 1;
  TrainOptions three = tiny.training("three");
  three.threads = 3;
  train_model(one);
  train_model(three);
  EXPECT_EQ(weights_of(one.out), weights_of(three.out));
  TrainOptions other = tiny.training("other");
  other.seed = 1;
  train_model(other);
  EXPECT_NE(weights_of(one.out), weights_of(other.out));
}

TEST(TrainingTest, FinishedWorkIsFoundAgain) {
  const TinyData tiny;
  TrainOptions options = tiny.training("model");
  const TrainResult first = train_model(options);
  EXPECT_FALSE(first.reused);
  const TrainResult second = train_model(options);
  EXPECT_TRUE(second.reused);
  EXPECT_EQ(second.loss, first.loss);
  EXPECT_EQ(second.parameters, first.parameters);
  options.epochs = 3;
  EXPECT_FALSE(train_model(options).reused);
}

TEST(TrainingTest, StoppedItLeavesNothingBehind) {
  const TinyData tiny;
  TrainOptions options = tiny.training("model");
  std::stop_source source;
  const auto display = progress_to([&](const ProgressState&) { source.request_stop(); }, 0);
  options.display = display.get();
  options.stop = source.get_token();
  EXPECT_THROW(train_model(options), Stopped);  // after the first step
  EXPECT_FALSE(std::filesystem::exists(options.out));
  EXPECT_FALSE(std::filesystem::exists(options.out.string() + ".partial"));
}

TEST(TrainingTest, GoesOnFromACheckpoint) {
  const TinyData tiny;
  TrainOptions first = tiny.training("model");
  const TrainResult before = train_model(first);
  TrainOptions more = tiny.training("more");
  more.tokenizer.clear();
  more.from = first.out;
  more.epochs = 30;
  more.optimizer.learning_rate = 1e-2;
  const TrainResult after = train_model(more);
  EXPECT_EQ(after.parameters, before.parameters);
  EXPECT_LT(after.loss, before.loss / 2);
  EXPECT_TRUE(train_model(more).reused);
  // What it wrote is an ordinary checkpoint with its tokenizer.
  EXPECT_EQ(read_file(more.out / "config.json"), read_file(first.out / "config.json"));
  EXPECT_EQ(read_file(more.out / "tokenizer.json"), read_file(first.out / "tokenizer.json"));
  EXPECT_NO_THROW(engine::EngineLoader().load(more.out, {}));

  TrainOptions none = tiny.training("none");
  none.tokenizer.clear();
  none.from = first.out;
  none.epochs = 0;
  train_model(none);
  EXPECT_EQ(weights_of(none.out), weights_of(first.out));
}

TEST(TrainingTest, MicroBatchesAddUpToTheSameStep) {
  const TinyData tiny;
  TrainOptions whole = tiny.training("whole");
  whole.epochs = 1;
  TrainOptions parts = tiny.training("parts");
  parts.epochs = 1;
  parts.micro_batch = 1;  // every sequence by itself
  EXPECT_NEAR(train_model(whole).loss, train_model(parts).loss, 1e-4);
}

TEST(TrainingTest, RefusesBadInputAndLeavesNothing) {
  const TinyData tiny;
  const auto failure = [&](auto change) {
    TrainOptions options = tiny.training("model");
    change(options);
    std::string message = error_of([&] { train_model(options); });
    EXPECT_FALSE(std::filesystem::exists(tiny.path() / "model"));
    EXPECT_FALSE(std::filesystem::exists(tiny.path() / "model.partial"));
    return message;
  };
  expect_contains(failure([](TrainOptions& o) { o.data.clear(); }), "nothing to train on");
  expect_contains(failure([](TrainOptions& o) { o.data = {"absent.json"}; }), "absent.json");
  expect_contains(failure([](TrainOptions& o) { o.tokenizer = "absent"; }), "absent");
  expect_contains(failure([](TrainOptions& o) { o.epochs = -1; }), "epochs");
  expect_contains(failure([](TrainOptions& o) { o.batch_size = 0; }), "sequences per step");
  expect_contains(failure([](TrainOptions& o) { o.micro_batch = 0; }), "micro-batch");
  expect_contains(failure([](TrainOptions& o) { o.from = "absent"; }), "no config.json");
  expect_contains(failure([](TrainOptions& o) { o.shape.heads = 5; }), "heads");
  expect_contains(failure([](TrainOptions& o) { o.optimizer.learning_rate = -1; }),
                  "learning rate");
  expect_contains(failure([](TrainOptions& o) { o.shape.max_positions = 8; }), "at most 8 tokens");
  TrainOptions huge = tiny.training("model");
  huge.shape = {.layers = 64, .width = 8192, .heads = 64, .mlp = 32768};
  expect_contains(error_of<SystemError>([&] { train_model(huge); }), "too little memory");
  EXPECT_FALSE(std::filesystem::exists(tiny.path() / "model"));
  EXPECT_FALSE(std::filesystem::exists(tiny.path() / "model.partial"));
}

}  // namespace
}  // namespace palimpsest::lab
