// The label value of tokens that are not scored.
#pragma once

#include <cstdint>

namespace palimpsest {

// A position with this label is not scored. PyTorch's losses ignore the same value.
constexpr int64_t kIgnoredLabel = -100;

}  // namespace palimpsest
