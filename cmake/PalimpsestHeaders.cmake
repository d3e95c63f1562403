# The target `headers`: every header of palimpsest/ compiled alone, as its module is compiled. Unity builds hide a
# header that lacks an include; this finds it. And one source that includes all public headers, as a program that uses the
# library might. Part of `all` where PALIMPSEST_HEADERS is on.

add_custom_target(headers ALL)

get_property(targets GLOBAL PROPERTY PALIMPSEST_MODULES)
set(all_public "")
foreach(target IN LISTS targets ITEMS palimpsest_program)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${folder}/*.h)
  set(sources "")
  foreach(header IN LISTS headers)
    set(source ${PROJECT_BINARY_DIR}/headers/${header}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
    list(APPEND sources ${source})
    if(NOT header MATCHES "/internal/|^palimpsest/(cli|torch)/")
      string(APPEND all_public "#include \"${header}\"\n")
    endif()
  endforeach()
  add_library(${target}_headers OBJECT EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${target}_headers PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target}_headers PRIVATE ${libraries})
  add_dependencies(headers ${target}_headers)
endforeach()

set(source ${PROJECT_BINARY_DIR}/headers/public_headers.cc)
file(CONFIGURE OUTPUT ${source} CONTENT "${all_public}")
add_library(palimpsest_public_headers OBJECT EXCLUDE_FROM_ALL ${source})
target_include_directories(palimpsest_public_headers PRIVATE ${PROJECT_SOURCE_DIR})
list(REMOVE_ITEM targets palimpsest_torch)
target_link_libraries(palimpsest_public_headers PRIVATE ${targets} palimpsest_options)
add_dependencies(headers palimpsest_public_headers)
