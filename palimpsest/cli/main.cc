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

// In the order in which the help shows them.
void add_commands(Command& program, const Tables& tables) {
  add_eval_command(program, tables);
  add_mia_command(program, tables);
  add_trace_command(program);
  add_metrics_command(program, tables);
  add_merge_command(program, tables);
  add_report_command(program, tables);
  add_model_command(program);
  add_generate_command(program);
  add_tokenize_command(program);
  add_lab_command(program);
  add_demo_command(program);
  add_list_command(program, tables);
}

int fail(int status, const std::string& message) {
  fmt::print(stderr, "palimpsest: {}\n", without_controls(message));  // it may quote a file
  return status;
}

void run(int argc, char** argv) {
  if (answer_hand_over(argc, argv)) return;
  const Tables tables;
  Program program("palimpsest", "Palimpsest measures what a language model still remembers.");
  program.version(version_text);
  program.require_subcommand();
  bool quiet = false;
  program.flag("--quiet", quiet, "No log messages but errors");
  program.after_parsing([&] { log_to_standard_error(quiet ? LogLevel::kError : LogLevel::kInfo); });
  add_commands(program, tables);
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
    return fail(kRunFailed,
                "there is not enough memory; take fewer examples at once, a smaller model, or a "
                "machine that has more");
  } catch (const std::exception& error) {
    return fail(kRunFailed, error.what());
  }
}
