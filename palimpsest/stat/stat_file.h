// Files of statistics. `palimpsest metrics` writes them, and `palimpsest merge` combines them.
//
//   {"palimpsest_stat": 1,
//    "stats":   {"accuracy": {"type": "mean", "accum": 3.0, "weight": 4.0}, …},
//    "results": {"accuracy": 0.75, …}}
//
// `results` is for people and plotting programs. It is derived from `stats` and ignored when the
// file is read. Fields of higher rank are nested arrays. Numbers are read back bit for bit.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/stat/any_stat.h"

namespace palimpsest::stat {

// Statistics with their names, in the order in which they were requested.
using NamedStats = std::vector<std::pair<std::string, AnyStat>>;

std::string stats_to_json(const NamedStats& stats);
// Throws Error, which begins with `where`, if the text is not a statistics file of this version.
NamedStats stats_from_json(const std::string& text, const std::string& where,
                           const StatTable& table = default_stat_table());

NamedStats read_stats(const std::filesystem::path& path,
                      const StatTable& table = default_stat_table());

// Merges two sets of statistics. They must have the same names, types and shapes; otherwise throws
// an Error that names the first difference.
NamedStats merge_stats(const NamedStats& a, const NamedStats& b);

}  // namespace palimpsest::stat
