// The options --shard, --no-run and --split-layers of the commands that run models, which divide a
// run among several processes or machines (run/work.h, run/team.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "palimpsest/cli/command_line.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/run/internal/batch_run.h"

namespace palimpsest::cli {

// As the user writes them.
struct ShardArguments {
  std::optional<std::string> shard;  // "I/N", "auto" or "auto/N"; not given: the whole run
  // Compute nothing: a batch that is in no journal is an Error (WorkOptions::computes).
  bool no_run = false;
  bool split_layers = false;

  // The first option that was given; empty: none.
  std::string given() const;
};

void add_shard_options(Command& command, ShardArguments& arguments);

// A shard, and the variable of a batch system that it was taken from ("SLURM_ARRAY_TASK_ID=3
// (Slurm)"). `from` is empty if the user gave the shard as I/N.
struct ChosenShard {
  run::Shard shard;
  std::string from;
};

// Looks up an environment variable.
using Variable = std::function<std::optional<std::string>(const std::string& name)>;
// Reads the value of --shard. Throws Error if the text is wrong, or if it is "auto" and no batch
// system says which shard this is.
ChosenShard parse_shard(const std::string& text, const Variable& variable);

// What the arguments mean for this process. Logs which variable of a batch system was used. Does
// not return if MPI started this process as one of several: the process then becomes palimpsest-mpi
// (handover.h). So this must be called before any input is read.
run::WorkOptions work_options(const ShardArguments& arguments, const ProgramContext& context);
// The part of the layers that this process has, if layers are split (ModelOptions::stage).
std::optional<model::Stage> stage_of(const run::WorkOptions& work);

// The same text with the shard added, for the lock that other runs see: "palimpsest eval --shard
// 2/7".
std::string with_shard(const std::string& command, const run::WorkOptions& work);

// Says on standard output that the shard is done, and how to go on.
void print_shard_done(const run::Shard& shard, bool as_json);

}  // namespace palimpsest::cli
