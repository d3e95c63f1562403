// The boundary to libtorch: its exceptions do not cross it.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest::torch {

// Of a message of libtorch's, which goes on with a stack trace.
inline std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Calls body(). What libtorch throws becomes SystemError: the run failed, the process goes on. The
// libraries below it (products, CUDA) throw whatever they like.
template <class Body>
auto guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const BugError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // the engine knows what to say
  } catch (const c10::Error& error) {
    throw SystemError("libtorch failed: " + first_line(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    throw SystemError("libtorch failed: " + first_line(error.what()));
  }
}

}  // namespace palimpsest::torch
