// JSON with error messages that name the place. This header is for source files only: no public
// header of the library uses nlohmann's types.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/base/array.h"

namespace palimpsest {

using Json = nlohmann::ordered_json;

// What becomes of an object that has two members of one name. JSON allows it, and Python takes the
// last one.
enum class RepeatedKeys { kLastCounts, kRefused };

// Parses one document. Python's NaN, Infinity and -Infinity are accepted as numbers, because Python
// programs write them. Error messages begin with `where`. A document that is nested hundreds of
// levels deep is an Error, so that the result can safely be copied and printed.
Json parse_json(std::string_view text, const std::string& where,
                RepeatedKeys repeated = RepeatedKeys::kLastCounts);

// Throws Error if a byte of the text is 0. The JSON library takes it for the end of the text and
// ignores what follows, so whoever calls its parser calls this first.
void require_no_zero_byte(std::string_view text, const std::string& where);

// The reason of an exception of the JSON library without its own prefix
// ("[json.exception.out_of_range.403] …") and without bytes that are not ASCII.
std::string reason_of(const Json::exception& failure);

// The member `key` of an object. Throws Error if it is absent; the message lists the keys of the
// object.
const Json& require(const Json& object, std::string_view key, const std::string& where);

// The kind of the value, for messages: "a string", "an array" …
std::string describe(const Json& value);

// The value itself in ASCII, shortened, for messages.
std::string shown(const Json& value);

// A whole number. Json::get() would cast a number of any kind, 3e97 included, for which the result
// is undefined. Throws Error if the value is not a whole number, or does not fit the type: int64_t
// or uint64_t. The message begins with `where`, unless the caller adds the place itself.
template <typename Integer>
Integer whole_number(const Json& value, const std::string& where = "");

// Checks the format version that a file states, which must be from 1 to `newest`, and returns it.
// Throws Error if the version is newer or is not a version number. The message names the file, its
// version, the newest version that this program reads, and what to do. `format` is the name of the
// file's kind in the message: "trace file".
int64_t require_version(const Json& version, int64_t newest, std::string_view format,
                        const std::string& where);

// Writes a document for a file: objects have one member per line, arrays are on one line, and a
// line break is at the end. Invalid UTF-8 gets replacement characters.
std::string to_text(const Json& value);

// Writes a document as a line of a JSON lines file, without spaces or line breaks. Invalid UTF-8
// gets replacement characters.
std::string to_line(const Json& value);

// Reads a number, or nested arrays of numbers that form a rectangular shape. null becomes NaN
// (undefined). The strings "Infinity" and "-Infinity" are read as numbers.
Array array_from_json(const Json& value, const std::string& where);

// The inverse of array_from_json(). The result is valid JSON.
Json array_to_json(const Array& array);

// A number as JSON: null if it is undefined, "Infinity" or "-Infinity" if it is infinite.
Json number_to_json(double value);

// The inverse of number_to_json(). Returns nullopt for null, for NaN and for values that are not
// numbers.
std::optional<double> number_from_json(const Json& value);

}  // namespace palimpsest
