// What a run is called in tables and on pages, from the folder that it lies in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The last part of the path. open-unlearning evaluates a model that it has just trained into a
// folder `evals` within the folder of the task. The name of the task then says more.
std::string name_of_folder(const std::filesystem::path& folder);

// As few of the last parts of the run's path as distinguish it from the other runs.
std::string distinguishing_name(const RunResults& run, const std::vector<RunResults>& runs);

}  // namespace palimpsest::report
