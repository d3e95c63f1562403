// ROC curves: the true positive rate against the false positive rate over all thresholds. The
// figure also shows the diagonal that random guessing gives. Optionally, it shows a pointwise
// confidence band and the region that an epsilon-differentially private mechanism allows.
//
// The band comes from Clopper-Pearson intervals of both rates at each threshold. Each interval has
// the level 1 - (1-c)/2, so that both hold with probability c. The lower edge of the band runs
// through the corners (FPR_high, TPR_low), and the upper edge through (FPR_low, TPR_high).
// "Pointwise" means that the probability c holds at one threshold chosen beforehand, and not for
// the whole curve at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::report {

// The largest number of curves in one figure, because more cannot be told apart. If there are more,
// only the first ones are shown.
inline constexpr size_t kMaxCurves = 8;

// The smallest zoom. No audit resolves lower rates (attack::kLeastFpr), and the axis of a much
// smaller one, from 1 - zoom to 1, would have no length.
inline constexpr double kLeastZoom = 1e-10;

enum class RocCorner { kLow, kHigh };

struct RocFigureOptions {
  std::string series_title = "attack";  // what the curves are
  double zoom = 1;                      // side of the square shown, from kLeastZoom to 1
  RocCorner corner = RocCorner::kLow;   // which corner a zoom below 1 shows: (0, 0) or (1, 1)
  bool log_log = false;                 // both axes logarithmic: for low rates; needs kLow
  std::vector<double> epsilons = {};    // their bounds are drawn as lines; each must be > 0
  std::optional<double> band = 0.95;    // confidence of the band; nullopt: no band
  int64_t max_points = 400;             // of one curve, at least 2
};

// One curve. If a class has no scores, there is no curve and its label is left out. If another
// curve already has the same label, a number is added: "loss (2)".
struct RocLine {
  std::string label;
  const stat::LabelledScores* scores = nullptr;  // not owned
};

// Throws Error if an option is out of range.
Chart roc_figure(std::span<const RocLine> lines, const RocFigureOptions& options = {});

// Reduces a polyline to at most `max_points` of its points, including both ends, such that no
// dropped point lies visibly off the line. First at most two points per cell of a fine grid are
// kept; then the points with the largest distance from the line so far are chosen (Ramer, Douglas
// and Peucker). x and y must be finite and of the same length. Returns the positions of the kept
// points, ascending.
std::vector<size_t> thin_polyline(std::span<const double> x, std::span<const double> y,
                                  int64_t max_points);

}  // namespace palimpsest::report
