#include "palimpsest/report/figures/figure.h"

#include <algorithm>
#include <cctype>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/report/chart/chart.h"

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

std::vector<std::string> write_figures(std::span<const Figure> figures,
                                       const std::filesystem::path& folder) {
  std::vector<std::string> written;
  if (!figures.empty()) make_folder(folder / "figures");
  auto write = [&](const std::string& name, const std::string& bytes) {
    write_file(folder / name, bytes);
    written.push_back(name);
  };
  for (const Figure& figure : figures) {
    write("figures/" + figure.name + ".svg", to_svg(figure.chart));
    write("figures/" + figure.name + ".vl.json", to_vega_lite(figure.chart));
  }
  return written;
}

}  // namespace palimpsest::report
