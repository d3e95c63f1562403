// The parts that all our Vega-Lite documents share. This header is only for the source files of the
// figures, because it uses nlohmann's types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/figures/figure_size.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

// The whole document: the content of `view` (data, layer, facet …) with the schema, the title and
// the config.
std::string figure_document(const std::string& title, const Json& view);

// Sets the size of a view that has one plot.
void set_size(Json& view, const FigureSize& size);

// A coordinate with six significant digits. That is more precise than a pixel and takes a third of
// the bytes. null if it is not finite.
Json coordinate(double value);

// A text for tooltips: "0.712 (0.650 … 0.768)", "inf" or "n/a".
std::string shown_estimate(const std::optional<double>& value,
                           const std::optional<stat::Interval>& interval);

// A channel of numbers (in Vega-Lite, a channel is an axis, a colour and the like).
Json quantitative(const char* field, const std::string& title);

// A channel of names in a given order.
Json nominal(const char* field, const std::string& title, const std::vector<std::string>& order);

// Colours by the names in `field`. There is no legend if there is only one name.
Json colour(const char* field, const std::string& title, const std::vector<std::string>& order);

// A straight line in the style `reference` at one value of the channel "x" or "y".
Json reference_rule(const char* channel, double value);

// Adds a name to a list unless the list already has it.
void add_once(std::vector<std::string>& names, const std::string& name);

// The range of an axis that shows values and intervals: `wanted`, extended to include all finite
// values. nullopt if there are none.
class AxisRange {
 public:
  explicit AxisRange(std::optional<stat::Interval> wanted) : range_(wanted) {}

  void include(const std::optional<double>& value);
  void include(const std::optional<stat::Interval>& interval);
  // Moves an infinite number to the end of the range.
  double clamped(double value) const;
  const std::optional<stat::Interval>& range() const { return range_; }

 private:
  void include_number(double value);

  std::optional<stat::Interval> range_;
};

// Adds {"value": …, "low": …, "high": …, "shown": …} to a row, clamped to the range. Undefined
// numbers are omitted.
void put_estimate(Json& row, const std::optional<double>& value,
                  const std::optional<stat::Interval>& interval, const AxisRange& axis);

// Limits a channel of numbers to the range.
void set_domain(Json& channel, const AxisRange& axis);

}  // namespace palimpsest::report
