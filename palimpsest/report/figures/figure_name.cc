#include <algorithm>
#include <cctype>

#include "palimpsest/report/figures/figure.h"

namespace palimpsest::report {

std::string figure_name(const std::string& text) {
  constexpr size_t kLongest = 60;
  constexpr std::string_view kAllowed = "-_=.";
  std::string name = text.substr(0, kLongest);
  std::replace_if(
      name.begin(), name.end(),
      [&](char c) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte < 0x80 && std::isalnum(byte) != 0;
        return !plain && kAllowed.find(c) == std::string_view::npos;
      },
      '-');
  // A name that opens with a dot is hidden, or a folder.
  if (name.starts_with('.')) name[0] = '-';
  return name.empty() ? "none" : name;
}

}  // namespace palimpsest::report
