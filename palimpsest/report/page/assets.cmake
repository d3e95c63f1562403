# cmake -D TEMPLATE=page.html -D STYLES=a.css,b.css -D SCRIPTS=a.js,b.js -D OUTPUT=page_assets.cc -P assets.cmake
#
# Writes the source file behind page_assets.h: the page's files as string literals, and the part of its
# Content-Security-Policy that allows this style and this script by their SHA-256.

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

# 'sha256-…' as a policy spells it: the bytes of the hash, six bits per character.
function(hash_source text result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  string(APPEND hex 00)  # 32 bytes and one more are eleven groups of three
  set(encoded "")
  foreach(group RANGE 10)
    math(EXPR at "6 * ${group}")
    string(SUBSTRING ${hex} ${at} 6 digits)
    foreach(shift 18 12 6 0)
      math(EXPR place "(0x${digits} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${place} 1 character)
      string(APPEND encoded ${character})
    endforeach()
  endforeach()
  string(SUBSTRING ${encoded} 0 43 encoded)
  set(${result} "'sha256-${encoded}='" PARENT_SCOPE)
endfunction()

file(READ ${TEMPLATE} template)
read_all("${STYLES}" style)
read_all("${SCRIPTS}" script)
set(script "(() => {\n\"use strict\";\n${script}})();")
hash_source("${style}" style_source)
hash_source("${script}" script_source)

append_asset(kTemplate "${template}")
append_asset(kStyle "${style}")
append_asset(kScript "${script}")
append_asset(kPolicy "script-src ${script_source}; style-src ${style_source}")
string(APPEND content "}  // namespace palimpsest::report::page_assets\n")
file(WRITE ${OUTPUT} "${content}")
