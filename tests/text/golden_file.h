// Reads the gzipped JSON files of tests/golden.
#pragma once

#include <string>

#include "palimpsest/base/json.h"

namespace palimpsest {

// `name` is a path below tests/golden: "text/gpt2.json.gz".
Json read_golden(const std::string& name);

}  // namespace palimpsest
