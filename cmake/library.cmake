# The C++ library as programs embed it: every room but the server in one archive, the headers of include/iceblink, DuckDB
# beside it, and the package file for find_package(iceblink). doc/cpp.md, doc/decisions.
set(library_rooms base io spec expr catalog table commit sql plan exec engine api)
set(objects)
foreach(name ${library_rooms})
  list(APPEND objects $<TARGET_OBJECTS:iceblink_${name}>)
endforeach()
add_library(iceblink_library STATIC ${objects})
set_target_properties(iceblink_library PROPERTIES OUTPUT_NAME iceblink LINKER_LANGUAGE CXX)

include(GNUInstallDirs)
install(TARGETS iceblink_library ARCHIVE DESTINATION lib)
install(DIRECTORY include/iceblink DESTINATION include FILES_MATCHING PATTERN "*.h")
# Two of them are links to the rooms' own.
install(FILES src/base/result.h src/base/value.h DESTINATION include/iceblink)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/iceblink-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES cmake/iceblink-config.cmake ${CMAKE_BINARY_DIR}/iceblink-config-version.cmake DESTINATION lib/cmake/iceblink)
