# cmake -D FOLDER=… -D OUTPUT=… -P fetch_charts.cmake
#
# Writes OUTPUT, one script with the libraries that draw charts: vega, vega-lite and vega-embed, in
# their makers' own builds for browsers. npm fetches the three packages into FOLDER unless they are
# there already; `npm pack` takes these alone, where `npm install` brings a hundred that only their
# makers need. A package whose contents are not the known ones is refused. If they cannot be had,
# OUTPUT is empty, the build goes on, and the next build tries again: OUTPUT.complete is missing.

set(packages
  vega     5.33.1 1b8504b6731c5311be3269c4d84ca996a5cc293bc772283293ede20c490e16c3
  vega-lite 5.23.0 e4cbfdd8f6f1abe381c59cd558fd6a559c12b1496bfdf2e0c3295263a40fe4da
  vega-embed 6.29.0 ecf1ee709c2bac9e0a4ead6908114b05b62c71493e10a8a4308109bb070f8eb1)

# Only where it changes anything, so that nothing is built again for the same contents.
function(write_output content)
  if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} present)
    if("${present}" STREQUAL "${content}")
      return()
    endif()
  endif()
  file(WRITE ${OUTPUT} "${content}")
endfunction()

function(give_up reason)
  message(WARNING "Report pages are built without charts: ${reason}")
  write_output("")
endfunction()

function(has_package archive sha256 result)
  set(${result} FALSE PARENT_SCOPE)
  if(EXISTS ${archive})
    file(SHA256 ${archive} found)
    if(found STREQUAL sha256)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

file(MAKE_DIRECTORY ${FOLDER})
set(wanted)
set(rest ${packages})
while(rest)
  list(POP_FRONT rest name version sha256)
  has_package(${FOLDER}/${name}-${version}.tgz ${sha256} present)
  if(NOT present)
    list(APPEND wanted ${name}@${version})
  endif()
endwhile()

if(wanted)
  find_program(NPM npm)
  if(NOT NPM)
    give_up("there is no npm (apt-get install npm, then build again).")
    return()
  endif()
  execute_process(
    COMMAND ${NPM} pack ${wanted} --loglevel=error --pack-destination ${FOLDER} --fetch-retries=1 --fetch-timeout=30000
    WORKING_DIRECTORY ${FOLDER} TIMEOUT 180 RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE reason)
  if(failed)
    string(STRIP "${reason}" reason)
    list(JOIN wanted " " wanted)
    give_up("npm could not fetch ${wanted} (${reason}); with a registry in reach build again.")
    return()
  endif()
endif()

set(script "")
set(rest ${packages})
while(rest)
  list(POP_FRONT rest name version sha256)
  set(archive ${FOLDER}/${name}-${version}.tgz)
  has_package(${archive} ${sha256} present)
  if(NOT present)
    give_up("${archive} is not the ${name} ${version} that is expected here; remove it and build again.")
    return()
  endif()
  set(unpacked ${FOLDER}/${name})
  set(files package/build/${name}.min.js)
  if(NOT name STREQUAL "vega")  # its package has no file with the licence, which is vega-lite's
    list(APPEND files package/LICENSE)
  endif()
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${unpacked} PATTERNS ${files})
  file(READ ${unpacked}/package/build/${name}.min.js code)
  # A debugger would look for the maps beside the page.
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*\n?" "" code "${code}")
  if(code MATCHES "</[sS][cC][rR][iI][pP][tT]|<!--")
    give_up("${name} cannot stand inside a page.")
    return()
  endif()
  set(license "Copyright (c) 2013, University of Washington Interactive Data Lab. BSD 3-Clause, as below.\n")
  if(EXISTS ${unpacked}/package/LICENSE)
    file(READ ${unpacked}/package/LICENSE license)
  endif()
  string(APPEND script "/*! ${name} ${version}\n${license}*/\n${code}\n")
endwhile()
write_output("${script}")
file(TOUCH ${OUTPUT}.complete)
