// What the builders of figures share: the range of an axis, and how estimates and lists of names
// are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

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

  // For an axis: the range, with `padding` times its width added at both ends. A range without
  // width gets some; an unknown one is [0, 1].
  stat::Interval domain(double padding = 0) const;

 private:
  void include_number(double value);

  std::optional<stat::Interval> range_;
};

// What a mark of this kind shows of an estimate: bands and intervals its interval, lines and dots
// its value, twice. nullopt where that is undefined.
std::optional<stat::Interval> ends_of(MarkKind kind, const std::optional<double>& value,
                                      const std::optional<stat::Interval>& interval);

// "0.712 (0.650 … 0.768)", "inf", "n/a".
std::string shown_estimate(const std::optional<double>& value,
                           const std::optional<stat::Interval>& interval);

// "min_k, audited: AUC 0.712 (0.650 … 0.768)", without the parts that are empty.
std::string point_text(const std::string& name, const std::string& series, const std::string& axis,
                       const std::string& shown);

// Adds a name to a list unless it is there, and returns its position.
size_t add_once(std::vector<std::string>& names, const std::string& name);

// The panel's mark of this kind and series, which is added if there is none.
ChartMark& mark_of(ChartPanel& panel, MarkKind kind, size_t series);

// Sets the ticks of an axis over [0, 1] on which 0.5 has a meaning, so that it is among them.
void set_ticks_around_half(ChartAxis& axis);

}  // namespace palimpsest::report
