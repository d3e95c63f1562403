// Keeps libtorch's exceptions from leaving this module.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest::torch {

// The first line of a message of libtorch, which is followed by a stack trace.
inline std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Calls body(). Exceptions of libtorch and of the libraries below it (matmuls, CUDA), whatever
// their type, become SystemError: the run failed, but the process can continue.
template <class Body>
auto guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const BugError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // the engine makes the message
  } catch (const c10::Error& error) {
    throw SystemError("libtorch failed: " + first_line(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    throw SystemError("libtorch failed: " + first_line(error.what()));
  }
}

}  // namespace palimpsest::torch
