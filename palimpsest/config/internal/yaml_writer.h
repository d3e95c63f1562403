// Writes a Value as YAML text, exactly as OmegaConf.to_yaml (PyYAML) does: in block style, with the
// keys in their order. Texts are quoted only if necessary, and long ones are folded after column
// 80. A key that would be read as a number is quoted, because keys are texts. Reading the text
// gives the same Value.
#pragma once

#include <string>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// Throws Error for an unreadable value (Value::unreadable()).
std::string to_yaml(const Value& value);

}  // namespace palimpsest::config
