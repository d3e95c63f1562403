// Parts of a configuration that several of its readers need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/inference_settings.h"
#include "palimpsest/eval/model_settings.h"
#include "palimpsest/eval/parameter.h"

namespace palimpsest::eval {

// The same content, each value with its place in the configuration. Throws Error where one is still ???
// or could not be resolved.
Parameter to_parameter(const config::Value& value);

// Throws Error where a value is still ??? or could not be resolved.
void require_no_missing_values(const config::Value& value);

// Throws Error (with file, line and key) for a value of the wrong type or out of range, and where
// more than one of cluster_size, cluster_key and independent is given.
InferenceSettings read_inference_settings(const config::Value& evaluator);

// The size that a data set states for itself; 0 where it states none. Throws Error below 1.
int64_t read_cluster_size(const config::Value& owner);

// A path or a list of them; none for null.
std::vector<std::string> read_log_paths(const config::Value* paths);

// template_args of a model. Tags that are incomplete are left out.
PromptSettings read_prompt_settings(const config::Value& template_args);

}  // namespace palimpsest::eval
