// Python's repr() of floats and texts, which str() of a list or a dict uses as well.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::python_text {

// repr() of a float: the shortest digits that read back as the same number.
std::string real_to_text(double value);
// repr() of a str.
std::string quote(std::string_view text);

}  // namespace palimpsest::python_text
