# cmake -D TEMPLATE=page.html -D STYLES=a.css,b.css -D SCRIPTS=a.js,b.js -D CHARTS=charts.js
#   -D OUTPUT=page_assets.cc -P assets.cmake
#
# Writes the source file behind page_assets.h: the page's files as string literals. Literals, since a
# compiler reads a megabyte of them at once and an array of a million numbers in half a minute.

set(delimiter palimpsest)
set(content "// Written by assets.cmake: the files that report pages are made of.\n")
string(APPEND content "#include \"palimpsest/report/internal/page/page_assets.h\"\n\nnamespace palimpsest::report::page_assets {\n\n")

function(append_asset name text)
  string(FIND "${text}" ")${delimiter}\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${name} contains the end of a C++ string literal")
  endif()
  string(APPEND content "const std::string_view ${name} = R\"${delimiter}(${text})${delimiter}\";\n\n")
  set(content "${content}" PARENT_SCOPE)
endfunction()

# The files of a comma-separated list, one after the other.
function(read_all paths result)
  set(text "")
  string(REPLACE "," ";" paths "${paths}")
  foreach(path IN LISTS paths)
    file(READ ${path} part)
    string(APPEND text "${part}\n")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(READ ${TEMPLATE} template)
file(READ ${CHARTS} charts)
read_all("${STYLES}" style)
read_all("${SCRIPTS}" script)

append_asset(kTemplate "${template}")
append_asset(kStyle "${style}")
append_asset(kScript "${script}")
append_asset(kChartLibraries "${charts}")
string(APPEND content "}  // namespace palimpsest::report::page_assets\n")
file(WRITE ${OUTPUT} "${content}")
