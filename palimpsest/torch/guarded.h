// The boundary to libtorch: its exceptions do not cross it.
#pragma once

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest::torch {

// The first line of libtorch's message, without its stack trace.
inline std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Calls body(). What libtorch throws becomes SystemError: the run failed, the process goes on.
template <class Body>
auto guarded(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw SystemError("not enough memory; lower the memory limit or score fewer sequences at once");
  } catch (const c10::Error& error) {
    throw SystemError("libtorch failed: " + first_line(error.what_without_backtrace()));
  }
}

}  // namespace palimpsest::torch
