# What `make dist` packs beside the static program and its configurations: the documentation and the licences of everything
# that is linked in, as a .tar.gz that runs wherever it is unpacked and as a .deb, both in the build folder's packages/.

set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/palimpsest)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${doc_dir}
  PATTERN "__pycache__" EXCLUDE)
install(FILES
  ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
  ${PROJECT_SOURCE_DIR}/CITATION.cff
  DESTINATION ${doc_dir})

include(PalimpsestLicences)
set(licence_dir ${PROJECT_BINARY_DIR}/licences)
palimpsest_collect_licences(${licence_dir} REQUIRED
  glibc /usr/include/stdio.h ${PALIMPSEST_LIBSTDCXX} ${PALIMPSEST_LINKED_IN})
file(WRITE ${licence_dir}/README.md [=[
The program holds code of the projects whose licences stand here, as Debian's packages state them. Where these name a file in
/usr/share/common-licenses, it is in the folder common-licenses.

The GNU C library is linked in under the LGPL 2.1. Whoever wants the program with another version of it builds that from
Palimpsest's sources, which are free (LICENSE): `make dist`.
]=])
install(DIRECTORY ${licence_dir} DESTINATION ${doc_dir})

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_NAME palimpsest)
set(CPACK_PACKAGE_VENDOR "The Palimpsest authors")
set(CPACK_PACKAGE_CONTACT "The Palimpsest authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME palimpsest-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
