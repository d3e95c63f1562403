// Evaluation logs: <NAME>_EVAL.json with every metric's result, and <NAME>_SUMMARY.json with the
// agg_value of those that were asked for. Both follow open-unlearning's schema. Python's NaN and
// Infinity are accepted when reading (NaN as undefined), but NaN is never written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "palimpsest/eval/metric_result.h"

namespace palimpsest::eval {

// Results by metric name.
using EvalLog = std::map<std::string, MetricResult>;

// Throws Error, which names the file and the metric, if the file is not such a log. Members of a
// metric that are not numbers, texts or lists of these are ignored.
EvalLog read_eval_log(const std::filesystem::path& path);

// Replaces the file atomically.
void write_eval_log(const std::filesystem::path& path, const EvalLog& log);

// The agg_value of the requested metrics, undefined ones left out.
void write_summary(const std::filesystem::path& path, const EvalLog& log,
                   const std::vector<std::string>& requested);

}  // namespace palimpsest::eval
