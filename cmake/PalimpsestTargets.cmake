# How this project declares its targets: one call per module, one per test executable.

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

# palimpsest_unity(TARGET): compiles the sources of TARGET eight at a time, which saves most of the time that
# goes into reading the same headers again, and still leaves every core something to do. The file-local
# names of a target's sources must therefore differ. CMake compiles a source with options of its own alone.
function(palimpsest_unity target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${PALIMPSEST_UNITY}
    UNITY_BUILD_BATCH_SIZE 8)
  # GCC takes whatever is included for a header, in which a type that others see must not have members of
  # file-local types. The preset `dev` compiles each source alone and warns of real ones.
  if(PALIMPSEST_UNITY)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# With BUILD_SHARED_LIBS=ON every module is a shared library, which finds those that it needs in its own folder.
if(BUILD_SHARED_LIBS)
  if(PALIMPSEST_STATIC)
    message(FATAL_ERROR "PALIMPSEST_STATIC and BUILD_SHARED_LIBS exclude each other")
  endif()
  file(RELATIVE_PATH libraries_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set(CMAKE_INSTALL_RPATH $ORIGIN $ORIGIN/${libraries_from_program})
endif()

# palimpsest_library(NAME SOURCES … [DEPENDS module …] [FRIENDS module …] [PUBLIC target …] [PRIVATE target …] [NO_UNITY])
#
# Declares the module palimpsest/NAME as the library palimpsest::NAME. DEPENDS names modules listed before it in the root
# CMakeLists.txt that its files may include, FRIENDS those that may include its private headers (tests/rules checks
# both lines, which say nothing to CMake but what is linked); PUBLIC and PRIVATE name libraries from outside, PRIVATE
# ones being invisible to whoever links the module. NO_UNITY compiles each source alone.
function(palimpsest_library name)
  cmake_parse_arguments(ARG "NO_UNITY" "" "SOURCES;DEPENDS;FRIENDS;PUBLIC;PRIVATE" ${ARGN})
  set(target palimpsest_${name})
  add_library(${target} ${ARG_SOURCES})
  add_library(palimpsest::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # What find_package must find for whoever links this module: of a shared library not what it alone uses, and of
  # headers nothing.
  if(nlohmann_json::nlohmann_json IN_LIST ARG_PRIVATE)
    list(REMOVE_ITEM ARG_PRIVATE nlohmann_json::nlohmann_json)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  endif()
  set(packages ${ARG_PUBLIC})
  if(NOT BUILD_SHARED_LIBS)
    list(APPEND packages ${ARG_PRIVATE})
  endif()
  list(FILTER packages EXCLUDE REGEX BUILD_INTERFACE)
  set_property(GLOBAL PROPERTY PALIMPSEST_DEPENDS_${name} ${ARG_DEPENDS})
  set_property(GLOBAL PROPERTY PALIMPSEST_PACKAGES_${name} ${packages})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM ARG_DEPENDS PREPEND palimpsest_)
  target_link_libraries(${target}
    PUBLIC ${ARG_DEPENDS} ${ARG_PUBLIC}
    PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:palimpsest_options>)
  if(NOT ARG_NO_UNITY)
    palimpsest_unity(${target})
  endif()
  set_property(GLOBAL APPEND PROPERTY PALIMPSEST_MODULES ${target})
endfunction()

# palimpsest_test(NAME SOURCES … [DEPENDS module …] [EACH_ISA label …] [THREADS filter] [NO_UNITY])
#
# One executable per folder, with what tests/support needs to read golden data (JSON, gzip). The name
# of a suite gives its tests their label: …GoldenTest is `golden`, …SlowTest is `slow`, everything else
# `unit`. ctest sees one entry per label, and none for a label without tests. A test with GTEST_SKIP has an entry of
# its own (NAME/SUITE.TEST), which ctest lists as skipped where it was. EACH_ISA makes one entry per
# instruction set of these labels (NAME/unit-avx2); ctest lists the sets that the processor lacks as skipped.
# THREADS names the tests, as --gtest_filter does, that run again under the thread sanitizer, with the label
# `threads`. Test sources are compiled at -O1, since most of them run once; what they test is not.
function(palimpsest_test name)
  cmake_parse_arguments(ARG "NO_UNITY" "THREADS" "SOURCES;DEPENDS;EACH_ISA" ${ARGN})
  set(target ${name}_test)
  add_executable(${target} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND palimpsest::)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
    PALIMPSEST_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  set(main GTest::gtest_main)
  if(ARG_EACH_ISA)
    set(main GTest::gtest)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/instruction_set_main.cc)
  endif()
  target_link_libraries(${target} PRIVATE
    ${ARG_DEPENDS} ${main} nlohmann_json::nlohmann_json ZLIB::ZLIB zstd palimpsest_options)
  if(NOT ARG_NO_UNITY)
    palimpsest_unity(${target})
  endif()
  add_dependencies(test_programs ${target})
  palimpsest_test_labels(labels ${ARG_SOURCES})
  palimpsest_skippable_tests(skippable ${ARG_SOURCES})
  list(TRANSFORM skippable REPLACE "(.+)" ":\\1:*/\\1/*" OUTPUT_VARIABLE left_out)
  string(CONCAT left_out ${left_out})
  set(filter_unit "-*GoldenTest.*:*SlowTest.*${left_out}")
  set(filter_golden "*GoldenTest.*-${left_out}")
  set(filter_slow "*SlowTest.*-${left_out}")
  set(filter_threads "${ARG_THREADS}-${left_out}")
  if(ARG_THREADS AND PALIMPSEST_SANITIZE STREQUAL "thread")
    add_dependencies(thread_test_programs ${target})
    list(APPEND labels threads)
  endif()
  foreach(label IN LISTS labels)
    set(sets "any")
    if(label IN_LIST ARG_EACH_ISA)
      set(sets baseline avx2 avx512)
    endif()
    foreach(isa IN LISTS sets)
      set(entry ${name}/${label})
      set(command ${target} --gtest_filter=${filter_${label}})
      if(NOT isa STREQUAL "any")
        string(APPEND entry -${isa})
        list(APPEND command --isa=${isa})
      endif()
      add_test(NAME ${entry} COMMAND ${command})
      set_tests_properties(${entry} PROPERTIES
        LABELS ${label} TIMEOUT 1800 SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION "Running 0 tests")
    endforeach()
  endforeach()
  # Skipped are those whose last line says so. Where another instance of a test failed, the last line says that.
  foreach(test IN LISTS skippable)
    palimpsest_suite_label(label ${test})
    add_test(NAME ${name}/${test} COMMAND ${target} --gtest_filter=${test}:*/${test}/*)
    set_tests_properties(${name}/${test} PROPERTIES
      LABELS ${label} TIMEOUT 1800
      SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\] [^\n]*\n*$" FAIL_REGULAR_EXPRESSION "Running 0 tests")
  endforeach()
endfunction()

# palimpsest_scan(RESULT FILE REGEX): the lines of a file, by which ctest's entries are declared, that match. A change of
# the file configures the build again.
function(palimpsest_scan result file regex)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX ${regex})
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# The label of a suite, or of SUITE.TEST.
function(palimpsest_suite_label result suite)
  set(${result} unit PARENT_SCOPE)
  if(suite MATCHES "^[A-Za-z0-9_]*GoldenTest([^A-Za-z0-9_]|$)")
    set(${result} golden PARENT_SCOPE)
  elseif(suite MATCHES "^[A-Za-z0-9_]*SlowTest([^A-Za-z0-9_]|$)")
    set(${result} slow PARENT_SCOPE)
  endif()
endfunction()

# The labels that the suites in the given sources have.
function(palimpsest_test_labels result)
  set(labels "")
  foreach(source IN LISTS ARGN)
    palimpsest_scan(suites ${source} "^ *(TYPED_)?TEST(_F|_P)?\\([A-Za-z0-9_]+")
    list(TRANSFORM suites REPLACE "^[^(]*\\(" "")
    foreach(suite IN LISTS suites)
      palimpsest_suite_label(label ${suite})
      list(APPEND labels ${label})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES labels)
  set(${result} ${labels} PARENT_SCOPE)
endfunction()

# The tests in the given sources that may skip themselves, as SUITE.TEST.
function(palimpsest_skippable_tests result)
  set(tests "")
  foreach(source IN LISTS ARGN)
    set(test "")
    palimpsest_scan(lines ${source} "^ *(TYPED_)?TEST(_F|_P)?\\(|GTEST_SKIP")
    foreach(line IN LISTS lines)
      if(line MATCHES "TEST(_F|_P)?\\(([A-Za-z0-9_]+), ([A-Za-z0-9_]+)\\)")
        set(test ${CMAKE_MATCH_2}.${CMAKE_MATCH_3})
      elseif(NOT line MATCHES "GTEST_SKIP")
        set(test "")  # its name stands on the next line
      elseif(test)
        list(APPEND tests ${test})
      else()
        message(FATAL_ERROR "${source}: the suite and the name of a test with GTEST_SKIP must stand on one line")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES tests)
  set(${result} ${tests} PARENT_SCOPE)
endfunction()

# palimpsest_python_test(NAME SCRIPT LABELS label … [ARGUMENTS argument …] [ENVIRONMENT VARIABLE=VALUE …])
#
# A Python file that tests the program. What it marks with @runs_only_if (tests/cli/program.py), a test or a class of
# tests, has an entry of its own (NAME/CLASS or NAME/CLASS.TEST), which ctest lists as skipped where it was.
function(palimpsest_python_test name script)
  cmake_parse_arguments(ARG "" "" "LABELS;ARGUMENTS;ENVIRONMENT" ${ARGN})
  set(command ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARG_ARGUMENTS})
  set(marked "")
  set(is_marked FALSE)
  palimpsest_scan(lines ${script} "^ *(@runs_only_if\\(|class |def test_)")
  foreach(line IN LISTS lines)
    if(line MATCHES "@runs_only_if")
      set(is_marked TRUE)
      continue()
    elseif(line MATCHES "^class ([A-Za-z0-9_]+)")
      set(class ${CMAKE_MATCH_1})
      set(test ${class})
    elseif(line MATCHES "def (test_[A-Za-z0-9_]+)")
      set(test ${class}.${CMAKE_MATCH_1})
    endif()
    if(is_marked)
      list(APPEND marked ${test})
    endif()
    set(is_marked FALSE)
  endforeach()
  set(entries ${name})
  if(marked)
    add_test(NAME ${name} COMMAND ${command} --leave-out-marked)
  else()
    add_test(NAME ${name} COMMAND ${command})
  endif()
  foreach(test IN LISTS marked)
    add_test(NAME ${name}/${test} COMMAND ${command} ${test})
    list(APPEND entries ${name}/${test})
  endforeach()
  set_tests_properties(${entries} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT 1800 SKIP_RETURN_CODE 77
    ENVIRONMENT "PALIMPSEST=$<TARGET_FILE:palimpsest_program>;${ARG_ENVIRONMENT}")
endfunction()

# palimpsest_bench(NAME SOURCES … [DEPENDS module …])
#
# A Google Benchmark executable NAME_bench; bench/run.sh runs every one of them.
function(palimpsest_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_bench ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND palimpsest::)
  target_link_libraries(${name}_bench PRIVATE ${ARG_DEPENDS} benchmark::benchmark palimpsest_options)
endfunction()
