// Lines cut at the edges of a panel. Cutting them here, not in the renderer, keeps everything
// inside the viewBox and needs no clip paths, whose names would have to differ on a page.
#pragma once

#include <string>
#include <vector>

namespace palimpsest::report {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotFrame {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};

// The path data of the parts of a polyline inside the frame: "M1,2 3,4M5,6 7,8". A single point
// inside is a stretch without length. Points that are not finite end a part.
std::string clipped_path(const std::vector<PlotPoint>& points, const PlotFrame& frame);

// The point, moved to the nearest edge if it lies outside.
PlotPoint moved_inside(PlotPoint point, const PlotFrame& frame);

}  // namespace palimpsest::report
