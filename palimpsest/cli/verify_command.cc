#include <fmt/format.h>

#include <memory>
#include <string>

#include "palimpsest/base/internal/table.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/exit_status.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/evidence/verify.h"

namespace palimpsest::cli {
namespace {

constexpr int kDiffers = 1;

struct VerifyCommand {
  std::string folder;
  int threads = 0;
  bool json = false;
};

void verify(const VerifyCommand& command, const ProgramContext& context,
            const std::stop_token& stop) {
  check_threads(command.threads);
  const auto display = progress_on(stderr);
  const evidence::PackCheck check =
      evidence::verify_pack(command.folder, {.attacks = context.tables.attacks,
                                             .threads = command.threads,
                                             .stop = stop,
                                             .display = display.get()});
  if (command.json) {
    print_json(evidence::check_to_json(check, command.folder));
  } else {
    fmt::print("{}", without_controls(evidence::check_to_text(check, command.folder)));
  }
  if (!check.matches()) {
    throw ExitStatus(kDiffers, fmt::format("{} differs from what was written", command.folder));
  }
}

}  // namespace

void add_verify_command(Command& program, const ProgramContext& context) {
  Command app = program.subcommand(
      "verify", "Check a finished folder against its hashes, and compute its results again");
  auto command = std::make_shared<VerifyCommand>();
  app.option("DIR", command->folder, "A folder that `mia --out`, `eval` or `report --out` finished")
      .required();
  app.flag("--json", command->json, "Print what was found as JSON");
  app.option("--threads", command->threads, "Number of threads; 0: one per core").show_default();
  app.action([command, &context] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { verify(*command, context, stop); });
  });
}

}  // namespace palimpsest::cli
