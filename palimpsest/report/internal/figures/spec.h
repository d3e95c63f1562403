// The parts that all Vega-Lite documents of ours share. For source files of the figures only, since
// it shows nlohmann's types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

// The whole document: what `view` holds (data, layer, facet …) with schema, title and config around
// it.
std::string figure_document(const std::string& title, const Json& view);

// Gives a view with one plot its size.
void set_size(Json& view, const FigureSize& size);

// A coordinate in six significant digits: more than a pixel shows, at a third of the bytes. null
// where it is not finite.
Json coordinate(double value);

// "0.712 (0.650 … 0.768)", "inf", "n/a": for tooltips.
std::string shown_estimate(const std::optional<double>& value,
                           const std::optional<stat::Interval>& interval);

// A channel of numbers.
Json quantitative(const char* field, const std::string& title);

// A channel of names in a given order.
Json nominal(const char* field, const std::string& title, const std::vector<std::string>& order);

// Colour by the names of `field`; no legend where there is but one name.
Json colour(const char* field, const std::string& title, const std::vector<std::string>& order);

// A straight line of the style `reference` at one value of the channel "x" or "y".
Json reference_rule(const char* channel, double value);

// Adds a name to a list unless it is there.
void add_once(std::vector<std::string>& names, const std::string& name);

// The range of an axis that shows values and intervals: `wanted`, widened to the finite ones among
// them. nullopt where nothing is known.
class AxisRange {
 public:
  explicit AxisRange(std::optional<stat::Interval> wanted) : range_(wanted) {}

  void include(const std::optional<double>& value);
  void include(const std::optional<stat::Interval>& interval);
  // Infinite numbers are brought to the end of the range.
  double clamped(double value) const;
  const std::optional<stat::Interval>& range() const { return range_; }

 private:
  void include_number(double value);

  std::optional<stat::Interval> range_;
};

// {"value": …, "low": …, "high": …, "shown": …}, clamped to the range; absent where undefined.
void put_estimate(Json& row, const std::optional<double>& value,
                  const std::optional<stat::Interval>& interval, const AxisRange& axis);

// Limits a quantitative channel to the range.
void set_domain(Json& channel, const AxisRange& axis);

}  // namespace palimpsest::report
