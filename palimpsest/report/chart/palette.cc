#include "palimpsest/report/internal/chart/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

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

// The styles of one kind of series. "min_k:k=0.3" and "min_k" are the same attack: they share a
// style as long as they do not stand in one chart.
class StyleBook {
 public:
  std::optional<size_t> find(const std::string& name) const {
    const auto found = styles_.find(name);
    return found == styles_.end() ? std::nullopt : std::optional(found->second);
  }

  size_t style_of(const std::string& name, const std::set<size_t>& taken) {
    if (const auto known = find(name)) return *known;
    const std::string family = name.substr(0, name.find(':'));
    const auto related = families_.find(family);
    const bool shares = related != families_.end() && !taken.contains(related->second);
    const size_t style = shares ? related->second : next();
    styles_[name] = style;
    families_.emplace(family, style);
    return style;
  }

  // A style that no series has yet.
  size_t next() { return next_++; }

 private:
  std::map<std::string, size_t> styles_;    // by name
  std::map<std::string, size_t> families_;  // by the name without parameters
  size_t next_ = 0;
};

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
  std::map<std::string, StyleBook> books;  // by kind
  for (Figure& figure : figures) {
    StyleBook& book = books[figure.chart.series_title];
    std::set<size_t> taken;  // within this chart
    for (const ChartSeries& series : figure.chart.series) {
      if (const auto known = book.find(series.name)) taken.insert(*known);
    }
    std::set<size_t> used;
    for (ChartSeries& series : figure.chart.series) {
      series.style = book.style_of(series.name, taken);
      if (!used.insert(series.style).second) used.insert(series.style = book.next());
      taken.insert(series.style);
    }
  }
}

}  // namespace palimpsest::report
