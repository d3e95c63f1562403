#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/cli/shards.h"
#include "palimpsest/model/internal/adapter_base.h"
#include "palimpsest/run/trace_run.h"

namespace palimpsest::cli {
namespace {

struct TraceCommand {
  ModelArguments model;
  DataArguments data_arguments;
  std::string data;
  std::vector<std::string> grad_norms;
  ShardArguments shard;
  bool json = false;
  std::string out;
};

std::vector<model::NormOrder> orders_of(const std::vector<std::string>& names) {
  std::vector<model::NormOrder> orders;
  for (const std::string& name : names) {
    const std::optional<model::NormOrder> order = run::find_order(name);
    if (!order) {
      throw Error({.what = fmt::format("there is no norm of order '{}'", name),
                   .where = "--grad-norm",
                   .expected = "1, 2 or inf"});
    }
    if (std::ranges::find(orders, *order) == orders.end()) orders.push_back(*order);
  }
  return orders;
}

void trace(const TraceCommand& command, const ProgramContext& context, std::stop_token stop) {
  const model::HubEnvironment environment = hub_environment();
  const run::WorkOptions work = work_options(command.shard, context);
  const std::filesystem::path folder = model::find_model(command.model.model, environment);
  model::ModelOptions options = model_options(command.model, context);
  std::vector<std::filesystem::path> inputs = model_folders(command.model.model, environment);
  inputs.insert(inputs.end(), {command.data, command.data_arguments.options.few_shot});
  require_no_input_at(command.out, inputs);
  options.stage = stage_of(work);
  const std::vector<model::NormOrder> orders = orders_of(command.grad_norms);
  const std::unique_ptr<model::ModelLoader> loader = context.make_loader(environment);
  data::PreparationOptions prepare = preparation_options(command.data_arguments);
  prepare.threads = options.threads;
  const auto [preparation, examples] =
      prepare_data(std::move(prepare), model::find_tokenizer(folder, environment), command.data);

  const std::filesystem::path out = command.out;
  std::optional<OutputLock> lock;
  if (!work.follows()) {
    lock = OutputLock::of_file(out, with_shard("palimpsest trace", work),
                               work.shard ? work.shard->part() : "");
  }
  const auto display = progress_on(stderr);
  run::TraceRunOptions how;
  how.run.folder = run::journal_folder(out);
  how.run.display = display.get();
  how.run.stop = std::move(stop);
  how.run.work = work;
  how.model = options;
  run::TraceRun run(*loader, how);
  const run::TraceCounts counts =
      run.trace({.name = command.model.model, .folder = folder},
                {{.dataset = command.data, .examples = &examples, .out = out}},
                {.masked_token = preparation.masked_token(), .gradient_norms = orders},
                preparation.tokenizer());
  if (work.follows()) return;
  if (counts.resumed > 0) {
    log_info("{} of {} sequences had been run before", counts.resumed, counts.sequences);
  }
  if (work.shard) return print_shard_done(*work.shard, command.json);
  run::remove_journals(out);
  if (command.json) {
    print_json(to_text({{"out", command.out},
                        {"examples", counts.examples},
                        {"sequences", counts.sequences},
                        {"tokens", counts.tokens},
                        {"resumed", counts.resumed}}));
    return;
  }
  fmt::print("{} examples, {} sequences, {} tokens: {}\n", counts.examples, counts.sequences,
             counts.tokens, command.out);
}

}  // namespace

void add_trace_command(Command& program, const ProgramContext& context) {
  Command app = program.subcommand(
      "trace", "Run a model over a data set once and keep what every attack needs");
  auto command = std::make_shared<TraceCommand>();
  add_model_options(app, command->model);
  Command data = app.group("Model and data");
  data.option("--data", command->data, "Data set: .json, .jsonl or .csv").required();
  add_data_options(app, command->data_arguments);
  app.option(
         "--group-key", command->data_arguments.options.group_keys,
         "Keep the value of this key of the records, so that results can be split by it; may be "
         "repeated")
      .one_value_per_use();
  app.option("--grad-norm", command->grad_norms,
             "Also compute gradient norms of this order: 1, 2 or inf; may be repeated")
      .one_value_per_use();
  add_shard_options(app, command->shard);
  Command output = app.group("Output");
  output.flag("--json", command->json, "Print the counts as JSON");
  output
      .option("--out", command->out,
              "Trace file to write; after an interruption, the same command continues where it "
              "stopped")
      .required();
  app.action([command, &context] {
    interruptible(AfterStop::kResumes,
                  [&](const std::stop_token& stop) { trace(*command, context, stop); });
  });
}

}  // namespace palimpsest::cli
