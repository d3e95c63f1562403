// The pieces of an SVG that all parts of a chart share: measures, numbers, texts and groups.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::report {

// In units of the drawing, which a page shows at 0.85 to 1.2 pixels.
inline constexpr double kChartWidth = 400;
inline constexpr double kTextSize = 12;
inline constexpr double kTitleSize = 14;
inline constexpr double kLineHeight = 17;
inline constexpr double kEdge = 2;  // no text comes closer to the edge of the drawing

// Two decimals, without zeros at the end: "12.5".
std::string svg_number(double value);

// For element content and for attributes in quotes alike. Cleans the text first.
std::string xml_escaped(std::string_view text);

// "<title>…</title>", shown under the pointer; nothing for an empty text.
std::string svg_title(std::string_view text);

// Opens a group whose children take their colour from `currentColor`: a class, and the value for
// renderers without style sheets. `more` are further attributes, written as they are.
std::string svg_group(std::string_view class_name, std::string_view colour,
                      std::string_view more = {});

enum class Anchor { kStart, kMiddle, kEnd };

struct SvgLabel {
  double x = 0;
  double y = 0;  // of the base line
  Anchor anchor = Anchor::kStart;
  double width = kChartWidth;  // longer texts are shortened, and whole under the pointer
  double size = kTextSize;
};

std::string svg_label(std::string_view text, const SvgLabel& label);

}  // namespace palimpsest::report
