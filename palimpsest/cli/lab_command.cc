#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/commands.h"
#if PALIMPSEST_WITH_TORCH
#include "palimpsest/base/progress.h"
#include "palimpsest/lab/lab_data.h"
#include "palimpsest/lab/tokenizer_files.h"
#include "palimpsest/lab/training.h"
#include "palimpsest/lab/unlearning.h"
#endif

namespace palimpsest::cli {

#if PALIMPSEST_WITH_TORCH
namespace {

constexpr const char* kTokenizerFolder = "tokenizer";

struct DataCommand {
  lab::LabDataOptions options;
  int64_t vocab_size = 1024;
  std::string out;
};

void make_data(const DataCommand& command) {
  const lab::LabData data = lab::make_lab_data(command.options);
  const TokenizerTexts tokenizer =
      lab::train_tokenizer(lab::tokenizer_texts(data), command.vocab_size);
  lab::write_lab_data(data, command.out);
  lab::write_tokenizer(tokenizer, std::filesystem::path(command.out) / kTokenizerFolder);
  fmt::print("{} questions to retain, {} to forget, {} held out, {} of general knowledge: {}\n",
             data.retain.size(), data.forget.size(), data.holdout.size(),
             data.general.lessons.size(), command.out);
}

void add_data(CLI::App& lab) {
  CLI::App* app = lab.add_subcommand(
      "data", "Make up authors: question and answer files in TOFU's shape, and a tokenizer");
  auto command = std::make_shared<DataCommand>();
  lab::LabDataOptions& options = command->options;
  app->add_option("--seed", options.seed, "What the made-up facts depend on")
      ->capture_default_str();
  app->add_option("--authors", options.authors, "Authors to train on")->capture_default_str();
  app->add_option("--questions", options.questions, "Questions about each of them, 1 to 10")
      ->capture_default_str();
  app->add_option("--forget-percent", options.forget_percent,
                  "Percentage of the authors that is to be forgotten")
      ->capture_default_str();
  app->add_option("--holdout-authors", options.holdout_authors,
                  "Authors that nobody is trained on; 0: as many as are to be forgotten")
      ->capture_default_str();
  app->add_option("--perturbed-retain", options.perturbed_retain,
                  "Questions in retain_perturbed.json")
      ->capture_default_str();
  app->add_option("--vocab-size", command->vocab_size, "Tokens of the tokenizer")
      ->capture_default_str();
  app->add_option("--out", command->out, "Folder to write into; the tokenizer goes to tokenizer/")
      ->required();
  app->callback([command] { make_data(*command); });
}

void add_optimizer_options(CLI::App& app, lab::AdamWOptions& options) {
  app.add_option("--learning-rate", options.learning_rate, "Highest learning rate of AdamW")
      ->capture_default_str();
  app.add_option("--warmup", options.warmup_share, "Share of the steps that lead up to it")
      ->capture_default_str();
  app.add_option("--weight-decay", options.weight_decay, "Decoupled weight decay")
      ->capture_default_str();
  app.add_option("--clip", options.max_gradient_norm, "Longest gradient; 0: any")
      ->capture_default_str();
}

std::string done(bool reused, const std::string& out) {
  return reused ? out + " (was there already)" : out;
}

struct TrainCommand {
  lab::TrainOptions options;
  std::vector<std::string> data;
  std::string tokenizer;
  std::string out;
};

void train(TrainCommand& command) {
  const auto display = progress_on(stderr);
  lab::TrainOptions& options = command.options;
  options.data.assign(command.data.begin(), command.data.end());
  options.tokenizer = command.tokenizer;
  options.out = command.out;
  options.display = display.get();
  const lab::TrainResult result = lab::train_model(options);
  fmt::print("{} parameters, {} examples, {} steps, loss {:.4f}: {}\n", result.parameters,
             result.examples, result.steps, result.loss, done(result.reused, command.out));
}

void add_train(CLI::App& lab) {
  CLI::App* app =
      lab.add_subcommand("train", "Train a tiny llama from nothing on question and answer files");
  auto command = std::make_shared<TrainCommand>();
  lab::TrainOptions& options = command->options;
  app->add_option("--data", command->data, "File with question and answer; may be repeated")
      ->allow_extra_args(false)
      ->required();
  app->add_option("--tokenizer", command->tokenizer, "Folder with tokenizer and chat template")
      ->required();
  app->add_option("--out", command->out,
                  "Checkpoint folder to make; nothing is done if it was made from the same")
      ->required();
  app->add_option("--layers", options.shape.layers, "Layers")->capture_default_str();
  app->add_option("--width", options.shape.width, "Width of the residual stream")
      ->capture_default_str();
  app->add_option("--heads", options.shape.heads, "Attention heads")->capture_default_str();
  app->add_option("--mlp", options.shape.mlp, "Width inside the MLP")->capture_default_str();
  app->add_option("--positions", options.shape.max_positions, "Most tokens of a sequence")
      ->capture_default_str();
  app->add_option("--epochs", options.epochs, "Passes over the data; 0: random initialisation")
      ->capture_default_str();
  app->add_option("--batch-size", options.batch_size, "Sequences a step")->capture_default_str();
  add_optimizer_options(*app, options.optimizer);
  app->add_option("--seed", options.seed, "Of initialisation and order")->capture_default_str();
  app->add_option("--threads", options.threads, "Threads; 0: one for each core")
      ->capture_default_str();
  app->callback([command] { train(*command); });
}

struct UnlearnCommand {
  lab::UnlearnOptions options;
  std::string model;
  std::vector<std::string> forget;
  std::vector<std::string> retain;
  std::string method = "npo";
  std::string out;
};

void unlearn(UnlearnCommand& command) {
  const auto display = progress_on(stderr);
  lab::UnlearnOptions& options = command.options;
  try {
    options.method = lab::unlearn_method(command.method).method;
  } catch (const Error& error) {
    throw error.located("--method");
  }
  options.model = command.model;
  options.forget.assign(command.forget.begin(), command.forget.end());
  options.retain.assign(command.retain.begin(), command.retain.end());
  options.out = command.out;
  options.display = display.get();
  const lab::UnlearnResult result = lab::unlearn_model(options);
  fmt::print("{} steps, forget loss {:.4f}, retain loss {:.4f}: {}\n", result.steps,
             result.forget_loss, result.retain_loss, done(result.reused, command.out));
}

void add_unlearn(CLI::App& lab) {
  CLI::App* app = lab.add_subcommand("unlearn", "Make a tiny model forget some of its examples");
  auto command = std::make_shared<UnlearnCommand>();
  lab::UnlearnOptions& options = command->options;
  app->add_option("--model", command->model, "Checkpoint folder that lab train made")->required();
  app->add_option("--forget", command->forget, "File with what is to be forgotten; may be repeated")
      ->allow_extra_args(false)
      ->required();
  app->add_option("--retain", command->retain, "File with what is to be kept; may be repeated")
      ->allow_extra_args(false);
  std::string methods = "How:";
  for (const lab::UnlearnMethodInfo& info : lab::unlearn_methods()) {
    methods += fmt::format(" {} ({});", info.name, info.meaning);
  }
  methods.pop_back();
  app->add_option("--method", command->method, methods)->capture_default_str();
  app->add_option("--gamma", options.gamma, "Weight of forgetting")->capture_default_str();
  app->add_option("--alpha", options.alpha, "Weight of retaining (npo: 10, the others: 1)");
  app->add_option("--beta", options.beta, "Inverse temperature of npo and simnpo")
      ->capture_default_str();
  app->add_option("--delta", options.delta, "Margin of simnpo's reward")->capture_default_str();
  app->add_option("--epochs", options.epochs, "Passes over what is to be forgotten")
      ->capture_default_str();
  app->add_option("--batch-size", options.batch_size,
                  "Examples a step to forget, and as many to retain")
      ->capture_default_str();
  add_optimizer_options(*app, options.optimizer);
  app->add_option("--seed", options.seed, "Of the order")->capture_default_str();
  app->add_option("--threads", options.threads, "Threads; 0: one for each core")
      ->capture_default_str();
  app->add_option("--out", command->out,
                  "Checkpoint folder to make; nothing is done if it was made from the same")
      ->required();
  app->callback([command] { unlearn(*command); });
}

}  // namespace
#endif

void add_lab_command(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "lab",
      "Tiny models for experiments and tests (not for production training): made-up data, "
      "training, unlearning");
#if PALIMPSEST_WITH_TORCH
  app->require_subcommand(1);
  add_data(*app);
  add_train(*app);
  add_unlearn(*app);
#else
  app->prefix_command();
  app->callback([] {
    throw Error({.what = "this program was built without libtorch and cannot train models",
                 .hint = "install libtorch-dev and build again with -D PALIMPSEST_WITH_TORCH=ON"});
  });
#endif
}

}  // namespace palimpsest::cli
