// The program as a library: run() is all of `palimpsest` but where its models come from, which differs
// between the two programs that are made of it: `palimpsest` (engine_program.cc) and `palimpsest-torch`
// (torch_program.cc), to which the first hands over (handover.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/cli/tables.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::cli {

// Must outlive run().
struct ProgramContext {
  // What runs the models; it looks for an adapter's base where the hub cache is.
  std::function<std::unique_ptr<model::ModelLoader>(const model::HubEnvironment&)> make_loader;
  // Whether the process may become palimpsest-torch where a device asks for it: only a process that is
  // nothing but this program. Otherwise the loader is asked for the device, and refuses it.
  bool hands_over = false;
  std::optional<std::string> libtorch = {};  // its version, where the loader runs on it
  Tables tables = {};
  // The command line as it was given, without the program's own name; run() fills it in. Results name
  // it as their provenance.
  std::vector<std::string> arguments = {};
};

// Does what the arguments ask for, the program's own name not among them; results go to standard output,
// messages and progress to standard error. Returns the exit status: 0 done, 1 the run failed or
// `verify` found a difference, 2 the call or the input was wrong, 3 the answer is one that --fail-on or
// --require refuses (gates.h), 130 or 143 a signal stopped it (interruption.h). Failures become one sentence on standard error, never an exception. One run at
// a time per process: the log and the choice of vector instructions are the process's.
int run(const std::vector<std::string>& arguments, const ProgramContext& context);

// The same for main(), with the arguments of the process. Where memory runs out in a place that cannot
// throw, the process ends with the sentence and the status of run() instead of being aborted.
int run_process(int argc, char** argv, const ProgramContext& context);

}  // namespace palimpsest::cli
