#include "python/src/arguments.h"

#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "palimpsest/base/error.h"

namespace palimpsest::python {
namespace {

// The object as numpy sees it. Lists whose parts have different lengths are no array.
nb::object as_array(nb::handle object, const nb::module_& numpy, const char* name) {
  try {
    return numpy.attr("asarray")(object);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    throw Error({.what = "it is not an array of numbers",
                 .where = name,
                 .found = text_of(error.value()),
                 .hint = "give a one-dimensional numpy array"});
  }
}

template <class T>
nb::object converted(nb::handle object, const char* name) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array = as_array(object, numpy, name);
  const std::string kind = text_of(array.attr("dtype").attr("kind"));
  constexpr const char* kKinds = std::is_same_v<T, double> ? "fiub" : "iub";
  const bool empty = nb::cast<int64_t>(array.attr("size")) == 0;  // an empty list is one of floats
  if (!empty && std::string(kKinds).find(kind) == std::string::npos) {
    throw Error({.what = "the array has the wrong type",
                 .where = name,
                 .expected = std::is_same_v<T, double> ? "numbers" : "whole numbers",
                 .found = "dtype " + text_of(array.attr("dtype"))});
  }
  if (nb::cast<int64_t>(array.attr("ndim")) != 1) {
    throw Error({.what = "the array has the wrong number of dimensions",
                 .where = name,
                 .expected = "one",
                 .found = "the shape " + text_of(array.attr("shape"))});
  }
  return numpy.attr("ascontiguousarray")(
      array, numpy.attr(std::is_same_v<T, double> ? "float64" : "int64"));
}

}  // namespace

std::string text_of(nb::handle object) {
  return nb::str(object).c_str();
}

template <class T>
Numbers<T>::Numbers(nb::handle object, const char* name) {
  if (nb::try_cast(nb::borrow(object), array_, false)) return;
  array_ = nb::cast<decltype(array_)>(converted<T>(object, name));
}

template class Numbers<double>;
template class Numbers<int64_t>;

}  // namespace palimpsest::python
