// The legend of a chart: series, reference lines and what overlapping bars mean.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {

// What the reference lines of a chart mean, each once. Lines of one meaning look the same.
std::vector<std::string> references_of(const Chart& chart);

// Draws the entries in as many lines as they need, from `top` down, and returns where it ends. A
// chart with one series without a name and without references has no legend.
double draw_legend(const Chart& chart, double top, std::string& svg);

}  // namespace palimpsest::report
