#include "palimpsest/report/internal/chart/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace palimpsest::report {
namespace {

// Beyond these, numbers are written with an exponent.
constexpr int kMaxDecimals = 5;
constexpr double kLargestPlain = 1e6;

// "-1e-07" as people write it: "−1e-7".
std::string for_people(std::string number) {
  const size_t exponent = number.find('e');
  if (exponent != std::string::npos) {
    const bool is_negative = number[exponent + 1] == '-';
    const size_t digits = std::min(number.find_first_not_of("+-0", exponent + 1), number.size());
    number.replace(exponent + 1, digits - exponent - 1, is_negative ? "-" : "");
  }
  return number.starts_with('-') ? "−" + number.substr(1) : number;
}

std::string tick_label(double value, int decimals) {
  if (value == 0) return "0";
  if (decimals > kMaxDecimals || std::abs(value) >= kLargestPlain) {
    // As many digits as tell neighbours apart.
    const int digits = static_cast<int>(std::floor(std::log10(std::abs(value)))) + decimals + 1;
    return for_people(fmt::format("{:.{}g}", value, std::clamp(digits, 1, 15)));
  }
  return for_people(fmt::format("{:.{}f}", value, std::max(0, decimals)));
}

std::vector<Tick> labelled(const std::vector<double>& values, int decimals) {
  std::vector<Tick> ticks;
  for (double value : values) ticks.push_back({value, tick_label(value, decimals)});
  return ticks;
}

// The decimals that a number needs, to six significant digits.
int decimals_of(double value) {
  for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
    const double scaled = value * std::pow(10, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, std::abs(scaled)))
      return decimals;
  }
  return kMaxDecimals + 1;
}

// The multiples of the step within the range, if they are at most `most`.
std::vector<double> multiples(const stat::Interval& range, double step, size_t most) {
  constexpr double kSlack = 1e-9;  // 0.3 is hardly ever three times 0.1
  const double first = std::ceil(range.low / step - kSlack);
  const double last = std::floor(range.high / step + kSlack);
  std::vector<double> values;
  const double steps = last - first;
  if (!(steps >= 0) || steps >= static_cast<double>(most)) return values;
  for (int64_t i = 0; i <= static_cast<int64_t>(steps); ++i)
    values.push_back(std::clamp((first + static_cast<double>(i)) * step, range.low, range.high));
  return values;
}

}  // namespace

std::vector<Tick> linear_ticks(const stat::Interval& range, size_t most) {
  const double width = range.high - range.low;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (!std::isfinite(width) || width < 1e-290 || width < 1e-9 * largest)
    return {{range.low, for_people(fmt::format("{:.4g}", range.low))}};
  const int magnitude = static_cast<int>(std::floor(std::log10(width / static_cast<double>(most))));
  for (int power = magnitude; power <= magnitude + 2; ++power) {
    for (const int unit : {1, 2, 5}) {
      const std::vector<double> values = multiples(range, unit * std::pow(10, power), most);
      if (values.size() >= 2) return labelled(values, -power);
    }
  }
  return labelled({range.low, range.high}, std::max(0, 2 - magnitude));
}

std::vector<Tick> log_ticks(const stat::Interval& range, size_t most) {
  constexpr double kSlack = 1e-9;
  const int first = static_cast<int>(std::ceil(std::log10(range.low) - kSlack));
  const int last = static_cast<int>(std::floor(std::log10(range.high) + kSlack));
  const int decades = last - first + 1;
  const int step = std::max(1, static_cast<int>(std::ceil(decades / static_cast<double>(most))));
  std::vector<Tick> ticks;
  for (int power = first - 1; power <= last; ++power) {
    for (const int unit : {1, 2, 5}) {
      const double value = unit * std::pow(10, power);
      if (unit > 1 && decades >= 2) continue;
      if (value < range.low * (1 - kSlack) || value > range.high * (1 + kSlack)) continue;
      if (unit == 1 && (last - power) % step != 0) continue;
      ticks.push_back(
          {std::clamp(value, range.low, range.high), tick_label(value, std::max(0, -power))});
    }
  }
  return ticks;
}

std::vector<Tick> ticks_at(const std::vector<double>& values, const stat::Interval& range) {
  std::vector<double> inside;
  int decimals = 0;
  for (double value : values) {
    if (!range.contains(value)) continue;
    inside.push_back(value);
    decimals = std::max(decimals, decimals_of(value));
  }
  return labelled(inside, decimals);
}

}  // namespace palimpsest::report
