// The message of the Error (or of another exception) that some code throws; the test fails where it
// throws none.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest {

template <class Failure = Error, class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Failure& error) {
    return error.what();
  }
  ADD_FAILURE() << "no such error was thrown";
  return "";
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

}  // namespace palimpsest
