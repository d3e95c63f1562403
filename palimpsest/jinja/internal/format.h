// Python's two ways to format values, text % values and text.format(…), with their mini-languages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// format % values. A tuple has one value per placeholder; a dict serves placeholders such as
// %(name)s.
Value format_percent(const Value& format, const Value& values, Runtime& runtime);

// format.format(*arguments), including named arguments.
Value format_braces(const Value& format, const Arguments& arguments, Runtime& runtime);

// format(value, specification). The specification in "{:>8.2f}" is ">8.2f".
std::string format_value(const Value& value, std::string_view specification, Budget& budget);

// Whether a part of a path ("a.0.b") is an index: ASCII digits alone.
bool is_index(std::string_view part);

// The number at `at`, which moves behind it; nullopt if there is none. Throws Error if it is too
// large for a width or a precision.
std::optional<int64_t> read_field_size(std::string_view text, size_t& at);

// chr(number); nullopt if there is no character with that number.
std::optional<std::string> character_of(int64_t number);

// Pads a text to a width. `alignment` is one of < > ^ =; the last one puts the padding after the
// sign.
std::string pad(const std::string& text, int64_t width, const std::string& fill, char alignment,
                Budget& budget);

}  // namespace palimpsest::jinja
