// From the values of an axis to units of the drawing.
#pragma once

#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {

class Scale {
 public:
  // The axis's domain lies between `from` and `to`, which may be the larger one. The axis must
  // outlive the scale.
  Scale(const ChartAxis& axis, double from, double to);

  // Of a value outside the domain: outside of `from` and `to`, but never farther than twice their
  // distance. A value that a logarithmic scale has no place for stands at the lower end.
  double at(double value) const;

  // The room of one category.
  double step() const;
  const ChartAxis& axis() const { return axis_; }
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  double share(double value) const;

  const ChartAxis& axis_;
  double from_;
  double to_;
};

}  // namespace palimpsest::report
