// How large a figure is.
#pragma once

#include <cstdint>

namespace palimpsest {

struct FigureSize {
  int64_t width = 420;  // pixels of one plot, without axes and legend
  int64_t height = 320;
  // As wide as the element of the page that holds the figure, instead of `width`. Figures of several
  // plots (facets) cannot and keep their width.
  bool fill_container = false;
};

}  // namespace palimpsest
