# What `make install` lays down: the program and its configurations, the modules' libraries and public headers, and the
# package files with which another CMake project says find_package(palimpsest [COMPONENTS module …]). What is built for other
# machines comes without the library; a static program comes with what makes an archive of it.

install(TARGETS palimpsest_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/palimpsest)
# What shells complete is what the program itself says that it takes. The build writes it, so that an installation
# writes nothing that another one reads: tests install several at once. Debian's packages keep zsh's files in a folder of
# their own.
set(completions ${PROJECT_BINARY_DIR}/completions)
set(zsh_dir ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
if(PALIMPSEST_STATIC)
  set(zsh_dir ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()
add_custom_command(
  OUTPUT ${completions}/palimpsest ${completions}/_palimpsest
  COMMAND palimpsest_program completion bash > ${completions}/palimpsest
  COMMAND palimpsest_program completion zsh > ${completions}/_palimpsest
  DEPENDS palimpsest_program
  VERBATIM)
file(MAKE_DIRECTORY ${completions})
add_custom_target(completions ALL DEPENDS ${completions}/palimpsest ${completions}/_palimpsest)
add_dependencies(programs completions)
install(FILES ${completions}/palimpsest DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completions}/_palimpsest DESTINATION ${zsh_dir})
if(PALIMPSEST_STATIC)
  include(PalimpsestDist)
endif()
if(PALIMPSEST_PORTABLE)
  return()
endif()

include(CMakePackageConfigHelpers)

# Each module is an install component and an export of its own, so that whoever asks for some modules gets and needs
# nothing of the others. Only palimpsest-torch links `torch`: who uses the library needs no libtorch.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/palimpsest)
get_property(targets GLOBAL PROPERTY PALIMPSEST_MODULES)
list(REMOVE_ITEM targets palimpsest_torch)
set(PALIMPSEST_MODULE_TABLE "")
set(modules "")
foreach(target IN LISTS targets)
  string(REPLACE palimpsest_ "" module ${target})
  list(APPEND modules ${module})
  install(TARGETS ${target} EXPORT ${target}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${module}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${module} NAMELINK_COMPONENT ${module})
  install(EXPORT ${target} NAMESPACE palimpsest:: FILE ${target}.cmake DESTINATION ${package_dir} COMPONENT ${module})
  # One by one: install(DIRECTORY) would also make the folders that hold no public header.
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/palimpsest/${module}/*.h)
  list(FILTER headers EXCLUDE REGEX "/internal/")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT ${module})
  endforeach()
  get_property(depends GLOBAL PROPERTY PALIMPSEST_DEPENDS_${module})
  get_property(packages GLOBAL PROPERTY PALIMPSEST_PACKAGES_${module})
  string(APPEND PALIMPSEST_MODULE_TABLE
    "set(palimpsest_depends_${module} ${depends})\nset(palimpsest_packages_${module} ${packages})\n")
endforeach()
string(PREPEND PALIMPSEST_MODULE_TABLE "set(palimpsest_modules ${modules})  # each depends only on modules listed before it\n")
string(REPLACE ";" " " PALIMPSEST_MODULE_TABLE "${PALIMPSEST_MODULE_TABLE}")
if(PALIMPSEST_HAS_TORCH)  # where it has been built, which `make` alone does not do
  install(TARGETS palimpsest_torch_program OPTIONAL
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/palimpsest)
endif()

if(PALIMPSEST_HAS_MPI)
  install(TARGETS palimpsest_mpi_program OPTIONAL
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/palimpsest)
endif()

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
  DESTINATION ${package_dir} COMPONENT package)
