# find_package(iceblink) -> iceblink::iceblink. The archive leaves the system's libraries to the program that links it; DuckDB
# comes with the installation.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(_iceblink_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET iceblink::iceblink)
  add_library(iceblink::duckdb SHARED IMPORTED)
  set_target_properties(iceblink::duckdb PROPERTIES IMPORTED_LOCATION "${_iceblink_prefix}/lib/libduckdb.so")
  add_library(iceblink::iceblink STATIC IMPORTED)
  set_target_properties(iceblink::iceblink PROPERTIES
    IMPORTED_LOCATION "${_iceblink_prefix}/lib/libiceblink.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_INCLUDE_DIRECTORIES "${_iceblink_prefix}/include"
    INTERFACE_LINK_LIBRARIES
      "iceblink::duckdb;fmt;roaring;zstd;snappy;lz4;z;sqlite3;utf8proc;re2;crypto;Threads::Threads;${CMAKE_DL_LIBS}")
endif()
unset(_iceblink_prefix)
