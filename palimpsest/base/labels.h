// Labels of tokens.
#pragma once

#include <cstdint>

namespace palimpsest {

// The label of a position that is not scored: what PyTorch's losses ignore.
constexpr int64_t kIgnoredLabel = -100;

}  // namespace palimpsest
