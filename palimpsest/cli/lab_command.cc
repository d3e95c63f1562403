#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/lab/internal/tokenizer_files.h"
#include "palimpsest/lab/lab_data.h"
#include "palimpsest/lab/training.h"
#include "palimpsest/lab/unlearning.h"

namespace palimpsest::cli {

namespace {

constexpr const char* kTokenizerFolder = "tokenizer";

// Every command of the lab has this flag.
void add_json_flag(Command& app, bool& json) {
  app.flag("--json", json, "Print the result as JSON");
}

struct DataCommand {
  lab::LabDataOptions options;
  int64_t vocab_size = 1024;
  bool json = false;
  std::filesystem::path out;
};

void make_data(const DataCommand& command, const std::stop_token& stop) {
  const OutputLock lock = OutputLock::of_folder(command.out, "palimpsest lab data");
  const lab::LabData data = lab::make_lab_data(command.options);
  const tokenizer::TokenizerTexts tokenizer =
      lab::train_tokenizer(lab::tokenizer_texts(data), command.vocab_size, stop);
  if (stop.stop_requested()) throw Stopped();
  lab::write_lab_data(data, command.out);
  lab::write_tokenizer(tokenizer, command.out / kTokenizerFolder);
  if (command.json) {
    print_json(to_text({{"out", command.out.string()},
                        {"retain", data.retain.size()},
                        {"forget", data.forget.size()},
                        {"holdout", data.holdout.size()},
                        {"general", data.general.lessons.size()}}));
    return;
  }
  fmt::print("{} questions to retain, {} to forget, {} held out, {} of general knowledge: {}\n",
             data.retain.size(), data.forget.size(), data.holdout.size(),
             data.general.lessons.size(), command.out.string());
}

void add_data(Command& lab) {
  Command app = lab.subcommand(
      "data", "Make up authors: write question and answer files in TOFU's format, and a tokenizer");
  auto command = std::make_shared<DataCommand>();
  lab::LabDataOptions& options = command->options;
  app.option("--seed", options.seed, "Seed of the made-up facts").show_default();
  app.option("--authors", options.authors, "Authors to train on").show_default();
  app.option("--questions", options.questions, "Questions about each of them, 1 to 10")
      .show_default();
  app.option("--forget-percent", options.forget_percent,
             "Percentage of the authors that is to be forgotten")
      .show_default();
  app.option("--holdout-authors", options.holdout_authors,
             "Authors that no model is trained on; 0: as many as are to be forgotten")
      .show_default();
  app.option("--perturbed-retain", options.perturbed_retain, "Questions in retain_perturbed.json")
      .show_default();
  app.option("--vocab-size", command->vocab_size, "Vocabulary size of the tokenizer")
      .show_default();
  app.option("--out", command->out, "Folder to write into; the tokenizer goes to tokenizer/")
      .required();
  add_json_flag(app, command->json);
  app.action([command] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { make_data(*command, stop); });
  });
}

void add_optimizer_options(Command app, lab::AdamWOptions& options) {
  app.option("--learning-rate", options.learning_rate, "Peak learning rate of AdamW")
      .show_default();
  app.option("--warmup", options.warmup_share,
             "Share of the steps in which the learning rate warms up")
      .show_default();
  app.option("--weight-decay", options.weight_decay, "Decoupled weight decay").show_default();
  app.option("--clip", options.max_gradient_norm,
             "Largest norm of the gradient (gradient clipping); 0: no limit")
      .show_default();
}

void add_machine_options(Command app, int64_t& micro_batch, int& threads, std::string& isa) {
  app.option("--micro-batch", micro_batch,
             "Tokens per micro-batch; a step adds up the gradients of as many micro-batches as it "
             "needs")
      .show_default();
  app.option("--threads", threads, "Number of threads; 0: one per core").show_default();
  add_isa_option(app, isa);
}

std::string done(bool reused, const std::filesystem::path& out) {
  return reused ? out.string() + " (already exists)" : out.string();
}

struct TrainCommand {
  lab::TrainOptions options;
  std::string isa = "auto";
  bool json = false;
};

void train(TrainCommand& command, std::stop_token stop) {
  use_isa(command.isa);
  check_threads(command.options.threads);
  lab::TrainOptions& options = command.options;
  if (options.from.empty() == options.tokenizer.empty()) {
    throw Error({.what = options.from.empty() ? "there is nothing to train with"
                                              : "a checkpoint brings its own tokenizer",
                 .expected = "--from CHECKPOINT, or --tokenizer FOLDER to train from scratch"});
  }
  const auto display = progress_on(stderr);
  options.display = display.get();
  options.stop = std::move(stop);
  const lab::TrainResult result = lab::train_model(options);
  if (command.json) {
    print_json(to_text({{"out", options.out.string()},
                        {"parameters", result.parameters},
                        {"examples", result.examples},
                        {"steps", result.steps},
                        {"loss", number_to_json(result.loss)},
                        {"reused", result.reused}}));
    return;
  }
  fmt::print("{} parameters, {} examples, {} steps, loss {:.4f}: {}\n", result.parameters,
             result.examples, result.steps, result.loss, done(result.reused, options.out));
}

void add_train(Command& lab) {
  Command app = lab.subcommand(
      "train",
      "Train a tiny Llama model from scratch, or continue to train a checkpoint (all "
      "weights, AdamW)");
  auto command = std::make_shared<TrainCommand>();
  lab::TrainOptions& options = command->options;
  app.option("--data", options.data,
             "File of records with question and answer, or with text; may be repeated")
      .one_value_per_use()
      .required();
  app.option("--from", options.from,
             "Checkpoint folder of any supported family to continue from, with its tokenizer");
  app.option("--tokenizer", options.tokenizer,
             "Folder with tokenizer and chat template, to train from scratch");
  app.option("--out", options.out,
             "Checkpoint folder to write; nothing is done if it was already made from the same "
             "files and options")
      .required();
  app.option("--layers", options.shape.layers, "Layers").show_default();
  app.option("--width", options.shape.width, "Width of the residual stream").show_default();
  app.option("--heads", options.shape.heads, "Attention heads").show_default();
  app.option("--mlp", options.shape.mlp, "Width inside the MLP").show_default();
  app.option("--positions", options.shape.max_positions, "Maximum number of tokens of a sequence")
      .show_default();
  app.option("--epochs", options.epochs, "Passes over the data; 0: only the initialisation")
      .show_default();
  app.option("--batch-size", options.batch_size, "Sequences per step").show_default();
  add_machine_options(app.group("Machine"), options.micro_batch, options.threads, command->isa);
  add_optimizer_options(app.group("Optimizer"), options.optimizer);
  app.option("--seed", options.seed, "Seed of the initial weights and of the order of the examples")
      .show_default();
  add_json_flag(app, command->json);
  app.action([command] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { train(*command, stop); });
  });
}

struct UnlearnCommand {
  lab::UnlearnOptions options;
  std::string method = "npo";
  std::string isa = "auto";
  bool json = false;
};

void unlearn(UnlearnCommand& command, std::stop_token stop) {
  use_isa(command.isa);
  check_threads(command.options.threads);
  const auto display = progress_on(stderr);
  lab::UnlearnOptions& options = command.options;
  try {
    options.method = lab::unlearn_method(command.method).method;
  } catch (const Error& error) {
    throw error.located("--method");
  }
  options.display = display.get();
  options.stop = std::move(stop);
  const lab::UnlearnResult result = lab::unlearn_model(options);
  if (command.json) {
    print_json(to_text({{"out", options.out.string()},
                        {"steps", result.steps},
                        {"forget_loss", number_to_json(result.forget_loss)},
                        {"retain_loss", number_to_json(result.retain_loss)},
                        {"reused", result.reused}}));
    return;
  }
  fmt::print("{} steps, forget loss {:.4f}, retain loss {:.4f}: {}\n", result.steps,
             result.forget_loss, result.retain_loss, done(result.reused, options.out));
}

void add_unlearn(Command& lab) {
  Command app =
      lab.subcommand("unlearn", "Make a checkpoint of any supported family forget some examples");
  auto command = std::make_shared<UnlearnCommand>();
  lab::UnlearnOptions& options = command->options;
  app.option("--model", options.model, "Checkpoint folder with its tokenizer").required();
  app.option("--forget", options.forget, "File with what is to be forgotten; may be repeated")
      .one_value_per_use()
      .required();
  app.option("--retain", options.retain, "File with what is to be kept; may be repeated")
      .one_value_per_use();
  std::string methods = "How:";
  std::vector<std::string> method_names;
  for (const lab::UnlearnMethodInfo& info : lab::unlearn_methods()) {
    method_names.emplace_back(info.name);
    methods += fmt::format(" {} ({});", info.name, info.meaning);
  }
  methods.pop_back();
  app.option("--method", command->method, methods).completes(method_names).show_default();
  app.option("--gamma", options.gamma, "Weight of forgetting").show_default();
  app.option("--alpha", options.alpha, "Weight of retaining (npo: 10, the others: 1)");
  app.option("--beta", options.beta, "Inverse temperature of npo and simnpo").show_default();
  app.option("--delta", options.delta, "Margin of simnpo's reward").show_default();
  app.option("--epochs", options.epochs, "Passes over what is to be forgotten").show_default();
  app.option("--batch-size", options.batch_size,
             "Examples to forget per step, and as many to retain")
      .show_default();
  add_machine_options(app.group("Machine"), options.micro_batch, options.threads, command->isa);
  add_optimizer_options(app.group("Optimizer"), options.optimizer);
  app.option("--seed", options.seed, "Seed of the order of the examples").show_default();
  add_json_flag(app, command->json);
  app.option("--out", options.out,
             "Checkpoint folder to write; nothing is done if it was already made from the same "
             "files and options")
      .required();
  app.action([command] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { unlearn(*command, stop); });
  });
}

}  // namespace

void add_lab_command(Command& program) {
  Command app = program.subcommand(
      "lab",
      "Models for experiments and tests (not for production training): made-up data, training, "
      "unlearning");
  app.require_subcommand();
  add_data(app);
  add_train(app);
  add_unlearn(app);
}

}  // namespace palimpsest::cli
