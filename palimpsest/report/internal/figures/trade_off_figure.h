// Utility against forgetting: one point per model, with intervals in both directions. The best
// corner is the upper left or right, as the axes' titles say.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct TradeOffPoint {
  std::string label;  // the model
  double x = 0;       // how much is still remembered, or forgotten
  double y = 0;       // what the model can still do
  std::optional<stat::Interval> x_interval;
  std::optional<stat::Interval> y_interval;
};

struct TradeOffFigureOptions {
  std::string x_axis = "forgetting";
  std::string y_axis = "utility";
  std::optional<EstimateReference> x_goal = std::nullopt;  // a vertical line: an AUC of 0.5, say
};

// Points whose x or y is not finite are left out.
Chart trade_off_figure(std::span<const TradeOffPoint> points,
                       const TradeOffFigureOptions& options = {});

}  // namespace palimpsest::report
