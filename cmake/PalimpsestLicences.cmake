# The libraries that are linked in, each with a file of the Debian package that brings it.
set(PALIMPSEST_LINKED_IN
  Boost /usr/include/boost/version.hpp
  CLI11 /usr/include/CLI/CLI.hpp
  fmt /usr/include/fmt/format.h
  nlohmann-json /usr/include/nlohmann/json.hpp
  OpenSSL /usr/include/openssl/sha.h
  pcre2 /usr/include/pcre2.h
  spdlog /usr/include/spdlog/spdlog.h
  utf8proc /usr/include/utf8proc.h
  yaml-cpp /usr/include/yaml-cpp/yaml.h
  zlib /usr/include/zlib.h
  zstd /usr/include/zstd.h)
# The same of libstdc++, which is linked in only for other machines.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
  OUTPUT_VARIABLE libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(REAL_PATH ${libstdcxx} libstdcxx)
set(PALIMPSEST_LIBSTDCXX libstdc++ ${libstdcxx})

# palimpsest_collect_licences(FOLDER [REQUIRED] NAME FILE …): copies into FOLDER the licence of each NAME, as the Debian package
# states it that brings FILE. Without REQUIRED, what no Debian package brings is left out.
function(palimpsest_collect_licences folder)
  cmake_parse_arguments(ARG "REQUIRED" "" "" ${ARGN})
  file(REMOVE_RECURSE ${folder})
  file(MAKE_DIRECTORY ${folder}/common-licenses)
  find_program(PALIMPSEST_DPKG_QUERY dpkg-query)
  set(linked_in ${ARG_UNPARSED_ARGUMENTS})
  while(linked_in)
    list(POP_FRONT linked_in name member)
    set(failed TRUE)
    set(package "")
    if(PALIMPSEST_DPKG_QUERY)
      execute_process(COMMAND ${PALIMPSEST_DPKG_QUERY} --search ${member}
        OUTPUT_VARIABLE package RESULT_VARIABLE failed ERROR_QUIET)
    endif()
    string(REGEX REPLACE "[:,].*" "" package "${package}")
    set(copyright /usr/share/doc/${package}/copyright)
    if(failed OR NOT EXISTS ${copyright})
      if(NOT ARG_REQUIRED)
        continue()
      endif()
      message(FATAL_ERROR "No licence of ${name} is found: no Debian package with a copyright file owns ${member}. "
        "PALIMPSEST_STATIC is for Debian, with the packages that scripts/install-deps.sh installs.")
    endif()
    file(REAL_PATH ${copyright} copyright)
    file(COPY_FILE ${copyright} ${folder}/${name}.txt)
    # Long licences are referred to by their place in a Debian system, which other systems lack.
    file(STRINGS ${copyright} references REGEX "/usr/share/common-licenses/")
    string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9]+(-[0-9.]*[0-9])?" references "${references}")
    list(REMOVE_DUPLICATES references)
    foreach(reference IN LISTS references)
      get_filename_component(licence ${reference} NAME)
      file(REAL_PATH ${reference} reference)
      file(COPY_FILE ${reference} ${folder}/common-licenses/${licence}.txt)
    endforeach()
  endwhile()
endfunction()
