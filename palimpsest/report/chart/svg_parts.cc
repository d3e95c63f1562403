#include "palimpsest/report/internal/chart/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/report/internal/chart/text_fit.h"

namespace palimpsest::report {

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string xml_escaped(std::string_view text) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string result;
  for (const char c : clean_text(text)) {
    const auto* entity = std::ranges::find(kEntities, c, &std::pair<char, std::string_view>::first);
    if (entity != std::end(kEntities)) {
      result += entity->second;
    } else {
      result += c;
    }
  }
  return result;
}

std::string svg_title(std::string_view text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", xml_escaped(text));
}

std::string svg_group(std::string_view class_name, std::string_view colour, std::string_view more) {
  return fmt::format(R"(<g class="{}" color="{}"{}{}>)", class_name, colour,
                     more.empty() ? "" : " ", more);
}

std::string svg_label(std::string_view text, const SvgLabel& label) {
  const std::string whole = clean_text(text);
  const std::string shown = shortened(whole, label.size, label.width);
  constexpr std::string_view kAnchors[] = {"", R"( text-anchor="middle")", R"( text-anchor="end")"};
  return fmt::format(R"(<text x="{}" y="{}"{}>{}{}</text>)", svg_number(label.x),
                     svg_number(label.y), kAnchors[static_cast<size_t>(label.anchor)],
                     xml_escaped(shown), shown == whole ? "" : svg_title(whole));
}

}  // namespace palimpsest::report
