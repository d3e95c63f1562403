// The program as a library. Three programs are built from it: `palimpsest` (engine_program.cc),
// `palimpsest-torch` (torch_program.cc) and `palimpsest-mpi` (mpi_program.cc). They differ only in
// what runs their models, and in whether one process runs them or several processes together.
// `palimpsest` hands the run over to one of the others if it needs libtorch or was started by MPI
// (handover.h).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/cli/tables.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/run/team.h"

namespace palimpsest::cli {

// What a program passes to run(). It must outlive the call.
struct ProgramContext {
  // Makes the loader that runs the models. The loader searches the hub cache for the base model of
  // an adapter.
  std::function<std::unique_ptr<model::ModelLoader>(const model::HubEnvironment&)> make_loader;
  // Whether the process may become palimpsest-torch if a device needs it, or palimpsest-mpi if MPI
  // started it (handover.h). This is right only for a process that does nothing but run(). If
  // false, a device that needs libtorch is passed to the loader, which may refuse it.
  bool hands_over = false;
  bool is_mpi = false;                       // whether this is palimpsest-mpi
  std::optional<std::string> libtorch = {};  // the version of libtorch, if the loader uses it
  Tables tables = {};
  // The folder of configurations that ships with the program. Empty: found from the program's own
  // location (configurations.h). A host program such as a Python interpreter has to set it,
  // because the interpreter lies elsewhere.
  std::filesystem::path configs = {};
  // The processes that run this command together (palimpsest-mpi). All but the leader print
  // nothing.
  run::Team* team = nullptr;
  int threads = 0;  // the number used if --threads is 0; 0: one per core
  // The command line as it was given, without the program's own name; run() fills it in. Results
  // name it as their provenance.
  std::vector<std::string> arguments = {};
};

// Runs the command that the arguments give. They do not include the name of the program. Results go
// to standard output; messages and progress go to standard error. A failure is reported as one
// sentence on standard error; no exception leaves this function. Returns the exit status:
//
//   0           the command succeeded
//   1           the run failed, or `verify` found a difference
//   2           the call or the input was wrong
//   3           --fail-on or --require refuses the answer (gates.h)
//   130 or 143  a signal stopped the command (interruption.h)
//
// Only one run at a time is allowed per process, because the log and the choice of vector
// instructions belong to the whole process.
int run(const std::vector<std::string>& arguments, const ProgramContext& context);

// The same for main(), with the arguments of the process. Memory may run out in code that cannot
// throw an exception, such as a destructor. The process then ends with the message and the exit
// status of run() instead of being aborted.
int run_process(int argc, char** argv, const ProgramContext& context);

}  // namespace palimpsest::cli
