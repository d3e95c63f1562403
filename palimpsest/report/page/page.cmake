# The files that report pages are made of, as a source file of the library: PALIMPSEST_PAGE_ASSETS.
set(page_dir ${CMAKE_CURRENT_SOURCE_DIR}/page)
set(page_scripts dom.js summary.js charts.js examples.js example.js main.js)
set(charts_dir ${PROJECT_BINARY_DIR}/charts)
set(PALIMPSEST_PAGE_ASSETS ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cc)

add_custom_command(
  OUTPUT ${charts_dir}/charts.js ${charts_dir}/charts.js.complete
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${charts_dir} -D OUTPUT=${charts_dir}/charts.js -P ${page_dir}/fetch_charts.cmake
  DEPENDS ${page_dir}/fetch_charts.cmake
  COMMENT "Fetching the libraries that draw charts"
  VERBATIM)

list(TRANSFORM page_scripts PREPEND ${page_dir}/script/ OUTPUT_VARIABLE page_script_paths)
list(JOIN page_scripts "," page_script_names)
add_custom_command(
  OUTPUT ${PALIMPSEST_PAGE_ASSETS}
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${page_dir} -D CHARTS=${charts_dir}/charts.js
    -D SCRIPTS=${page_script_names} -D OUTPUT=${PALIMPSEST_PAGE_ASSETS} -P ${page_dir}/assets.cmake
  DEPENDS ${page_dir}/assets.cmake ${page_dir}/page.html ${page_dir}/page.css ${page_script_paths}
    ${charts_dir}/charts.js
  COMMENT "Embedding the report page"
  VERBATIM)
