// The files that every page is made of, as the build found them. The build writes their source
// (assets.cmake); they live as long as the program.
#pragma once

#include <string_view>

namespace palimpsest::report::page_assets {

extern const std::string_view kTemplate;  // page.html, with {{fields}} to fill
extern const std::string_view kStyle;     // style/*.css in their order
extern const std::string_view kScript;    // script/*.js in their order, as one function
extern const std::string_view kPolicy;    // the sources that the page's policy allows: their hashes

}  // namespace palimpsest::report::page_assets
