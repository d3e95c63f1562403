// Statistics that merge: the algebra on which every metric stands.
//
// A statistic is what must be kept of a set of examples S so that the value over a union can be had
// from the parts: merge(f(A), f(B)) = f(A ∪ B) for disjoint A, B. So statistics form a commutative
// monoid: merge is associative and commutative, and zero() = f(∅) is its identity. That is why an
// evaluation can be cut over batches, processes and machines and put together in any order.
//
// Every field of a statistic is an Array, so one object holds a scalar, a vector or a matrix of
// statistics (one per position, one per domain …) of one shape; merge works element by element, and
// reduce(axis) merges along an axis. Two statistics of different shapes do not merge (Error), with
// one exception: a rank-0 identity stands for the identity of every shape, so that accumulation can
// begin before the first shape is seen.
//
// An undefined result (the mean of nothing) is NaN in result() and null in files; it is never 0.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/array.h"

namespace palimpsest::stat {

// The named fields of a statistic, in a fixed order: what is saved, sent and loaded.
using Fields = std::vector<std::pair<std::string, Array>>;

template <class S>
concept Statistic = std::copyable<S> && requires(const S& s, int64_t axis, const Fields& fields) {
  { S::kType } -> std::convertible_to<std::string_view>;  // its name in files
  { s.zero() } -> std::same_as<S>;                        // the identity of this shape and setting
  { s.merge(s) } -> std::same_as<S>;
  { s.reduce(axis) } -> std::same_as<S>;
  { s.result() } -> std::same_as<Array>;
  { s.save() } -> std::same_as<Fields>;
  { S::load(fields) } -> std::same_as<S>;  // throws Error unless save() could have given these
};

// For implementations of load(): the field of that name; throws Error if it is absent.
const Array& field(const Fields& fields, std::string_view name);

// For implementations of merge(): throws Error unless the shapes are the same.
void require_same_shape(const Array& a, const Array& b);

// For implementations of load(): throws Error where a value is undefined (NaN).
void require_defined(const Array& array, std::string_view name);

// For implementations of load(): throws Error unless every value is finite and not negative.
void require_counts(const Array& array, std::string_view name);

// a + b element by element; throws Error unless the shapes are the same.
Array add(const Array& a, const Array& b);

}  // namespace palimpsest::stat
