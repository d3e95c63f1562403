// A figure with its name. It is saved as figures/NAME.vl.json and drawn by a page.
#pragma once

#include <string>

namespace palimpsest::report {

struct Figure {
  std::string name;     // only letters, digits, '-', '_', '=' and '.'; see figure_name()
  std::string title;    // for people
  std::string caption;  // how to read it, in a sentence or two; may be empty
  std::string spec;     // the Vega-Lite document
};

// Turns a text from data into a part of a file name. Characters that Figure::name does not allow
// become '-', long texts are cut, and "" becomes "none".
std::string figure_name(const std::string& text);

}  // namespace palimpsest::report
