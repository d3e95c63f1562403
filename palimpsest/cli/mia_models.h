// The model form of `palimpsest mia`: run the models over the forget and the holdout set, and hand
// the trace files on to what works from traces.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/cli/command_line.h"
#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/models.h"

namespace palimpsest::cli {

// As the user writes them.
struct MiaModels {
  ModelArguments model;
  std::string forget;  // data files
  std::string holdout;
  std::string reference;  // models; empty: none
  std::string baseline;
  DataArguments data;
};

// The trace files of the two sets under one model; empty where there is none.
struct SetTraces {
  std::string forget;
  std::string holdout;
};

struct MiaTraces {
  SetTraces model;
  SetTraces reference;
  SetTraces baseline;
  // Of the models and the tokenizer that were run, by name; empty for traces that were given.
  std::vector<std::pair<std::string, std::string>> fingerprints = {};
};

// --model, --forget, --holdout, --reference, --baseline, how to run them and how to prepare data.
// The arguments must live until the action of the command is over.
void add_mia_model_options(Command& command, MiaModels& models);

struct MiaTracing {
  const AttackTable& attacks;
  bool only_possible = true;    // leave out what this machine cannot compute, with a note
  ClusterChoice clusters = {};  // for what the sizes can tell, which is said before the run
  std::filesystem::path out;    // the run's folder: traces/ goes there
};

// Whatever can be wrong with the call or the data is found before a model runs.
MiaTraces trace_mia(const MiaModels& models, const MiaTracing& tracing);

}  // namespace palimpsest::cli
