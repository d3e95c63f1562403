// Labels of tokens.
#pragma once

#include <cstdint>

namespace palimpsest {

// The label of a position that is not scored. It is the value that PyTorch's losses ignore.
constexpr int64_t kIgnoredLabel = -100;

}  // namespace palimpsest
