// TAPAS' comparison plots: one panel per metric below the other, the compared column along x,
// another column as colour, dodged, with intervals.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct ComparisonPoint {
  std::string metric;
  std::string x;       // the compared column's value
  std::string marker;  // the other column's value
  std::optional<double> value;
  std::optional<stat::Interval> interval;
};

struct ComparisonFigureOptions {
  std::string x_axis;                // the compared column
  std::string marker_title;          // the column behind the colours
  std::vector<std::string> metrics;  // the panels, from above
};

// The axes of rates and the AUC span [0, 1], of mia_advantage and privacy_gain [-0.2, 1.2], of
// effective_epsilon [0, 10], more only where the data lie beyond; infinite values stand at the end.
Chart comparison_figure(std::span<const ComparisonPoint> points,
                        const ComparisonFigureOptions& options);

}  // namespace palimpsest::report
