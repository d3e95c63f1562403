// Reads parts of a configuration that several readers need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/parameter.h"

namespace palimpsest::eval {

// Converts a value to a Parameter, with its position in the configuration. Throws Error if a value
// is still ??? or could not be resolved.
Parameter to_parameter(const config::Value& value);

// Throws Error, with the file, line and key, for a value of the wrong type or out of range, and if
// more than one of cluster_size, cluster_key and independent is given.
InferenceSettings read_inference_settings(const config::Value& evaluator);

// The cluster_size that a data set itself states; 0 if it states none. Throws Error for sizes below
// 1.
int64_t read_cluster_size(const config::Value& owner);

// Reads a path or a list of paths; null gives none.
std::vector<std::string> read_log_paths(const config::Value* paths);

// `device` of the evaluators under `eval`; nullptr: none names one. Throws Error if two of them
// differ, since one model serves them all.
const config::Value* evaluators_device(const config::Value& config);

// Reads template_args of a model. Incomplete tags are left out.
PromptSettings read_prompt_settings(const config::Value& template_args);

}  // namespace palimpsest::eval
