// The program: reads the command line, runs one subcommand, turns failures into one sentence and an
// exit status (0 done, 1 the run failed, 2 the call or the input was wrong).

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/table.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/handover.h"
#include "palimpsest/cli/version.h"

namespace palimpsest::cli {
namespace {

constexpr int kRunFailed = 1;
constexpr int kBadInput = 2;

constexpr void (*kCommands[])(Command&) = {
    add_eval_command,     add_mia_command,    add_trace_command, add_metrics_command,
    add_merge_command,    add_report_command, add_model_command, add_generate_command,
    add_tokenize_command, add_lab_command,    add_demo_command,  add_list_command,
};

int fail(int status, const std::string& message) {
  fmt::print(stderr, "palimpsest: {}\n", without_controls(message));  // it may quote a file
  return status;
}

void run(int argc, char** argv) {
  if (answer_hand_over(argc, argv)) return;
  Program program("palimpsest", "Palimpsest measures what a language model still remembers.");
  program.version(version_text);
  program.require_subcommand();
  bool quiet = false;
  program.flag("--quiet", quiet, "No log messages but errors");
  program.after_parsing([&] { log_to_standard_error(quiet ? LogLevel::kError : LogLevel::kInfo); });
  for (const auto add_command : kCommands) add_command(program);
  program.run(argc, argv);
}

}  // namespace
}  // namespace palimpsest::cli

int main(int argc, char** argv) {
  using namespace palimpsest;
  using namespace palimpsest::cli;
  try {
    run(argc, argv);
    return 0;
  } catch (const Error& error) {
    return fail(kBadInput, error.what());
  } catch (const BugError& error) {
    return fail(kRunFailed,
                fmt::format("this is a bug in Palimpsest, please report it: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return fail(kRunFailed, "out of memory");
  } catch (const std::exception& error) {
    return fail(kRunFailed, error.what());
  }
}
