// Utility against forgetting: one point per model, with intervals in both directions. The best
// corner is the upper left or the upper right one, as the titles of the axes say.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

struct TradeOffPoint {
  std::string label;  // the model
  double x = 0;       // how much is still remembered, or how much was forgotten
  double y = 0;       // how useful the model still is
  std::optional<stat::Interval> x_interval;
  std::optional<stat::Interval> y_interval;
};

struct TradeOffFigureOptions {
  std::string title = {};  // shown above the figure; empty: none
  FigureSize size = {};
  std::string x_axis = "forgetting";
  std::string y_axis = "utility";
  // Draws a vertical line, for example at an AUC of 0.5.
  std::optional<double> x_goal = std::nullopt;
};

// Points whose x or y is not finite are left out.
std::string trade_off_figure(std::span<const TradeOffPoint> points,
                             const TradeOffFigureOptions& options = {});

}  // namespace palimpsest::report
