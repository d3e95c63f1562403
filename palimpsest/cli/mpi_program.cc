// `palimpsest-mpi`: models run on the engine, in several processes together.

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "palimpsest/cli/handover.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/mpi_transport.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/engine/internal/backend.h"
#include "palimpsest/run/team.h"

namespace {

// Of the cores that this process may use. If it may use all, it shares them with the others here.
int threads_of(int local_processes) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  const int own = CPU_COUNT(&set);
  return own < cores ? own : std::max(1, cores / local_processes);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace palimpsest;
  cli::ProgramContext context{.make_loader = cli::engine_loader_on(engine::make_cpu_backend),
                              .is_mpi = true};
  // The question who this is comes from a process that is in MPI itself.
  if (argc == 2 && std::string_view(argv[1]) == "--handover-version")
    return cli::run_process(argc, argv, context);
  try {
    const cli::MpiProcess mpi(argc, argv);
    std::unique_ptr<run::TeamTransport> transport = mpi.transport();
    cli::require_one_mpi(transport->size());
    run::Team team(std::move(transport), mpi.host());
    context.team = &team;
    context.threads = threads_of(mpi.local_size());
    const int status = cli::run_process(argc, argv, context);
    // What a follower cannot do, the leader has said; its status is that of the run.
    return team.is_leader() ? status : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "palimpsest: %s\n", error.what());
    return 1;
  }
}
