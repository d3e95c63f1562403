// A point in time as a calendar and a clock show it, and Python's strftime() of it. The library
// reads no clock: whoever renders says what time it is.
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

// In the C locale, without a time zone (as datetime.now() has none). Throws Error for a directive
// that is not known or a time that does not exist.
std::string format_time(const CivilTime& time, std::string_view format);

}  // namespace palimpsest::python_text
