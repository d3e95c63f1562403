#include "palimpsest/cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/instruction_set.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/base/log.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/exit_status.h"
#include "palimpsest/cli/handover.h"
#include "palimpsest/cli/terminal.h"
#include "palimpsest/cli/version.h"

namespace palimpsest::cli {
namespace {

constexpr int kRunFailed = 1;
constexpr int kBadInput = 2;
constexpr const char* kNoMemory =
    "there is not enough memory; use fewer examples at once, a smaller model, or a machine with "
    "more memory";

// In the order in which the help shows them.
void add_commands(Command& program, const ProgramContext& context) {
  add_eval_command(program, context);
  add_mia_command(program, context);
  add_trace_command(program, context);
  add_convert_command(program);
  add_gather_parts_command(program);
  add_import_command(program);
  add_metrics_command(program, context);
  add_merge_command(program, context.tables);
  add_report_command(program, context);
  add_plan_command(program, context);
  add_verify_command(program, context);
  add_model_command(program);
  add_generate_command(program, context);
  add_tokenize_command(program);
  add_lab_command(program);
  add_demo_command(program, context);
  add_list_command(program, context);
}

// Where the message cannot be written either (a full disk, a closed descriptor), the status is all
// that is left.
int fail(int status, const std::string& message) {
  const std::string line = fmt::format("{} {}\n", colored("palimpsest:", Color::kRed, stderr),
                                       without_controls(message));  // it may quote a file
  std::fputs(line.c_str(), stderr);
  return status;
}

constexpr const char* kHelpEnding =
    "`palimpsest help COMMAND` says more about a command.\n\n"
    "Exit status:\n"
    "  0    done\n"
    "  1    the run failed (for example for lack of memory), or `verify` found a difference\n"
    "  2    the call or the input was wrong\n"
    "  3    done, but --fail-on or --require refused the answer\n"
    "  130  stopped by Ctrl-C (SIGINT)\n"
    "  143  stopped by SIGTERM\n";

// What every command takes, before its name or after it.
struct GeneralOptions {
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";
};

void add_general_options(Command& command, GeneralOptions& options) {
  command.flag("--quiet", options.quiet, "Log errors only");
  command.flag("--verbose", options.verbose, "Also log what the run used: build, time, memory");
  command
      .option("--color", options.color,
              "Colours: auto (on a terminal, unless NO_COLOR is set), always, never")
      .one_of({"auto", "always", "never"});
}

// Of several processes that run a command together, only the leader speaks.
bool is_follower(const ProgramContext& context) {
  return context.team != nullptr && !context.team->is_leader();
}

void use_general_options(const GeneralOptions& options, const ProgramContext& context) {
  choose_color(options.color);
  const LogLevel level = is_follower(context) ? LogLevel::kSilent
                         : options.quiet      ? LogLevel::kError
                         : options.verbose    ? LogLevel::kDebug
                                              : LogLevel::kInfo;
  log_to_standard_error(level, has_color(stderr) ? LogColor::kAlways : LogColor::kNever);
  log_debug("palimpsest {}, {}", version_and_commit(), name_of(instruction_set()));
}

// The time since `start` and the most memory that the process has had.
void log_cost(std::chrono::steady_clock::time_point start) {
  rusage used = {};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  constexpr double kKibibyte = 1024.0;
  log_debug("took {:.2f} s, {:.2f} s of CPU time; at most {:.0f} MiB of memory", seconds.count(),
            static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
            static_cast<double>(used.ru_maxrss) / kKibibyte);
}

void run_command(const std::vector<std::string>& arguments, const ProgramContext& caller) {
  if (reply_to_version_probe(arguments, caller)) return;
  ProgramContext context = caller;
  context.arguments = arguments;
  Program program("palimpsest", "Palimpsest measures what a language model still remembers.");
  program.version([&] { return version_text(context); });
  program.require_subcommand();
  program.help_ending(kHelpEnding);
  add_commands(program, context);
  add_help_command(program);
  add_completion_command(program);
  GeneralOptions options;
  program.on_all_commands([&](Command& command) { add_general_options(command, options); });
  program.after_parsing([&] { use_general_options(options, context); });
  const auto start = std::chrono::steady_clock::now();
  program.run(arguments);
  log_cost(start);
}

// `reason` is an errno; 0: unknown.
int fail_to_print(int reason) {
  std::clearerr(stdout);
  const std::string why = reason == 0 ? "" : ": " + std::generic_category().message(reason);
  return fail(kRunFailed, "standard output cannot be written, so results are lost" + why);
}

// What a command prints may still be in a buffer, which nobody would look at again: a full disk
// must not end with status 0, nor with that of a gate. Nobody is left to read what a closed pipe
// lost, so that it is no failure.
int flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  const int reason = errno;  // 0 where an earlier write failed
  return reason == EPIPE ? 0 : fail_to_print(reason);
}

// A destructor that needs memory (the JSON library has one) can only terminate where there is none
// left. Nothing here may take memory.
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

// A file that is mapped into memory and then cut by another program, or whose disk fails, ends the
// process by SIGBUS. Nothing here may take memory.
void fail_to_read(int) {
  constexpr std::string_view kMessage =
      "palimpsest: a file that was being read became shorter, or its disk failed; run the command "
      "again when the file is complete\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(kRunFailed);
}

// The next files to be opened would get the numbers of standard descriptors that the caller closed,
// and what is printed would go into them. Reading and printing fail as they do on closed
// descriptors; messages are lost.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    const int taken = ::open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
    if (taken != descriptor && taken >= 0) ::close(taken);
  }
}

}  // namespace

int run_process(int argc, char** argv, const ProgramContext& context) {
  std::set_terminate(terminate_with_sentence);
  occupy_closed_descriptors();
  // A file that grows beyond a limit (ulimit -f) would end the process. Ignored, the write fails.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, fail_to_read);
  return run({argv + (argc > 0 ? 1 : 0), argv + argc}, context);
}

int run(const std::vector<std::string>& arguments, const ProgramContext& context) {
  choose_color("auto");  // an earlier run may have chosen otherwise
  const auto ended = [&](int status, const std::string& message) {
    if (!is_follower(context)) return fail(status, message);
    context.team->report_failure(status, message);
    return status;
  };
  try {
    run_command(arguments, context);
    return flush_standard_output();
  } catch (const run::LeaderEnded&) {
    return 0;  // the leader says why
  } catch (const Error& error) {
    return ended(kBadInput, error.what());
  } catch (const ExitStatus& status) {
    const int lost = flush_standard_output();
    return lost != 0 ? lost : ended(status.status(), status.what());
  } catch (const BugError& error) {
    return ended(kRunFailed,
                 fmt::format("this is a bug in Palimpsest, please report it: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return ended(kRunFailed, kNoMemory);
  } catch (const std::system_error& error) {
    // fmt::print() does not say what it could not write.
    if (std::ferror(stdout) != 0) return fail_to_print(error.code().value());
    return ended(kRunFailed, error.what());
  } catch (const std::exception& error) {
    return ended(kRunFailed, error.what());
  }
}

}  // namespace palimpsest::cli
