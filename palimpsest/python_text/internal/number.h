// Numbers to and from text, as Python's int(), float(), round() and its formats do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest::python_text {

// Widths and precisions beyond this are refused.
inline constexpr int64_t kMaxFieldSize = 100'000;

// A magnitude with the printf conversion `type` (one of eEfFgG); `alternate` keeps the point.
std::string print_real(double magnitude, char type, int64_t precision, bool alternate);
// As 'g', but a whole number keeps one digit after the point: format(2.0, ".3") is "2.0".
std::string general_with_point(double magnitude, int64_t precision, bool alternate);
// In base 2 (b), 8 (o), 16 (x, X), else 10.
std::string print_integer(uint64_t magnitude, char type);

// int(text, base), base 0 or 2..36: white space around, a sign, a prefix and underscores between
// digits are allowed; nullopt for anything else. Throws Error beyond 64 bits.
std::optional<int64_t> parse_integer(std::string_view text, int64_t base);
// float(text): also "inf", "nan", "infinity", in any case.
std::optional<double> parse_real(std::string_view text);

// round(value, digits): correctly rounded, ties to even.
double round_real(double value, int64_t digits);
int64_t round_integer(int64_t value, int64_t digits);

}  // namespace palimpsest::python_text
