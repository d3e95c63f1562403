// How statistics are shown and kept by the subcommands that make them.
#pragma once

#include <string>

#include "palimpsest/stat/stat_file.h"

namespace palimpsest::cli {

struct ResultOptions {
  std::string out = {};        // a statistics file to write; empty: none
  bool json = false;           // print the statistics file instead of tables
  std::string axis = "index";  // what the leading axis counts
};

// The results as aligned tables: single numbers and vectors (a row per element) in one table, with
// the weight where the value is a mean; matrices after it.
std::string format_results(const stat::NamedStats& stats, const std::string& axis);

// Throws Error if `out` is to go into a folder that does not exist: better before the work than
// after.
void require_folder_of(const std::string& out);

// Writes the statistics file, if one is asked for, and prints the results.
void report_results(const stat::NamedStats& stats, const ResultOptions& options);

}  // namespace palimpsest::cli
