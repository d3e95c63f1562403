# PALIMPSEST_FMT and PALIMPSEST_SPDLOG: fmt and spdlog as the modules link them. Debian has both only as shared libraries,
# so what is built for other machines (PALIMPSEST_PORTABLE) takes them from their headers: fmt compiled once into a small
# library, because its header-only form costs every source seconds; spdlog header-only, because a single source includes it.

set(PALIMPSEST_FMT fmt::fmt)
set(PALIMPSEST_SPDLOG spdlog::spdlog)
if(NOT PALIMPSEST_PORTABLE)
  return()
endif()

add_library(palimpsest_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cc)
target_include_directories(palimpsest_fmt SYSTEM PUBLIC
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
add_library(palimpsest_spdlog INTERFACE)
target_include_directories(palimpsest_spdlog SYSTEM INTERFACE
  $<TARGET_PROPERTY:spdlog::spdlog,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(palimpsest_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(palimpsest_spdlog INTERFACE palimpsest_fmt Threads::Threads)
set(PALIMPSEST_FMT palimpsest_fmt)
set(PALIMPSEST_SPDLOG palimpsest_spdlog)

# PALIMPSEST_CHECK names source files; in a program for others they are named as in the repository.
target_compile_options(palimpsest_options INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(PALIMPSEST_STATIC)
  # The linker warns of what a static program would still look for on the machine where it runs (users, hosts, locales'
  # converters); there must be none of it.
  target_link_options(palimpsest_options INTERFACE -static -Wl,--fatal-warnings)
endif()
