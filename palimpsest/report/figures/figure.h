// A figure with its name. It is saved as figures/NAME.svg and figures/NAME.vl.json, and drawn on a
// page.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {

struct Figure {
  std::string name;     // letters, digits, '-', '_', '=' and '.' only: see figure_name()
  std::string caption;  // how to read it, in a sentence or two; may be empty
  Chart chart;          // its title is the title of the figure
};

// Turns a text from data into a part of a file name. Characters other than those listed above
// become '-', long texts are cut, and "" becomes "none".
std::string figure_name(const std::string& text);

// Writes figures/NAME.svg and figures/NAME.vl.json into the folder for each figure, and returns
// these names. Throws SystemError if writing fails.
std::vector<std::string> write_figures(std::span<const Figure> figures,
                                       const std::filesystem::path& folder);

}  // namespace palimpsest::report
