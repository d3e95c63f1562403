// Prints statistics and writes them to files, for the subcommands that compute statistics.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/stat/stat_file.h"

namespace palimpsest::cli {

struct ResultOptions {
  std::string out = {};        // a statistics file to write; empty: none
  bool json = false;           // print the statistics file instead of tables
  std::string axis = "index";  // what the first axis of an array counts
};

// Formats the results as aligned tables. The first table has the single numbers and the vectors,
// with one row per element. If a value is a mean, its weight is shown beside it. Matrices follow,
// each in a table of its own.
std::string format_results(const stat::NamedStats& stats, const std::string& axis);

// Throws Error if the folder that should contain the file `out` does not exist. Commands call it
// before their work, so that they do not fail only at the end.
void require_folder_of(const std::string& out);

// Throws Error if a result in the file `out` would replace one of the inputs. An input that is a
// folder (a model, a data set of several files) stands for the files in it. A file is recognised
// under any path that leads to it, also through a link. Inputs that do not exist are left to the
// code that reads them.
void require_no_input_at(const std::filesystem::path& out,
                         const std::vector<std::filesystem::path>& inputs);

// The same for results with these names in the folder `out`. Only inputs that are files count: a
// run may write beside the results that it reads from a folder, which have other names.
void require_no_input_in(const std::filesystem::path& out, const std::vector<std::string>& names,
                         const std::vector<std::string>& inputs);

// Calls require_folder_of() and require_no_input_at(), and locks the file for as long as the result
// is kept (base/internal/output_lock.h). `command` tells other runs who holds the lock. Without a
// file there is nothing to lock. Throws Error if another run is writing to the file.
std::optional<OutputLock> lock_output_file(const std::string& out, const std::string& command,
                                           const std::vector<std::filesystem::path>& inputs);

// Writes the statistics file, if one is requested, and prints the results.
void report_results(const stat::NamedStats& stats, const ResultOptions& options);

}  // namespace palimpsest::cli
