# An MPI, where someone wants it. Sets PALIMPSEST_HAS_MPI and, if true, declares palimpsest_mpi, which the program
# palimpsest-mpi links; the program `palimpsest` never does.

set(PALIMPSEST_MPI AUTO CACHE STRING "Build palimpsest-mpi, for mpirun: AUTO (where an MPI is found), ON or OFF")
set_property(CACHE PALIMPSEST_MPI PROPERTY STRINGS AUTO ON OFF)

set(PALIMPSEST_HAS_MPI FALSE)
if(NOT PALIMPSEST_MPI)
  message(STATUS "palimpsest-mpi is not built: PALIMPSEST_MPI is ${PALIMPSEST_MPI}")
elseif(PALIMPSEST_PORTABLE)
  message(STATUS "palimpsest-mpi is not built: it links shared libraries, and PALIMPSEST_PORTABLE is on")
else()
  # By pkg-config: CMake's own search asks for the compiler of C as well.
  if(PALIMPSEST_MPI STREQUAL AUTO)
    pkg_check_modules(PALIMPSEST_MPI_C QUIET ompi-c)
  else()
    pkg_check_modules(PALIMPSEST_MPI_C REQUIRED ompi-c)
  endif()
  if(PALIMPSEST_MPI_C_FOUND)
    add_library(palimpsest_mpi INTERFACE)
    target_include_directories(palimpsest_mpi SYSTEM INTERFACE ${PALIMPSEST_MPI_C_INCLUDE_DIRS})
    target_link_libraries(palimpsest_mpi INTERFACE ${PALIMPSEST_MPI_C_LINK_LIBRARIES})
    target_compile_definitions(palimpsest_mpi INTERFACE OMPI_SKIP_MPICXX)
    set(PALIMPSEST_HAS_MPI TRUE)
    message(STATUS "palimpsest-mpi is built with Open MPI ${PALIMPSEST_MPI_C_VERSION}")
  else()
    message(STATUS "palimpsest-mpi is not built: there is no Open MPI (Debian: libopenmpi-dev)")
  endif()
endif()
