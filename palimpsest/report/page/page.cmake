# The files that report pages are made of, as a source file of the library: PALIMPSEST_PAGE_ASSETS.
set(page_dir ${CMAKE_CURRENT_SOURCE_DIR}/page)
# In the order in which they stand in the page.
set(page_styles base.css summary.css charts.css examples.css adapt.css)
set(page_scripts
  dom.js summary.js charts.js examples.js example_table.js example_tools.js example.js main.js)
set(PALIMPSEST_PAGE_ASSETS ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cc)

list(TRANSFORM page_styles PREPEND ${page_dir}/style/)
list(TRANSFORM page_scripts PREPEND ${page_dir}/script/)
list(JOIN page_styles "," joined_styles)
list(JOIN page_scripts "," joined_scripts)
add_custom_command(
  OUTPUT ${PALIMPSEST_PAGE_ASSETS}
  COMMAND ${CMAKE_COMMAND} -D TEMPLATE=${page_dir}/page.html -D STYLES=${joined_styles}
    -D SCRIPTS=${joined_scripts} -D OUTPUT=${PALIMPSEST_PAGE_ASSETS} -P ${page_dir}/assets.cmake
  DEPENDS ${page_dir}/assets.cmake ${page_dir}/page.html ${page_styles} ${page_scripts}
  COMMENT "Embedding the report page"
  VERBATIM)
# One long literal: whoever edits the page waits for it alone.
set_source_files_properties(${PALIMPSEST_PAGE_ASSETS} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
