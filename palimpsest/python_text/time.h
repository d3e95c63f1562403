// A date and time of day, and Python's strftime() for it. The library never reads a clock: the
// caller supplies the time.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::python_text {

struct CivilTime {
  int year = 1970;  // 1 … 9999
  int month = 1;    // 1 … 12
  int day = 1;      // 1 … 31
  int hour = 0;     // 0 … 23
  int minute = 0;   // 0 … 59
  int second = 0;   // 0 … 59
  int microsecond = 0;
};

// Formats the time as Python's strftime() does in the C locale. There is no time zone, as in
// Python's datetime.now(). Throws Error for an unknown directive and for a time that does not
// exist.
std::string format_time(const CivilTime& time, std::string_view format);

}  // namespace palimpsest::python_text
