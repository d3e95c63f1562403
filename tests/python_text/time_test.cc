#include "palimpsest/python_text/time.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest::python_text {
namespace {

TEST(PythonTimeTest, AgreesWithTheCLibraryOnManyDays) {
  constexpr const char* kFormat =
      "%a %A %b %B %d %e %j %m %y %Y %U %W %V %G %g %u %w %H %I %M %S %p %C";
  for (int64_t day = -20000; day < 40000; day += 37) {
    const std::time_t seconds = static_cast<std::time_t>(day) * 86400 + day % 86400;
    std::tm parts{};
    ASSERT_NE(gmtime_r(&seconds, &parts), nullptr);
    char expected[256];
    ASSERT_GT(std::strftime(expected, sizeof expected, kFormat, &parts), 0u);
    const CivilTime time{parts.tm_year + 1900,
                         parts.tm_mon + 1,
                         parts.tm_mday,
                         parts.tm_hour,
                         parts.tm_min,
                         parts.tm_sec,
                         0};
    EXPECT_EQ(format_time(time, kFormat), expected);
  }
}

TEST(PythonTimeTest, KnowsFlagsAndLeavesOutTheZone) {
  const CivilTime time{2024, 7, 6, 0, 5, 9, 12};
  EXPECT_EQ(format_time(time, "%-d.%-m. %I%P %f [%z%Z] 100%%"), "6.7. 12am 000012 [] 100%");
  EXPECT_EQ(format_time(time, "%^b %_d"), "JUL  6");
}

TEST(PythonTimeTest, RefusesUnknownDirectivesAndDays) {
  EXPECT_THROW(format_time({}, "%Q"), Error);
  EXPECT_THROW(format_time({}, "%"), Error);
  EXPECT_THROW(format_time({.year = 2023, .month = 2, .day = 29}, "%d"), Error);
}

}  // namespace
}  // namespace palimpsest::python_text
