// Turns running out of memory into a SystemError.
#pragma once

#include <new>

#include "palimpsest/base/error.h"

namespace palimpsest::engine {

// Calls body(). If memory runs out, throws SystemError; the model stays usable.
template <class Body>
auto guarded(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw SystemError("not enough memory; lower the memory limit or score fewer sequences at once");
  }
}

}  // namespace palimpsest::engine
