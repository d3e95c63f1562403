// What Python callers pass to the bindings. Numbers come as numpy arrays, which are read in place,
// or as anything that numpy turns into an array of numbers. A wrong argument throws Error with its
// name, never a list of C++ types.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace palimpsest::python {

namespace nb = nanobind;

// str(object).
std::string text_of(nb::handle object);

// A one-dimensional array of numbers. An array of T that is contiguous is not copied; other numbers
// are converted. T is double or int64_t. Must be made and destroyed with the GIL held; the values
// may be read without it.
template <class T>
class Numbers {
 public:
  // `name` is the name of the argument, for messages.
  Numbers(nb::handle object, const char* name);

  std::span<const T> values() const { return {array_.data(), array_.size()}; }
  std::vector<T> to_vector() const { return {array_.data(), array_.data() + array_.size()}; }

 private:
  nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array_;
};

extern template class Numbers<double>;
extern template class Numbers<int64_t>;

// A numpy array that owns the values.
template <class T>
nb::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

}  // namespace palimpsest::python
