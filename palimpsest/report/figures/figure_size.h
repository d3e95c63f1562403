// The size of a figure.
#pragma once

#include <cstdint>

namespace palimpsest::report {

struct FigureSize {
  int64_t width = 420;  // of one plot in pixels, without axes and legend
  int64_t height = 320;
  // If true, the figure is as wide as the page element that holds it, and `width` is ignored.
  // Figures with several plots (facets) do not support this and keep their width.
  bool fill_container = false;
};

}  // namespace palimpsest::report
