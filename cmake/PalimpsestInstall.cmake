# What `make install` lays down: the program and its configurations, the modules' libraries and headers, and the package
# files with which another CMake project says find_package(palimpsest). A static program comes without the library and
# with what makes an archive of it.

install(TARGETS palimpsest_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/palimpsest)
if(PALIMPSEST_STATIC)
  include(PalimpsestDist)
  return()
endif()

include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY PALIMPSEST_MODULES)
list(REMOVE_ITEM modules palimpsest_torch)  # only palimpsest-torch links it: who uses the library needs no libtorch
install(TARGETS ${modules} EXPORT palimpsestTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(PALIMPSEST_HAS_TORCH)  # where it has been built, which `make` alone does not do
  install(TARGETS palimpsest_torch_program OPTIONAL
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/palimpsest)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/palimpsest
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE PATTERN "torch" EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/palimpsest)
install(EXPORT palimpsestTargets NAMESPACE palimpsest:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/palimpsestConfig.cmake.in
  ${PROJECT_BINARY_DIR}/palimpsestConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/palimpsestConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/palimpsestConfig.cmake
  ${PROJECT_BINARY_DIR}/palimpsestConfigVersion.cmake
  DESTINATION ${package_dir})
