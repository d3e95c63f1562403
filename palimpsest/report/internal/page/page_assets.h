// The files that every page is made of, as the build found them. The build writes their source
// (assets.cmake); they live as long as the program.
#pragma once

#include <string_view>

namespace palimpsest::report::page_assets {

extern const std::string_view kTemplate;  // page.html, with {{places}} to fill
extern const std::string_view kStyle;     // style/*.css in their order
extern const std::string_view kScript;    // script/*.js in their order
// vega, vega-lite and vega-embed with their licences; empty if the build could not get them.
extern const std::string_view kChartLibraries;

}  // namespace palimpsest::report::page_assets
