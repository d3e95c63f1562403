// The charts of a page as HTML: drawn when the page is made, so that they need no script.
#pragma once

#include <span>
#include <string>

#include "palimpsest/report/figures/figure.h"

namespace palimpsest::report {

// A section with one <figure> per chart: its title, its caption and its SVG. Texts are escaped. Empty
// without charts.
std::string charts_to_html(std::span<const Figure> charts);

}  // namespace palimpsest::report
