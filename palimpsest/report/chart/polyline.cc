#include "palimpsest/report/internal/chart/polyline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "palimpsest/report/internal/chart/svg_parts.h"

namespace palimpsest::report {
namespace {

bool is_finite(const PlotPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

// The part of a segment inside the frame, by the method of Liang and Barsky: each edge narrows the
// range of the parameter t along the segment.
std::optional<std::pair<PlotPoint, PlotPoint>> clipped_segment(const PlotPoint& a,
                                                               const PlotPoint& b,
                                                               const PlotFrame& frame) {
  double first = 0;
  double last = 1;
  auto narrow = [&](double speed, double room) {  // inside where t * speed <= room
    if (speed == 0) return room >= 0;
    const double t = room / speed;
    if (speed < 0) {
      first = std::max(first, t);
    } else {
      last = std::min(last, t);
    }
    return first <= last;
  };
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  if (!narrow(-dx, a.x - frame.left) || !narrow(dx, frame.right - a.x) ||
      !narrow(-dy, a.y - frame.top) || !narrow(dy, frame.bottom - a.y))
    return std::nullopt;
  return std::pair(PlotPoint{a.x + first * dx, a.y + first * dy},
                   PlotPoint{a.x + last * dx, a.y + last * dy});
}

std::string pair_of(const PlotPoint& point) {
  return fmt::format("{},{}", svg_number(point.x), svg_number(point.y));
}

}  // namespace

std::string clipped_path(const std::vector<PlotPoint>& points, const PlotFrame& frame) {
  std::string path;
  std::string at;  // where the pen is
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == 0 && points.size() > 1) continue;
    const PlotPoint& from = points[i == 0 ? 0 : i - 1];
    if (!is_finite(from) || !is_finite(points[i])) continue;
    const auto part = clipped_segment(from, points[i], frame);
    if (!part) continue;
    const std::string begin = pair_of(part->first);
    const std::string end = pair_of(part->second);
    if (begin != at) path += "M" + begin;
    if (begin != end || begin != at) path += " " + end;
    at = end;
  }
  return path;
}

PlotPoint moved_inside(PlotPoint point, const PlotFrame& frame) {
  return {std::clamp(point.x, frame.left, frame.right),
          std::clamp(point.y, frame.top, frame.bottom)};
}

}  // namespace palimpsest::report
