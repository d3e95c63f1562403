// Several parts of one text.
#pragma once

#include <initializer_list>
#include <string>

#include "tests/support/expect_error.h"

namespace palimpsest {

inline void expect_all(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) expect_contains(text, part);
}

}  // namespace palimpsest
