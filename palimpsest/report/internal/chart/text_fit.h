// How texts are made to fit into a chart. There is no font here: widths come from a table of a wide
// sans-serif font (DejaVu Sans), so that a text takes at most the estimated width in the usual
// fonts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::report {

// The text without control characters and other characters that XML forbids, with direction marks
// visible and bytes that are not UTF-8 replaced. All functions below expect such a text.
std::string clean_text(std::string_view text);

// The width of the text in a font of this size.
double drawn_width(std::string_view text, double size);

// The text, or its beginning and end with an ellipsis between them, at most `width` wide. Names
// often differ at their ends. Very narrow: the ellipsis alone.
std::string shortened(const std::string& text, double size, double width);

// The text in lines of at most `width`, broken at spaces. Words that are too long are shortened.
std::vector<std::string> text_lines(const std::string& text, double size, double width);

}  // namespace palimpsest::report
