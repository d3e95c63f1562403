// A Python object that C++ may keep, copy and drop on any thread, whether or not the thread holds
// the GIL. Looking at the object needs the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace palimpsest::python {

class Held {
 public:
  explicit Held(nanobind::object object)
      : object_(new nanobind::object(std::move(object)), [](nanobind::object* kept) {
          const nanobind::gil_scoped_acquire acquired;
          delete kept;
        }) {}

  const nanobind::object& get() const { return *object_; }

 private:
  std::shared_ptr<nanobind::object> object_;
};

}  // namespace palimpsest::python
