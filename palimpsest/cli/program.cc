#include "palimpsest/cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/table.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/exit_status.h"
#include "palimpsest/cli/handover.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/version.h"

namespace palimpsest::cli {
namespace {

constexpr int kRunFailed = 1;
constexpr int kBadInput = 2;
constexpr const char* kNoMemory =
    "there is not enough memory; take fewer examples at once, a smaller model, or a machine that "
    "has more";

// In the order in which the help shows them.
void add_commands(Command& program, const ProgramContext& context) {
  add_eval_command(program, context);
  add_mia_command(program, context);
  add_trace_command(program, context);
  add_metrics_command(program, context.tables);
  add_merge_command(program, context.tables);
  add_report_command(program, context);
  add_plan_command(program, context);
  add_verify_command(program, context);
  add_model_command(program);
  add_generate_command(program, context);
  add_tokenize_command(program);
  add_lab_command(program);
  add_demo_command(program, context);
  add_list_command(program, context.tables);
}

int fail(int status, const std::string& message) {
  fmt::print(stderr, "palimpsest: {}\n", without_controls(message));  // it may quote a file
  return status;
}

void run_command(const std::vector<std::string>& arguments, const ProgramContext& caller) {
  if (answer_hand_over(arguments, caller)) return;
  ProgramContext context = caller;
  context.arguments = arguments;
  Program program("palimpsest", "Palimpsest measures what a language model still remembers.");
  program.version([&] { return version_text(context); });
  program.require_subcommand();
  bool quiet = false;
  program.flag("--quiet", quiet, "No log messages but errors");
  program.after_parsing([&] { log_to_standard_error(quiet ? LogLevel::kError : LogLevel::kInfo); });
  add_commands(program, context);
  program.run(arguments);
}

// What a command prints may still be in a buffer, which nobody would look at again: a full disk must not
// end with status 0. Nobody is left to read what a closed pipe lost, so that it is no failure.
int flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  const int reason = errno;  // 0 where an earlier write failed
  if (reason == EPIPE) return 0;
  std::clearerr(stdout);
  const std::string why = reason == 0 ? "" : ": " + std::generic_category().message(reason);
  return fail(kRunFailed, "standard output cannot be written, so that results are lost" + why);
}

// A destructor that needs memory (the JSON library has one) can only terminate where there is none left.
// Nothing here may take memory.
void terminate_with_sentence() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    for (const char* part : {"palimpsest: ", kNoMemory, "\n"}) {
      if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
    }
    ::_exit(kRunFailed);
  } catch (...) {  // a bug
  }
  std::abort();
}

}  // namespace

int run_process(int argc, char** argv, const ProgramContext& context) {
  std::set_terminate(terminate_with_sentence);
  return run({argv + (argc > 0 ? 1 : 0), argv + argc}, context);
}

int run(const std::vector<std::string>& arguments, const ProgramContext& context) {
  try {
    run_command(arguments, context);
    return flush_standard_output();
  } catch (const Error& error) {
    return fail(kBadInput, error.what());
  } catch (const ExitStatus& status) {
    return fail(status.status(), status.what());
  } catch (const Interrupted& interrupted) {
    return fail(interrupted.status(), interrupted.what());
  } catch (const BugError& error) {
    return fail(kRunFailed,
                fmt::format("this is a bug in Palimpsest, please report it: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return fail(kRunFailed, kNoMemory);
  } catch (const std::exception& error) {
    return fail(kRunFailed, error.what());
  }
}

}  // namespace palimpsest::cli
