// Reads options of a call from a dict that the Python side of the package made of its keyword
// arguments. An absent or None value leaves the default of the library.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest::python {

class Keywords {
 public:
  explicit Keywords(nanobind::dict values) : values_(std::move(values)) {}

  bool has(const char* name) const {
    return values_.contains(name) && !nanobind::object(values_[name]).is_none();
  }
  nanobind::object at(const char* name) const { return values_[name]; }

  // Throws Error with the name of the argument if the value has another type.
  template <class T>
  void read(const char* name, T& target) const {
    if (!has(name)) return;
    if (!nanobind::try_cast(at(name), target)) {
      throw Error({.what = "the argument has the wrong type",
                   .where = name,
                   .found = nanobind::repr(at(name)).c_str()});
    }
  }

  // Reads a name and turns it into a value by `named`, which throws Error for an unknown one.
  template <class Named, class T>
  void read_named(const char* name, const Named& named, T& target) const {
    std::string text;
    read(name, text);
    if (text.empty()) return;
    try {
      target = named(text);
    } catch (const Error& error) {
      throw error.located(name);
    }
  }

 private:
  nanobind::dict values_;
};

}  // namespace palimpsest::python
