#include "palimpsest/cli/handover.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/cli/version.h"

namespace palimpsest::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQuestion = "--handover-version";  // for programs, not for people
constexpr std::string_view kHasCuda = "cuda";
constexpr std::string_view kNoCuda = "no cuda";

// The programs that this one hands over to.
constexpr const char* kTorchProgram = "palimpsest-torch";
constexpr const char* kMpiProgram = "palimpsest-mpi";

// Where the other program may be, the usual place first.
std::vector<fs::path> candidates(const char* name) {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {(folder / PALIMPSEST_PROGRAMS_FROM_PROGRAM / name).lexically_normal(), folder / name};
}

std::optional<fs::path> find_program(const char* name) {
  for (const fs::path& path : candidates(name)) {
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

// What `program kQuestion` prints, or the part of it that fits; empty if it cannot be run.
std::string ask(const fs::path& program) {
  std::array<int, 2> pipe = {};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  std::string path = program.string();
  std::string question = kQuestion;
  char* arguments[] = {path.data(), question.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  std::string answer;
  std::array<char, 4096> part;
  ssize_t count = 0;
  while (failed == 0 && answer.size() < part.size() &&
         (count = ::read(pipe[0], part.data(), part.size())) > 0) {
    answer.append(part.data(), static_cast<size_t>(count));
  }
  ::close(pipe[0]);
  int status = 0;
  if (failed != 0 || ::waitpid(child, &status, 0) != child || status != 0) return "";
  return answer;
}

// The answers of programs of this version and commit.
std::string answer_of_torch_program(bool has_cuda) {
  return fmt::format("{} {}\n{}\n", kTorchProgram, version_and_commit(),
                     has_cuda ? kHasCuda : kNoCuda);
}

std::string answer_of_mpi_program() {
  return fmt::format("{} {}\n", kMpiProgram, version_and_commit());
}

// The first line, for a message.
std::string first_line(const std::string& answer) {
  const std::string line = answer.substr(0, answer.find('\n'));
  return line.empty() ? "a program that does not say what it is" : line;
}

// Whether the program has CUDA. Throws Error if it is not of this version.
bool require_same_version(const fs::path& program) {
  const std::string answer = ask(program);
  for (const bool has_cuda : {true, false}) {
    if (answer == answer_of_torch_program(has_cuda)) return has_cuda;
  }
  throw Error({.what = "the libtorch program has a different version from this one",
               .where = program.string(),
               .expected = first_line(answer_of_torch_program(false)),
               .found = first_line(answer),
               .hint = "build and install both together (docs/models.md)"});
}

std::optional<int> number_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return std::atoi(value);
}

// The number of processes in this one's MPI, as the environment tells it before MPI itself is
// started; nothing if no MPI started this process. Plain srun sets none of the first three
// variables. With --mpi=pmix only Slurm's own variable has the number; without it there are
// several, as far as can be known here.
std::optional<int> mpi_size_from_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const std::optional<int> size = number_in(variable)) return size;
  }
  if (!number_in("PMIX_RANK")) return std::nullopt;
  return number_in("SLURM_STEP_NUM_TASKS").value_or(2);
}

// This process's own arguments, as the system keeps them.
std::vector<std::string> arguments() {
  const std::string all = read_file("/proc/self/cmdline");
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = all.find('\0', begin);
    arguments.push_back(all.substr(begin, end - begin));
    begin = end == std::string::npos ? all.size() : end + 1;
  }
  return arguments;
}

[[noreturn]] void become(const fs::path& program) {
  std::vector<std::string> texts = arguments();
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw SystemError(fmt::format("{} cannot be started: {}", program.string(),
                                std::error_code(errno, std::generic_category()).message()));
}

}  // namespace

void hand_over(const std::string& device, const ProgramContext& context) {
  if (device == "cpu" || !context.hands_over) return;
  const std::optional<fs::path> program = find_program(kTorchProgram);
  if (!program) {
    throw Error({.what = fmt::format("the device '{}' needs the program palimpsest-torch, which "
                                     "was not found",
                                     device),
                 .expected = candidates(kTorchProgram).front().string(),
                 .hint = "install libtorch (Debian: libtorch-dev), then build and install again; "
                         "see docs/models.md"});
  }
  require_same_version(*program);
  become(*program);
}

void hand_over_if_cuda(const ProgramContext& context) {
  if (!context.hands_over) return;
  const std::optional<fs::path> program = find_program(kTorchProgram);
  if (!program) return;
  try {
    if (!require_same_version(*program)) return;
  } catch (const Error& error) {
    log_warning("{}; it is not used", error.what());
    return;
  }
  become(*program);
}

void hand_over_under_mpi(const ProgramContext& context) {
  if (!context.hands_over || mpi_size_from_environment().value_or(1) < 2) return;
  const std::optional<fs::path> program = find_program(kMpiProgram);
  if (!program) {
    throw Error({.what = fmt::format("several MPI processes need the program {}, which was not "
                                     "found",
                                     kMpiProgram),
                 .expected = candidates(kMpiProgram).front().string(),
                 .hint =
                     "install an MPI (Debian: libopenmpi-dev), then build and install again; or "
                     "give each process its --shard and start them without MPI (docs/scale.md)"});
  }
  const std::string answer = ask(*program);
  if (answer != answer_of_mpi_program()) {
    throw Error({.what = "the MPI program has a different version from this one",
                 .where = program->string(),
                 .expected = first_line(answer_of_mpi_program()),
                 .found = first_line(answer),
                 .hint = "build and install both together (docs/scale.md)"});
  }
  become(*program);
}

void require_one_mpi(int found) {
  const int told = mpi_size_from_environment().value_or(1);
  if (found > 1 || told < 2) return;
  throw SystemError(
      fmt::format("{} processes were started by an MPI that is not the one that {} uses, so none "
                  "of them knows of the others; start them with mpirun of Open MPI, or with srun "
                  "--mpi=pmix",
                  told, kMpiProgram));
}

bool reply_to_version_probe(const std::vector<std::string>& arguments,
                            const ProgramContext& context) {
  if (arguments != std::vector<std::string>{kQuestion}) return false;
  if (context.is_mpi) {
    fmt::print("{}", answer_of_mpi_program());
    return true;
  }
  if (!context.libtorch) return false;
  fmt::print("{}", answer_of_torch_program(context.make_loader({})->has_cuda()));
  return true;
}

std::string torch_program_line(const ProgramContext& context) {
  if (context.libtorch) return *context.libtorch;
  const std::optional<fs::path> program = find_program(kTorchProgram);
  return program ? fmt::format("in {}", program->string()) : "no program palimpsest-torch";
}

}  // namespace palimpsest::cli
