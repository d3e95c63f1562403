// A Python function that is told how far the work is.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "palimpsest/base/progress.h"
#include "python/src/held.h"

namespace palimpsest::python {

// Calls the function with a label, the work done and the whole work. Null for None.
inline std::unique_ptr<ProgressDisplay> display_of(const nanobind::object& callback) {
  if (callback.is_none()) return nullptr;
  return progress_to([shown = Held(callback)](const ProgressState& state) {
    const nanobind::gil_scoped_acquire acquired;
    shown.get()(state.label, state.done, state.total);
  });
}

}  // namespace palimpsest::python
