// Integer arithmetic that throws Error instead of overflowing. Every length or offset from a file
// passes through here before memory is reserved or a pointer is computed from it.
#pragma once

#include <concepts>

#include "palimpsest/base/error.h"

namespace palimpsest {

template <std::integral T>
T checked_add(T a, T b) {
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) throw Error("a size in the input is too large");
  return sum;
}

template <std::integral T>
T checked_mul(T a, T b) {
  T product;
  if (__builtin_mul_overflow(a, b, &product)) throw Error("a size in the input is too large");
  return product;
}

}  // namespace palimpsest
