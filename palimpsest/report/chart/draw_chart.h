// Draws a chart: as SVG, and as a Vega-Lite 5 document for people who want to restyle it. The same
// chart gives the same bytes, whatever the locale. Text from data appears as text only: it is
// escaped, without control characters, and long names are shortened (in SVG the whole name is shown
// under the pointer).
//
// An SVG is 400 units wide with text of 12 units, so that it can be read on a phone. Colours are CSS
// variables with fall-back values as plain attributes, for renderers that know no variables. There
// is no clipping, no script and no style attribute in it, and nothing lies outside its viewBox.
#pragma once

#include <string>

#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {

enum class SvgUse {
  kFile,  // with the title, a ground, and the colours for dark surroundings
  kPage   // without them: a page has them
};

std::string to_svg(const Chart& chart, SvgUse use = SvgUse::kFile);

// The same data, axes, series and colours.
std::string to_vega_lite(const Chart& chart);

}  // namespace palimpsest::report
