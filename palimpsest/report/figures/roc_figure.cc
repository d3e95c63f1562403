#include "palimpsest/report/internal/figures/roc_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest::report {
namespace {

constexpr double kRocHeight = 340;  // nearly square, beside the axis's numbers

// What is seen of the unit square.
struct Window {
  double low = 0;
  double high = 1;
  bool log = false;

  bool contains(double x, double y) const { return x >= low && x <= high && y >= low && y <= high; }
  // Where a rate is drawn: a logarithmic axis has no place for 0, so it stands at the edge.
  double shown(double rate) const { return log ? std::max(rate, low) : rate; }
};

struct Points {
  std::vector<double> fpr;
  std::vector<double> tpr;

  size_t size() const { return fpr.size(); }
  void add(double x, double y) {
    fpr.push_back(x);
    tpr.push_back(y);
  }
};

void require_valid(const RocFigureOptions& options) {
  if (!(options.zoom >= kLeastZoom && options.zoom <= 1)) {
    throw Error({.what = fmt::format("the zoom {} is out of range", options.zoom),
                 .expected = fmt::format("a number from {} to 1", kLeastZoom)});
  }
  if (options.max_points < 2) {
    throw Error(fmt::format("{} points are too few for a curve", options.max_points));
  }
  for (double epsilon : options.epsilons) {
    if (epsilon > 0 && std::isfinite(epsilon)) continue;
    throw Error({.what = fmt::format("the epsilon {} of a bound line is out of range", epsilon),
                 .expected = "a positive number"});
  }
  if (options.band) stat::require_confidence(*options.band);
  if (options.log_log && options.corner == RocCorner::kHigh && options.zoom < 1) {
    throw Error("logarithmic axes show the low corner only");
  }
}

// The lowest power of ten that a logarithmic axis needs: below the step of the finest curve.
double log_floor(std::span<const RocLine> lines) {
  int64_t most = 10;
  for (const RocLine& line : lines) {
    most = std::max({most, line.scores->negative_count(), line.scores->positive_count()});
  }
  return std::pow(10, -std::ceil(std::log10(static_cast<double>(most))));
}

Window window_of(std::span<const RocLine> lines, const RocFigureOptions& options) {
  if (options.log_log) {
    const double floor = log_floor(lines);
    return {std::min(floor, options.zoom / 10), options.zoom, true};
  }
  if (options.corner == RocCorner::kHigh) return {1 - options.zoom, 1, false};
  return {0, options.zoom, false};
}

// The numbers of the points to draw: those inside the window and the ones before and after, thinned
// as they are seen, on the scale of the axes.
std::vector<size_t> drawn_points(const Points& curve, const Window& window, int64_t max_points) {
  auto seen = [&](size_t i) {
    return window.contains(window.shown(curve.fpr[i]), window.shown(curve.tpr[i]));
  };
  auto on_axis = [&](double rate) { return window.log ? std::log(window.shown(rate)) : rate; };
  std::vector<size_t> numbers;
  Points shown;
  for (size_t i = 0; i < curve.size(); ++i) {
    const bool neighbour = (i > 0 && seen(i - 1)) || (i + 1 < curve.size() && seen(i + 1));
    if (!seen(i) && !neighbour) continue;
    numbers.push_back(i);
    shown.add(on_axis(curve.fpr[i]), on_axis(curve.tpr[i]));
  }
  std::vector<size_t> drawn = thin_polyline(shown.fpr, shown.tpr, max_points);
  for (size_t& index : drawn) index = numbers[index];
  return drawn;
}

// The corners through which the edges of the band run, in order of rising rates.
struct Band {
  Points low;
  Points high;
};

// `corners`: the numbers of the curve's points to use, ascending.
Band band_of(const Points& curve, const std::vector<size_t>& corners,
             const stat::LabelledScores& scores, double confidence) {
  const double level = 1 - (1 - confidence) / 2;
  auto interval = [&](double rate, int64_t trials) {
    const auto successes = std::llround(rate * static_cast<double>(trials));
    return stat::clopper_pearson(successes, trials, level);
  };
  Band band;
  for (size_t i : corners) {
    const stat::Interval fpr = interval(curve.fpr[i], scores.negative_count());
    const stat::Interval tpr = interval(curve.tpr[i], scores.positive_count());
    band.low.add(fpr.high, tpr.low);
    band.high.add(fpr.low, tpr.high);
  }
  return band;
}

// The highest tpr among the points up to x, which are in order of rising fpr.
double height_at(const Points& edge, double x, double otherwise) {
  const auto after = std::upper_bound(edge.fpr.begin(), edge.fpr.end(), x);
  if (after == edge.fpr.begin()) return otherwise;
  return edge.tpr[static_cast<size_t>(after - edge.fpr.begin()) - 1];
}

ChartMark band_mark(const Band& band, const Window& window, size_t series) {
  constexpr int kColumns = 120;
  ChartMark mark{.kind = MarkKind::kBand, .series = series};
  for (int i = 0; i <= kColumns; ++i) {
    const double share = static_cast<double>(i) / kColumns;
    const double x = window.log ? window.low * std::pow(window.high / window.low, share)
                                : window.low + share * (window.high - window.low);
    mark.points.push_back(
        {x, window.shown(height_at(band.low, x, 0)), x, window.shown(height_at(band.high, x, 1))});
  }
  return mark;
}

ChartMark line_mark(const Points& curve, const std::vector<size_t>& numbers, const Window& window,
                    size_t series) {
  ChartMark mark{.kind = MarkKind::kLine, .series = series};
  for (size_t i : numbers)
    mark.points.push_back({window.shown(curve.fpr[i]), window.shown(curve.tpr[i])});
  return mark;
}

// tpr = min(e^ε fpr, 1 - (1 - fpr)/e^ε): two straight lines, which bend on logarithmic axes.
ChartMark bound_mark(double epsilon, const Window& window) {
  constexpr int kSteps = 80;
  const double slope = std::exp(epsilon);
  ChartMark mark{.reference = fmt::format("ε = {:g}", epsilon)};
  auto add = [&](double fpr) {
    mark.points.push_back({fpr, window.shown(std::min(slope * fpr, 1 - (1 - fpr) / slope))});
  };
  if (!window.log) {
    for (double fpr : {0.0, 1 / (slope + 1), 1.0}) add(fpr);
  } else {
    for (int i = 0; i <= kSteps; ++i)
      add(std::pow(window.low, 1 - static_cast<double>(i) / kSteps));
  }
  return mark;
}

ChartMark diagonal_mark(const Window& window) {
  ChartMark mark{.reference = "guessing"};
  for (double rate : {window.shown(0), 1.0}) mark.points.push_back({rate, rate});
  return mark;
}

ChartAxis rate_axis(const char* title, const Window& window) {
  return {.title = title,
          .scale = window.log ? ScaleKind::kLog : ScaleKind::kLinear,
          .domain = {window.low, window.high}};
}

// The series of a new curve: no two curves of one figure look alike.
size_t new_series(Chart& chart, const std::string& label) {
  const size_t before = chart.series.size();
  for (int number = 1;; ++number) {
    const size_t series =
        series_of(chart, number == 1 ? label : fmt::format("{} ({})", label, number));
    if (series == before) return series;
  }
}

void add_curves(std::span<const RocLine> lines, const Window& window,
                const RocFigureOptions& options, Chart& chart, ChartPanel& panel) {
  std::vector<ChartMark> drawn_lines;
  for (const RocLine& line : lines) {
    const std::optional<stat::RocCurve> curve = stat::roc_curve(*line.scores);
    if (!curve) continue;
    const size_t series = new_series(chart, line.label);
    const Points all{curve->fpr, curve->tpr};
    const std::vector<size_t> drawn = drawn_points(all, window, options.max_points);
    drawn_lines.push_back(line_mark(all, drawn, window, series));
    if (!options.band) continue;
    // Corners of points outside the window reach into it, so the whole curve's are needed too.
    const std::vector<size_t> whole = drawn_points(all, Window{}, options.max_points);
    std::vector<size_t> corners;
    std::set_union(drawn.begin(), drawn.end(), whole.begin(), whole.end(),
                   std::back_inserter(corners));
    const Band band = band_of(all, corners, *line.scores, *options.band);
    panel.marks.push_back(band_mark(band, window, series));
  }
  // Over all bands.
  std::ranges::move(drawn_lines, std::back_inserter(panel.marks));
}

}  // namespace

Chart roc_figure(std::span<const RocLine> lines, const RocFigureOptions& options) {
  require_valid(options);
  const Window window = window_of(lines, options);
  Chart chart{.series_title = options.series_title};
  ChartPanel panel{.x = rate_axis("false positive rate", window),
                   .y = rate_axis("true positive rate", window),
                   .marks = {diagonal_mark(window)},
                   .height = kRocHeight};
  for (double epsilon : options.epsilons) panel.marks.push_back(bound_mark(epsilon, window));
  add_curves(lines, window, options, chart, panel);
  chart.panels.push_back(std::move(panel));
  return chart;
}

}  // namespace palimpsest::report
