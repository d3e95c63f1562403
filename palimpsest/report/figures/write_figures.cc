#include "palimpsest/base/file.h"
#include "palimpsest/report/chart/draw_chart.h"
#include "palimpsest/report/figures/figure.h"

namespace palimpsest::report {

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
