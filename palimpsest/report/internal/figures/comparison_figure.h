// TAPAS' comparison plots, with one panel per metric, one below the other. The x axis shows the
// compared column. Another column determines the colour; points with different colours are placed
// side by side. Intervals are drawn too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct ComparisonPoint {
  std::string metric;
  std::string x;       // the value of the compared column
  std::string marker;  // the value of the other column
  std::optional<double> value;
  std::optional<stat::Interval> interval;
};

struct ComparisonFigureOptions {
  std::string title = {};                           // shown above the figure; empty: none
  FigureSize size = {.width = 420, .height = 140};  // the size of one panel
  std::string x_axis;                               // the compared column
  std::string marker_title;                         // the column that determines the colours
  std::vector<std::string> metrics;                 // the panels, from top to bottom
};

// The axes cover at least [0, 1] for rates and the AUC, [-0.2, 1.2] for mia_advantage and
// privacy_gain, and [0, 10] for effective_epsilon. They cover more only if the data lie beyond.
// Infinite values are drawn at the end of the axis.
std::string comparison_figure(std::span<const ComparisonPoint> points,
                              const ComparisonFigureOptions& options);

}  // namespace palimpsest::report
