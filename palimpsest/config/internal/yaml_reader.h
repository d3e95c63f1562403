// Reads one YAML document as a Value, as OmegaConf does. Plain scalars follow scalar.h, and quoted
// ones are texts. Anchors, aliases and << merges work. Every value knows its file and line. Keys
// become texts (1: is the key "1"). Throws Error, with the file and line, for invalid YAML, for
// duplicate keys, for tags beyond the basic ones, and for documents that are too large: more than
// 16 MiB of text, more than 200 levels, or more than 100,000 values (aliases count as often as they
// are used).
#pragma once

#include <string>
#include <string_view>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// `name` stands for the text in messages and positions; it is usually the path of the file. An
// empty text is null.
Value read_yaml(std::string_view text, const std::string& name);

}  // namespace palimpsest::config
