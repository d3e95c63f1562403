#include "palimpsest/python_text/time.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"

namespace palimpsest::python_text {
namespace {

constexpr std::string_view kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                      "Thursday", "Friday", "Saturday"};
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

bool is_leap(int year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in(int year, int month) {
  constexpr int kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kLengths[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

int day_of_year(const CivilTime& time) {
  int day = time.day;
  for (int month = 1; month < time.month; ++month) day += days_in(time.year, month);
  return day;
}

// 0 is Sunday.
int day_of_week(const CivilTime& time) {
  const int years = time.year - 1;
  const int days = years * 365 + years / 4 - years / 100 + years / 400 + day_of_year(time);
  return days % 7;
}

struct IsoWeek {
  int year;
  int week;
};

IsoWeek iso_week(const CivilTime& time) {
  const int weekday = (day_of_week(time) + 6) % 7;  // 0 is Monday
  const int week = (day_of_year(time) - weekday + 9) / 7;
  const auto weeks_in = [](int year) {
    const int first = day_of_week({.year = year});
    return first == 4 || (first == 3 && is_leap(year)) ? 53 : 52;
  };
  if (week < 1) return {time.year - 1, weeks_in(time.year - 1)};
  if (week > weeks_in(time.year)) return {time.year + 1, 1};
  return {time.year, week};
}

// A number of a directive, with the padding that a glibc flag asks for.
std::string number(int value, int width, char pad, char flag) {
  if (flag == '-') return std::to_string(value);
  if (flag == '_') pad = ' ';
  if (flag == '0') pad = '0';
  std::string digits = std::to_string(value);
  while (static_cast<int>(digits.size()) < width) digits.insert(0, 1, pad);
  return digits;
}

void check(const CivilTime& time) {
  const bool valid = time.year >= 1 && time.year <= 9999 && time.month >= 1 && time.month <= 12 &&
                     time.day >= 1 && time.day <= days_in(time.year, time.month) &&
                     time.hour >= 0 && time.hour < 24 && time.minute >= 0 && time.minute < 60 &&
                     time.second >= 0 && time.second < 60 && time.microsecond >= 0 &&
                     time.microsecond < 1'000'000;
  if (!valid) throw Error("the time for strftime_now does not exist");
}

std::string directive(const CivilTime& time, char letter, char flag) {
  const int hour12 = time.hour % 12 == 0 ? 12 : time.hour % 12;
  const int weekday = day_of_week(time);
  const int yearday = day_of_year(time);
  switch (letter) {
    case 'a':
      return std::string(kDays[weekday].substr(0, 3));
    case 'A':
      return std::string(kDays[weekday]);
    case 'b':
    case 'h':
      return std::string(kMonths[time.month - 1].substr(0, 3));
    case 'B':
      return std::string(kMonths[time.month - 1]);
    case 'c':
      return format_time(time, "%a %b %e %H:%M:%S %Y");
    case 'C':
      return number(time.year / 100, 2, '0', flag);
    case 'd':
      return number(time.day, 2, '0', flag);
    case 'D':
    case 'x':
      return format_time(time, "%m/%d/%y");
    case 'e':
      return number(time.day, 2, ' ', flag);
    case 'f':
      return fmt::format("{:06}", time.microsecond);
    case 'F':
      return format_time(time, "%Y-%m-%d");
    case 'g':
      return number(iso_week(time).year % 100, 2, '0', flag);
    case 'G':
      return number(iso_week(time).year, 1, '0', flag);
    case 'H':
      return number(time.hour, 2, '0', flag);
    case 'I':
      return number(hour12, 2, '0', flag);
    case 'j':
      return number(yearday, 3, '0', flag);
    case 'k':
      return number(time.hour, 2, ' ', flag);
    case 'l':
      return number(hour12, 2, ' ', flag);
    case 'm':
      return number(time.month, 2, '0', flag);
    case 'M':
      return number(time.minute, 2, '0', flag);
    case 'n':
      return "\n";
    case 'p':
      return time.hour < 12 ? "AM" : "PM";
    case 'P':
      return time.hour < 12 ? "am" : "pm";
    case 'r':
      return format_time(time, "%I:%M:%S %p");
    case 'R':
      return format_time(time, "%H:%M");
    case 'S':
      return number(time.second, 2, '0', flag);
    case 't':
      return "\t";
    case 'T':
    case 'X':
      return format_time(time, "%H:%M:%S");
    case 'u':
      return number(weekday == 0 ? 7 : weekday, 1, '0', flag);
    case 'U':
      return number((yearday + 6 - weekday) / 7, 2, '0', flag);
    case 'V':
      return number(iso_week(time).week, 2, '0', flag);
    case 'w':
      return number(weekday, 1, '0', flag);
    case 'W':
      return number((yearday + 6 - (weekday + 6) % 7) / 7, 2, '0', flag);
    case 'y':
      return number(time.year % 100, 2, '0', flag);
    case 'Y':
      return number(time.year, 1, '0', flag);
    case 'z':
    case 'Z':
      return "";
    case '%':
      return "%";
    default:
      throw Error(fmt::format("strftime_now: the directive '%{}' is not known", letter));
  }
}

}  // namespace

std::string format_time(const CivilTime& time, std::string_view format) {
  check(time);
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    char flag = 0;
    if (i + 1 < format.size() &&
        std::string_view("-_0^").find(format[i + 1]) != std::string_view::npos) {
      flag = format[++i];
    }
    if (++i >= format.size()) throw Error("strftime_now: the format ends in a lone '%'");
    std::string part = directive(time, format[i], flag);
    if (flag == '^') {
      for (char& c : part) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    out += part;
  }
  return out;
}

}  // namespace palimpsest::python_text
