// Evaluation logs: <NAME>_EVAL.json with every metric's result, and <NAME>_SUMMARY.json with the
// agg_value of those that were asked for. open-unlearning's schema, both ways; Python's NaN and
// Infinity are read (NaN as undefined), a NaN is never written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "palimpsest/eval/metric_result.h"

namespace palimpsest::eval {

// By name.
using EvalLog = std::map<std::string, MetricResult>;

// Throws Error (with file and metric) for what is no such log. Members of a metric that are neither
// numbers, texts nor lists of them are left out.
EvalLog read_eval_log(const std::filesystem::path& path);

// Replaces the file in one step.
void write_eval_log(const std::filesystem::path& path, const EvalLog& log);

// The agg_value of the requested metrics, undefined ones left out.
void write_summary(const std::filesystem::path& path, const EvalLog& log,
                   const std::vector<std::string>& requested);

}  // namespace palimpsest::eval
