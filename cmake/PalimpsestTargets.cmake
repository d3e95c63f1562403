# How this project declares its targets: one call a room, one a test executable.

add_library(palimpsest_options INTERFACE)
target_compile_options(palimpsest_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor
  -Wno-missing-field-initializers  # designated initializers leave the rest at its default on purpose
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # GCC 12 sees overlaps in std::string that are not there
  $<$<BOOL:${PALIMPSEST_WERROR}>:-Werror>)
if(PALIMPSEST_SANITIZE)
  target_compile_options(palimpsest_options INTERFACE
    -fsanitize=${PALIMPSEST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(palimpsest_options INTERFACE -fsanitize=${PALIMPSEST_SANITIZE})
endif()

# palimpsest_library(NAME SOURCES … [DEPENDS room …] [PUBLIC target …] [PRIVATE target …])
#
# Declares the room palimpsest/NAME as the static library palimpsest::NAME. DEPENDS names the rooms
# below that its files may include (tests/rules checks the includes against this line); PUBLIC and
# PRIVATE name libraries from outside, PRIVATE ones being invisible to whoever links the room.
function(palimpsest_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PUBLIC;PRIVATE" ${ARGN})
  set(target palimpsest_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(palimpsest::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM ARG_DEPENDS PREPEND palimpsest_)
  target_link_libraries(${target}
    PUBLIC ${ARG_DEPENDS} ${ARG_PUBLIC}
    PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:palimpsest_options>)
  set_property(GLOBAL APPEND PROPERTY PALIMPSEST_ROOMS ${target})
endfunction()

# palimpsest_test(NAME SOURCES … [DEPENDS room …] [WHOLE])
#
# One executable a folder, with what tests/support needs to read golden data (JSON, gzip). The suite's name gives each test its ctest label: …GoldenTest is `golden`,
# …SlowTest is `slow`, everything else `unit`. WHOLE makes one ctest entry a label instead of one a
# test: for executables that take long to start.
function(palimpsest_test name)
  cmake_parse_arguments(ARG "WHOLE" "" "SOURCES;DEPENDS" ${ARGN})
  set(target ${name}_test)
  add_executable(${target} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND palimpsest::)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
    PALIMPSEST_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  target_link_libraries(${target} PRIVATE
    ${ARG_DEPENDS} GTest::gtest_main nlohmann_json::nlohmann_json ZLIB::ZLIB palimpsest_options)
  foreach(label IN ITEMS unit golden slow)
    set(filter_unit "-*GoldenTest.*:*SlowTest.*")
    set(filter_golden "*GoldenTest.*")
    set(filter_slow "*SlowTest.*")
    if(ARG_WHOLE)
      add_test(NAME ${name}/${label} COMMAND ${target} --gtest_filter=${filter_${label}})
      set_tests_properties(${name}/${label} PROPERTIES LABELS ${label} TIMEOUT 1800)
      continue()
    endif()
    gtest_discover_tests(${target}
      TEST_FILTER "${filter_${label}}"
      TEST_PREFIX "${name}/"
      TEST_LIST ${name}_${label}_tests
      PROPERTIES LABELS ${label} TIMEOUT 1800
      DISCOVERY_TIMEOUT 120)
  endforeach()
endfunction()

# palimpsest_bench(NAME SOURCES … [DEPENDS room …])
#
# A Google Benchmark executable NAME_bench; bench/run.sh runs every one of them.
function(palimpsest_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_bench ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND palimpsest::)
  target_link_libraries(${name}_bench PRIVATE ${ARG_DEPENDS} benchmark::benchmark palimpsest_options)
endfunction()
