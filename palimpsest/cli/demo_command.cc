#include <fmt/format.h>

#include <memory>

#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/demo.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"

namespace palimpsest::cli {

void add_demo_command(Command& program, const ProgramContext& context) {
  Command command = program.subcommand(
      "demo", "A whole unlearning audit on models made on the spot: nothing is downloaded");
  auto options = std::make_shared<DemoOptions>();
  command.option("--out", options->out, "Folder for data, models, results and the page")
      .show_default();
  command.option("--seed", options->seed, "What data and models depend on").show_default();
  command
      .option("--authors", options->authors,
              "Made-up authors to train on; fewer take less time and show less")
      .show_default();
  command.option("--epochs", options->epochs, "Passes of training over the data").show_default();
  command
      .option("--method", options->method,
              "How the model is made to forget: grad_ascent, grad_diff, kl, npo, simnpo")
      .completes({"grad_ascent", "grad_diff", "kl", "npo", "simnpo"})
      .show_default();
  command.option("--threads", options->threads, "Threads of training; 0: one for each core")
      .show_default();
  auto as_json = std::make_shared<bool>(false);
  command.flag("--json", *as_json, "Print the results as JSON");
  command.action([options, as_json, &context] {
    const auto display = progress_on(stderr);
    options->display = display.get();
    interruptible(AfterStop::kGoesOn, [&](const std::stop_token& stop) {
      options->stop = stop;
      const DemoResult result = run_demo(*options, context);
      if (*as_json) {
        print_json(demo_json(result));
      } else {
        fmt::print("{}", demo_text(result));
      }
    });
  });
}

}  // namespace palimpsest::cli
