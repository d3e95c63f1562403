// Overlaid histograms that show where the scores of two or more sets lie. A bar shows a share of
// its set and not a count, so that sets of different sizes can be compared. There is one panel per
// attack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {

// How many panels a page shows. If there are more, only the first ones are shown.
inline constexpr size_t kMaxPanels = 6;

// The scores of one set under one attack. Values that are not finite are left out.
struct ScoreSet {
  std::string panel;               // the attack
  std::string set;                 // "forget", "holdout"
  std::span<const double> scores;  // not owned
};

struct DistributionFigureOptions {
  // The largest number of bins of a panel, over the range of all its sets; at least 1. Small sets
  // get fewer: twice the cube root of the number of scores (Rice's rule), but at least ten.
  int64_t bins = 40;
};

// Every panel has its own horizontal and vertical axis.
Chart distribution_figure(std::span<const ScoreSet> sets,
                          const DistributionFigureOptions& options = {});

}  // namespace palimpsest::report
