// Converts numbers to and from text as Python's int(), float(), round() and format() do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest::python_text {

// The largest width and precision; larger ones are refused.
inline constexpr int64_t kMaxFieldSize = 100'000;

// Prints a magnitude with the printf conversion `type` (one of eEfFgG). `alternate` keeps the
// decimal point.
std::string print_real(double magnitude, char type, int64_t precision, bool alternate);
// Like 'g', but a whole number keeps one digit after the point: format(2.0, ".3") is "2.0".
std::string general_with_point(double magnitude, int64_t precision, bool alternate);
// Prints in base 2 (b), 8 (o) or 16 (x, X); any other type means base 10.
std::string print_integer(uint64_t magnitude, char type);

// Python's int(text, base) for base 0 or 2..36. White space around the number, a sign, a prefix and
// underscores between digits are allowed. Returns nullopt for other texts. Throws Error for numbers
// beyond 64 bits.
std::optional<int64_t> parse_integer(std::string_view text, int64_t base);
// Python's float(text). It accepts "inf", "nan" and "infinity" too, in any case of letters.
std::optional<double> parse_real(std::string_view text);

// Python's round(value, digits): correctly rounded, with ties to even.
double round_real(double value, int64_t digits);
int64_t round_integer(int64_t value, int64_t digits);

}  // namespace palimpsest::python_text
