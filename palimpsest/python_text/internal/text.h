// Python's str methods as functions over valid UTF-8. Positions and lengths are in code points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::python_text {

enum class Side : uint8_t { kLeft = 1, kRight = 2, kBoth = 3 };

// Python's strip(), lstrip() and rstrip(): remove white space, or the characters in `characters`.
std::string_view strip(std::string_view text, Side side,
                       const std::optional<std::string>& characters = std::nullopt);

// Python's split() and rsplit(). If `separator` is absent, they split at white space. They split at
// most `most` times; < 0 means no limit.
std::vector<std::string> split(std::string_view text, const std::optional<std::string>& separator,
                               int64_t most);
std::vector<std::string> split_right(std::string_view text,
                                     const std::optional<std::string>& separator, int64_t most);
std::vector<std::string> split_lines(std::string_view text, bool keep_ends);

}  // namespace palimpsest::python_text
