// Imports a log that a test writes out.
#pragma once

#include <string>

#include "palimpsest/service/import_responses.h"
#include "tests/support/expect_error.h"

namespace palimpsest::service {

inline ImportedTraces import_of(const std::string& log, ResponseFormat format) {
  return import_log(log, "log", {.format = format});
}

inline std::string refusal_of(const std::string& log, ResponseFormat format) {
  return error_of([&] { import_of(log, format); });
}

}  // namespace palimpsest::service
