# libtorch, where someone wants it. Sets PALIMPSEST_HAS_TORCH and, if true, declares palimpsest_libtorch, which the module
# `torch` links; the program `palimpsest` never does.

set(PALIMPSEST_TORCH AUTO CACHE STRING
  "Build palimpsest-torch, for other devices: AUTO (where libtorch is found), ON or OFF")
set_property(CACHE PALIMPSEST_TORCH PROPERTY STRINGS AUTO ON OFF)
set(PALIMPSEST_TORCH_DIR "" CACHE PATH
  "Folder `torch` of an installed Python package whose libtorch_cpu is linked directly; empty: find_package(Torch)")

# The CMake files of a wheel that can do CUDA ask for CUDA's compiler and libraries. Its CPU half is two libraries, and
# needs none of that.
function(palimpsest_torch_of_wheel folder)
  add_library(palimpsest_libtorch INTERFACE)
  foreach(library IN ITEMS torch_cpu c10)
    find_library(PALIMPSEST_TORCH_LIBRARY_${library} ${library} PATHS ${folder}/lib NO_DEFAULT_PATH REQUIRED)
    target_link_libraries(palimpsest_libtorch INTERFACE ${PALIMPSEST_TORCH_LIBRARY_${library}})
  endforeach()
  # What libtorch_cpu needs itself is found when it is loaded, by the path that stands in it.
  target_link_options(palimpsest_libtorch INTERFACE -Wl,--allow-shlib-undefined)
  target_include_directories(palimpsest_libtorch SYSTEM INTERFACE
    ${folder}/include ${folder}/include/torch/csrc/api/include)
endfunction()

# As the package's own CMake files say, but without its warnings, which are not ours to mend.
function(palimpsest_torch_of_package)
  add_library(palimpsest_libtorch INTERFACE)
  target_link_libraries(palimpsest_libtorch INTERFACE ${TORCH_LIBRARIES})
  target_include_directories(palimpsest_libtorch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(palimpsest_libtorch INTERFACE ${torch_flags})
  # In C++20 clang cannot read the headers of libtorch 1.13 unless it sees this one first.
  target_compile_options(palimpsest_libtorch INTERFACE
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-include ATen/core/ivalue.h>)
endfunction()

set(PALIMPSEST_HAS_TORCH FALSE)
if(NOT PALIMPSEST_TORCH)
  message(STATUS "palimpsest-torch is not built: PALIMPSEST_TORCH is ${PALIMPSEST_TORCH}")
elseif(PALIMPSEST_PORTABLE)
  message(STATUS "palimpsest-torch is not built: it links shared libraries, and PALIMPSEST_PORTABLE is on")
elseif(PALIMPSEST_TORCH_DIR)
  palimpsest_torch_of_wheel(${PALIMPSEST_TORCH_DIR})
  set(PALIMPSEST_HAS_TORCH TRUE)
  message(STATUS "palimpsest-torch is built with the libtorch of ${PALIMPSEST_TORCH_DIR}")
else()
  if(PALIMPSEST_TORCH STREQUAL AUTO)
    find_package(Torch QUIET)
  else()
    find_package(Torch REQUIRED)
  endif()
  if(Torch_FOUND)
    palimpsest_torch_of_package()
    set(PALIMPSEST_HAS_TORCH TRUE)
    message(STATUS "palimpsest-torch is built with the libtorch of ${Torch_DIR}")
  else()
    message(STATUS "palimpsest-torch is not built: there is no libtorch (docs/models.md says how to get one)")
  endif()
endif()
