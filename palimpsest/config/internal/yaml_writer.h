// A Value as YAML text, exactly as OmegaConf.to_yaml (PyYAML) prints it: block style, keys in their
// order, texts quoted only where they must be, long ones folded after column 80. Reading the text
// back gives the same Value. Keys are texts; one that reads as a number is quoted.
#pragma once

#include <string>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// Throws Error for a value that is unreadable.
std::string to_yaml(const Value& value);

}  // namespace palimpsest::config
