// Python's two ways to format: text % values and text.format(…), with their mini-languages.
#pragma once

#include <string>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// format % values: a tuple gives one value per placeholder, a dict serves %(name)s.
Value format_percent(const Value& format, const Value& values, Runtime& runtime);

// format.format(*arguments)
Value format_braces(const Value& format, const Arguments& arguments, Runtime& runtime);

// format(value, specification): "{:>8.2f}" has the specification ">8.2f".
std::string format_value(const Value& value, std::string_view specification, Budget& budget);

// A text set in a field; `alignment` is one of < > ^ =, the last one meaning after the sign.
std::string pad(const std::string& text, int64_t width, const std::string& fill, char alignment,
                Budget& budget);

}  // namespace palimpsest::jinja
