// JSON with errors that say where. For source files only: no public header of the library shows
// nlohmann's types.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/base/array.h"

namespace palimpsest {

using Json = nlohmann::ordered_json;

// Parses one document. Python's NaN, Infinity and -Infinity are accepted as numbers, since Python
// programs write them. `where` opens the error message. A document that is nested hundreds deep is
// an error: what is returned may be copied and printed.
Json parse_json(std::string_view text, const std::string& where);

// The member `key` of an object; an absent one is an error that lists the keys that are there.
const Json& require(const Json& object, std::string_view key, const std::string& where);

// "a string", "an array" …: for messages.
std::string describe(const Json& value);

// The value itself, in ASCII, cut short: likewise.
std::string shown(const Json& value);

// The version of a format, from 1 to `newest`, that a file states. Throws Error where it is a newer
// one, or no version at all: one sentence with the file, its version, the newest that this program
// reads and what to do. `format` is how the message calls the file: "trace file".
int64_t require_version(const Json& version, int64_t newest, std::string_view format,
                        const std::string& where);

// A document for files: objects with one member per line, arrays on one line, a line break at the end. A
// text that is not UTF-8 gets replacement characters.
std::string to_text(const Json& value);

// A document without spaces or line breaks: a line of a JSON lines file. Replaces like to_text.
std::string to_line(const Json& value);

// Nested arrays of numbers, all of one shape, or one number. null becomes NaN (undefined), and the
// strings "Infinity" and "-Infinity" are numbers too.
Array array_from_json(const Json& value, const std::string& where);

// The inverse, as valid JSON.
Json array_to_json(const Array& array);

// A number, or null where it is undefined, or "Infinity" or "-Infinity".
Json number_to_json(double value);

// The inverse: nothing for null, for NaN and for what is no number.
std::optional<double> number_from_json(const Json& value);

}  // namespace palimpsest
