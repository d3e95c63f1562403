// Draws a chart: as SVG, and as a Vega-Lite 5 document for people who want to restyle it. The same
// chart gives the same bytes, whatever the locale. Text from data can never act as markup: it is
// escaped, and control characters are removed. Long names are shortened; in SVG, a tooltip shows
// the whole name.
//
// An SVG is 400 units wide with text of 12 units, so that it can be read on a phone. Colours are
// CSS variables. Plain attributes hold fallback values for renderers that do not support variables.
// The SVG has no clipping, no script and no style attribute, and nothing lies outside its viewBox.
#pragma once

#include <string>

#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {

enum class SvgUse {
  kFile,  // with the title, a background, and colours for dark mode
  kPage   // without these, because the page supplies them
};

std::string to_svg(const Chart& chart, SvgUse use = SvgUse::kFile);

// The same data, axes, series and colours.
std::string to_vega_lite(const Chart& chart);

}  // namespace palimpsest::report
