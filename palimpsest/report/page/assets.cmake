# cmake -D FOLDER=… -D CHARTS=… -D SCRIPTS=a.js,b.js -D OUTPUT=page_assets.cc -P assets.cmake
#
# Writes the source file behind page_assets.h: the page's files as string literals. Literals, since a
# compiler reads a megabyte of them at once and an array of a million numbers in half a minute.

set(delimiter palimpsest)
set(content "// Written by assets.cmake: the files that report pages are made of.\n")
string(APPEND content "#include \"palimpsest/report/page/page_assets.h\"\n\nnamespace palimpsest::page_assets {\n\n")

function(append_asset name text)
  string(FIND "${text}" ")${delimiter}\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${name} contains the end of a C++ string literal")
  endif()
  string(APPEND content "const std::string_view ${name} = R\"${delimiter}(${text})${delimiter}\";\n\n")
  set(content "${content}" PARENT_SCOPE)
endfunction()

file(READ ${FOLDER}/page.html template)
file(READ ${FOLDER}/page.css style)
file(READ ${CHARTS} charts)
set(script "")
string(REPLACE "," ";" names "${SCRIPTS}")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/script/${name} part)
  string(APPEND script "${part}\n")
endforeach()

append_asset(kTemplate "${template}")
append_asset(kStyle "${style}")
append_asset(kScript "${script}")
append_asset(kChartLibraries "${charts}")
string(APPEND content "}  // namespace palimpsest::page_assets\n")
file(WRITE ${OUTPUT} "${content}")
