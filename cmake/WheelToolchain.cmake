# A toolchain file for the extension module of a wheel (`make wheel`): this machine's compiler with the old glibc and the
# static libraries of build/wheel-sysroot, which scripts/wheel-sysroot.sh makes. libgcc stays a shared library, since the static
# one asks for a newer glibc; every system that has Python has the shared one.

set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/wheel-sysroot)
cmake_path(NORMAL_PATH CMAKE_SYSROOT)
set(old_libraries ${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu)
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections")
# Before the folders of this machine, which the compiler names even with another root. Sections that nobody refers to are
# dropped: some of libstdc++'s ask for functions of a newer glibc.
set(CMAKE_MODULE_LINKER_FLAGS_INIT
  "-B${old_libraries} -L${old_libraries} -L${CMAKE_SYSROOT}/lib/x86_64-linux-gnu -static-libstdc++ -Wl,--gc-sections")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lpthread -ldl")
# No program can be linked like this, and none needs to be; so CMake cannot see by itself where Debian keeps libraries.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
