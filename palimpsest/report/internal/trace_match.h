// Tells the trace files of a run from others, by the scores of the run's attacks: the traces of its
// own files give them.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "palimpsest/report/run_results.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::report {

// The first few traces of a file. Throws Error if it is not a valid trace file.
std::vector<trace::Trace> first_traces(const std::filesystem::path& file);

// Whether the traces give the scores of an attack on one set. Attacks with a reference model cannot
// be used for this. For attacks whose parameters are unknown, all settings of a sweep are tried.
bool give_scores(const std::vector<trace::Trace>& traces, std::span<const RunMetric> metrics,
                 attack::SetScores attack::ScoredAttack::*set);

}  // namespace palimpsest::report
