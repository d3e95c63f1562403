// YAML text as a Value, read as OmegaConf reads it: scalars as scalar.h says, quoted ones are
// texts, anchors, aliases and << merges work, every value knows its file and line. One document.
// Keys become texts (1: is the key "1"). Refused with file and line: broken YAML, a key that stands
// twice, tags beyond the basic ones, and whatever would grow out of hand: text beyond 16 MiB,
// nesting beyond 200 levels, more than 100,000 values (aliases count as often as they are used).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// `name` is what errors and places call the text, usually its file. An empty text is null.
Value read_yaml(std::string_view text, const std::string& name);

Value read_yaml_file(const std::filesystem::path& path);

}  // namespace palimpsest::config
