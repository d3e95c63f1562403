#include "palimpsest/report/internal/chart/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::report {
namespace {

struct Tint {
  std::string_view name;  // of the class and of the variable
  std::string_view light;
  std::string_view dark;
};

// Yellow, which white paper swallows, is left out; the last is black, as the text is.
constexpr std::array<Tint, kColours> kSeries = {{{"s0", "#0072b2", "#4aa8e0"},
                                                 {"s1", "#d55e00", "#f58a4b"},
                                                 {"s2", "#009e73", "#35c79b"},
                                                 {"s3", "#cc79a7", "#e39cc4"},
                                                 {"s4", "#e69f00", "#f2b63c"},
                                                 {"s5", "#56b4e9", "#9fd8f8"},
                                                 {"s6", "#23211d", "#e9e6df"}}};

constexpr std::array<Tint, 6> kTints = {{{"ink", "#23211d", "#e9e6df"},
                                         {"soft", "#65615a", "#a5a299"},
                                         {"axis-line", "#b9b4a9", "#4a4e58"},
                                         {"grid-line", "#efece6", "#282b32"},
                                         {"reference", "#7d7971", "#9a968d"},
                                         {"ground", "#ffffff", "#1d1f25"}}};

}  // namespace

std::string_view colour_of(size_t style) {
  return kSeries[style % kColours].light;
}

std::string colour_class(size_t style) {
  return std::string(kSeries[style % kColours].name);
}

std::string dashes_of(size_t style) {
  const size_t round = style / kColours;
  if (round == 0) return "";
  if (round == 1) return "7 3";
  if (round == 2) return "2 2";
  return fmt::format("{} 3 2 3", 4 + 4 * (round - 3));
}

std::string reference_dashes(size_t number) {
  if (number == 0) return "4 3";
  if (number == 1) return "1 3";
  return fmt::format("{} 3 1 3", 4 * number);
}

size_t shape_of(size_t style) {
  return std::min<size_t>(style / kColours, 2);
}

std::string chart_style_sheet() {
  std::string rules;
  std::string dark;
  auto add = [&](const Tint& tint) {
    rules += fmt::format(".{0}{{color:var(--{0},{1})}}", tint.name, tint.light);
    dark += fmt::format("--{}:{};", tint.name, tint.dark);
  };
  for (const Tint& tint : kSeries) add(tint);
  for (const Tint& tint : kTints) add(tint);
  return fmt::format("{}@media (prefers-color-scheme:dark){{svg{{{}}}}}", rules, dark);
}

std::string_view tint_of(std::string_view name) {
  const auto found = std::ranges::find(kTints, name, &Tint::name);
  PALIMPSEST_CHECK(found != kTints.end());
  return found->light;
}

void share_styles(std::span<Figure> figures) {
  std::map<std::string, std::map<std::string, size_t>> styles;  // by kind, by name
  for (Figure& figure : figures) {
    auto& of_kind = styles[figure.chart.series_title];
    for (ChartSeries& series : figure.chart.series)
      series.style = of_kind.emplace(series.name, of_kind.size()).first->second;
  }
}

}  // namespace palimpsest::report
