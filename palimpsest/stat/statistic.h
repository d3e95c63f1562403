// Mergeable statistics, on which all metrics are built.
//
// A statistic f(S) summarises a set S of examples so that the statistic of a union can be computed
// from its parts: merge(f(A), f(B)) = f(A ∪ B) for disjoint A and B. So statistics form a
// commutative monoid: merge is associative and commutative, and zero() = f(∅) is its identity.
// Therefore an evaluation can be divided among batches, processes and machines, and its parts can
// be merged in any order.
//
// Every field of a statistic is an Array. So one object can hold a scalar, a vector or a matrix of
// statistics, such as one per position or one per domain. merge() works element by element.
// reduce(axis) merges along one axis, reduce() along the first one, and reduce(std::nullopt) along
// all of them. Merging statistics of different shapes throws Error, with one exception: a rank-0
// identity stands for the identity of every shape, so that accumulation can begin before the first
// shape is known.
//
// An undefined result (the mean of nothing) is NaN in result() and null in files; it is never 0.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/array.h"

namespace palimpsest::stat {

// The named fields of a statistic, in a fixed order. They are what is saved and loaded.
using Fields = std::vector<std::pair<std::string, Array>>;

template <class S>
concept Statistic = std::copyable<S> && requires(const S& s, int64_t axis, const Fields& fields) {
  { S::kType } -> std::convertible_to<std::string_view>;  // its name in files
  { s.zero() } -> std::same_as<S>;                        // the identity of this shape and setting
  { s.merge(s) } -> std::same_as<S>;
  { s.reduce(axis) } -> std::same_as<S>;
  { s.result() } -> std::same_as<Array>;
  { s.save() } -> std::same_as<Fields>;
  { S::load(fields) } -> std::same_as<S>;  // throws Error if save() cannot have returned these
};

// A helper for load(): returns the field with that name. Throws Error if it is absent.
const Array& field(const Fields& fields, std::string_view name);

// A helper for reduce(std::nullopt): merges along the first axis until none of the `rank` axes is
// left.
template <class S>
S reduce_all(S stat, int64_t rank) {
  for (; rank > 0; --rank) stat = stat.reduce(0);
  return stat;
}

// A helper for merge(): throws Error unless the shapes are the same.
void require_same_shape(const Array& a, const Array& b);

// A helper for load(): throws Error if a value is undefined (NaN).
void require_defined(const Array& array, std::string_view name);

// A helper for load(): throws Error unless every value is finite and not negative.
void require_counts(const Array& array, std::string_view name);

// The sum of two arrays, element by element. Throws Error unless the shapes are the same.
Array add(const Array& a, const Array& b);

}  // namespace palimpsest::stat
