// Statistics on disk: what `palimpsest metrics` writes and `palimpsest merge` combines.
//
//   {"palimpsest_stat": 1,
//    "stats":   {"accuracy": {"type": "mean", "accum": 3.0, "weight": 4.0}, …},
//    "results": {"accuracy": 0.75, …}}
//
// `results` is for people and plotting programs; it is derived from `stats` and ignored on reading.
// Fields of higher rank are nested arrays. Numbers survive a round trip bit for bit.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/stat/any_stat.h"

namespace palimpsest::stat {

// In the order in which they were asked for.
using NamedStats = std::vector<std::pair<std::string, AnyStat>>;

std::string stats_to_json(const NamedStats& stats);
// Throws Error (with `where` in front) if the text is not a statistics file of this version.
NamedStats stats_from_json(const std::string& text, const std::string& where,
                           const StatTable& table = default_stat_table());

NamedStats read_stats(const std::filesystem::path& path,
                      const StatTable& table = default_stat_table());

// Merges two sets that hold the same names with the same types and shapes; anything else is refused
// with an Error that names the first difference.
NamedStats merge_stats(const NamedStats& a, const NamedStats& b);

}  // namespace palimpsest::stat
