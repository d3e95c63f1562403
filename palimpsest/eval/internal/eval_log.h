// Evaluation logs in the format of open-unlearning. <NAME>_EVAL.json has the result of every
// metric. <NAME>_SUMMARY.json has only the overall value (agg_value) of each metric that the user
// requested. Reading accepts Python's NaN (as undefined) and Infinity; NaN is never written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/eval/metric_result.h"

namespace palimpsest::eval {

// Throws Error, which names the file and the metric, if the file is not such a log. Values of a
// metric that are not numbers, texts or lists of these are ignored.
EvalLog read_eval_log(const std::filesystem::path& path);

// Replaces the file atomically.
void write_eval_log(const std::filesystem::path& path, const EvalLog& log);

// Writes the agg_value of the requested metrics. Undefined values are left out.
void write_summary(const std::filesystem::path& path, const EvalLog& log,
                   const std::vector<std::string>& requested);

}  // namespace palimpsest::eval
