// Python's str methods as functions over valid UTF-8. Positions and lengths are in code points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::python_text {

enum class Side : uint8_t { kLeft = 1, kRight = 2, kBoth = 3 };

// strip(), lstrip(), rstrip(): white space, or the characters of `characters`.
std::string_view strip(std::string_view text, Side side,
                       const std::optional<std::string>& characters = std::nullopt);

// split() and rsplit(): at white space if `separator` is absent; at most `most` times unless < 0.
std::vector<std::string> split(std::string_view text, const std::optional<std::string>& separator,
                               int64_t most);
std::vector<std::string> split_right(std::string_view text,
                                     const std::optional<std::string>& separator, int64_t most);
std::vector<std::string> split_lines(std::string_view text, bool keep_ends);

}  // namespace palimpsest::python_text
