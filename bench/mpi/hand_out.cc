// What it costs to hand out many tiny batches: runs BATCHES batches whose computing takes no time,
// and prints {name: seconds} as JSON. Under mpirun, all processes compute them together.
//
//   hand_out BATCHES FOLDER
//   mpirun -n 2 hand_out BATCHES FOLDER
//
// `pure` is the hand-out alone. `journal` also commits the results to a journal in FOLDER, as a run
// does, for a hundredth of the batches: every commit waits for the disk.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/mpi_transport.h"
#include "palimpsest/run/internal/batch_run.h"
#include "palimpsest/run/internal/team_pass.h"
#include "palimpsest/run/team.h"

namespace palimpsest {
namespace {

constexpr size_t kPayloadBytes = 100;
constexpr size_t kCommittedShare = 100;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string payload_of(size_t batch) {
  return std::string(kPayloadBytes, static_cast<char>(batch));
}

// Each result must arrive once.
double hand_out(run::Team& team, size_t batches) {
  const run::PartRequirement plan{.fingerprint = std::string(32, '0'), .made_with = {}};
  std::vector<size_t> all(batches);
  for (size_t i = 0; i < batches; ++i) all[i] = i;
  std::vector<char> seen(batches);
  return seconds_of([&] {
    run::TeamPass pass(team, plan);
    if (!team.is_leader()) return pass.follow(payload_of);
    pass.lead(all, payload_of, [&](size_t batch, const std::string& payload) {
      PALIMPSEST_CHECK(seen[batch]++ == 0 && payload == payload_of(batch));
    });
    for (const char one : seen) PALIMPSEST_CHECK(one == 1);
  });
}

double run_with_journal(run::Team& team, size_t batches, const std::filesystem::path& folder) {
  run::BatchPlan plan{.fingerprint = std::string(32, '1'),
                      .batches = std::vector<run::BatchPlan::Batch>(batches)};
  run::RunOptions options{.folder = folder};
  if (team.size() > 1) options.work.team = &team;
  return seconds_of([&] {
    run::BatchRun run(std::move(plan), options);
    run.run(
        "batches", [](size_t batch, const auto&) { return payload_of(batch); },
        [](size_t, std::string_view) { return true; });
  });
}

void measure(int& argc, char**& argv) {
  const cli::MpiProcess mpi(argc, argv);
  run::Team team(mpi.transport(), mpi.host());
  const auto batches = static_cast<size_t>(std::atoll(argv[1]));
  const std::filesystem::path folder = argv[2];
  const double pure = hand_out(team, batches);
  const double journal = run_with_journal(team, batches / kCommittedShare, folder);
  if (team.is_leader())
    fmt::print("{{\"processes\": {}, \"pure\": {:.6f}, \"journal\": {:.6f}}}\n", team.size(), pure,
               journal);
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: hand_out BATCHES FOLDER\n");
    return 2;
  }
  try {
    palimpsest::measure(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hand_out: {}\n", error.what());
    return 1;
  }
  return 0;
}
