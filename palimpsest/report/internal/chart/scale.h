// From the values of an axis to units of the drawing.
#pragma once

#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {

struct Scale {
  // The axis's domain lies between `start` and `end`, which may be the larger one. The axis must
  // outlive the scale.
  Scale(const ChartAxis& of, double start, double end);

  // Of a value outside the domain: outside of `from` and `to`, but never farther than twice their
  // distance. A value that a logarithmic scale has no place for stands at the lower end.
  double at(double value) const;

  // The room of one category.
  double step() const;

  const ChartAxis& axis;
  double from;
  double to;
};

}  // namespace palimpsest::report
