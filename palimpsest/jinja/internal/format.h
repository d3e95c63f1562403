// Python's two ways to format values, text % values and text.format(…), with their mini-languages.
#pragma once

#include <string>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// format % values. A tuple has one value per placeholder; a dict serves placeholders such as
// %(name)s.
Value format_percent(const Value& format, const Value& values, Runtime& runtime);

// format.format(*arguments), including named arguments.
Value format_braces(const Value& format, const Arguments& arguments, Runtime& runtime);

// format(value, specification). The specification in "{:>8.2f}" is ">8.2f".
std::string format_value(const Value& value, std::string_view specification, Budget& budget);

// Pads a text to a width. `alignment` is one of < > ^ =; the last one puts the padding after the
// sign.
std::string pad(const std::string& text, int64_t width, const std::string& fill, char alignment,
                Budget& budget);

}  // namespace palimpsest::jinja
