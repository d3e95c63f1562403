// Reads a drawn chart back: its elements with their attributes, and values from their coordinates.
// Only for what to_svg() writes.
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace palimpsest::report {

struct SvgElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;   // up to the next tag
  std::string title;  // of a <title> directly inside
  size_t panel = 0;   // which panel it is in, counted from 1; 0 before the first

  double number(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? NAN : std::strtod(found->second.c_str(), nullptr);
  }
  bool is(const std::string& class_name) const {
    const auto found = attributes.find("class");
    return found != attributes.end() &&
           (" " + found->second + " ").find(" " + class_name + " ") != std::string::npos;
  }
};

inline std::vector<SvgElement> svg_elements(const std::string& svg) {
  std::vector<SvgElement> elements;
  size_t panel = 0;
  for (size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const size_t end = svg.find('>', at);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (tag[0] == '/') continue;
    const std::string text = svg.substr(end + 1, svg.find('<', end) - end - 1);
    if (tag == "title" && !elements.empty()) {
      elements.back().title = text;
      continue;
    }
    SvgElement element{.name = tag.substr(0, tag.find_first_of(" /")), .text = text};
    for (size_t equals = tag.find("=\""); equals != std::string::npos;
         equals = tag.find("=\"", equals + 1)) {
      const size_t name = tag.rfind(' ', equals) + 1;
      const size_t close = tag.find('"', equals + 2);
      element.attributes[tag.substr(name, equals - name)] =
          tag.substr(equals + 2, close - equals - 2);
      equals = close;
    }
    if (element.is("panel")) ++panel;
    element.panel = panel;
    elements.push_back(std::move(element));
  }
  return elements;
}

inline std::vector<SvgElement> elements_of_class(const std::string& svg, const std::string& name) {
  std::vector<SvgElement> found;
  for (SvgElement& element : svg_elements(svg)) {
    if (element.is(name)) found.push_back(std::move(element));
  }
  return found;
}

// The texts of an SVG in order, as they are shown.
inline std::vector<std::string> svg_texts(const std::string& svg) {
  std::vector<std::string> texts;
  for (const SvgElement& element : svg_elements(svg)) {
    if (element.name == "text") texts.push_back(element.text);
  }
  return texts;
}

// From coordinates back to the values of a panel's axis ("x" or "y").
class SvgScale {
 public:
  SvgScale(const SvgElement& panel, const std::string& axis) {
    std::istringstream words(panel.attributes.at("data-" + axis));
    words >> kind_ >> low_ >> high_ >> from_ >> to_;
  }

  double value(double coordinate) const {
    const double share = (coordinate - from_) / (to_ - from_);
    return kind_ == "log" ? low_ * std::pow(high_ / low_, share) : low_ + share * (high_ - low_);
  }

 private:
  std::string kind_;
  double low_ = 0;
  double high_ = 1;
  double from_ = 0;
  double to_ = 1;
};

// The corners of a path of "M1,2 3,4M5,6 …".
inline std::vector<std::pair<double, double>> path_corners(const std::string& path) {
  std::vector<std::pair<double, double>> corners;
  const char* at = path.c_str();
  while (*at != '\0') {
    if (*at == 'M' || *at == ' ') {
      char* comma = nullptr;
      char* end = nullptr;
      const double x = std::strtod(at + 1, &comma);
      const double y = std::strtod(comma + 1, &end);
      corners.emplace_back(x, y);
      at = end;
    } else {
      ++at;
    }
  }
  return corners;
}

}  // namespace palimpsest::report
