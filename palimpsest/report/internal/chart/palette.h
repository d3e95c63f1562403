// The styles of series: Okabe and Ito's colours, which colour-blind readers can tell apart, and
// beyond seven series dash patterns and shapes. No two numbers have the same style.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "palimpsest/report/figures/figure.h"

namespace palimpsest::report {

inline constexpr size_t kColours = 7;

// "#0072b2": the colour of a style on white paper.
std::string_view colour_of(size_t style);

// The class of the colour, "s0" to "s6". A page gives these classes its own values.
std::string colour_class(size_t style);

// "6 3": the lengths of strokes and gaps; empty for a line without gaps.
std::string dashes_of(size_t style);

// The same for the reference lines of a chart, by their number in references_of().
std::string reference_dashes(size_t number);

// Which shape a dot has: 0 a circle, 1 a square, 2 a diamond.
size_t shape_of(size_t style);

// The rules for the classes of a chart that stands alone: each colour is a CSS variable (--s0 …,
// --ink, --soft, --axis-line, --grid-line, --reference, --ground) with its fall-back, other values
// in dark surroundings.
std::string chart_style_sheet();

// The fall-back value of a variable that is not a series' colour: "ink".
std::string_view tint_of(std::string_view name);

// Gives all series of one kind (Chart::series_title) and one name the same style in all figures.
// Names that differ only in parameters behind a colon ("min_k", "min_k:k=0.3") share a style unless
// they stand in one chart.
void share_styles(std::span<Figure> figures);

}  // namespace palimpsest::report
