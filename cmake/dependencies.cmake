# Every library the project links, in one place. Versions and checksums: scripts/setup.
set(ICEBLINK_PREBUILT ${CMAKE_SOURCE_DIR}/third_party/prebuilt CACHE PATH "filled by scripts/setup")

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd CONFIG REQUIRED)
find_package(Snappy CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(roaring CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(GTest REQUIRED)
# Its archive: SHA-256 alone adds 20 kB and no library to load.
find_library(ICEBLINK_LIBCRYPTO NAMES libcrypto.a REQUIRED)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(EDIT REQUIRED IMPORTED_TARGET libedit)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)

# Loaded at run time when first used; their headers say how.
find_path(CURL_HEADER curl/curl.h REQUIRED)
find_path(PQ_HEADER libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)

add_library(duckdb SHARED IMPORTED GLOBAL)
set_target_properties(duckdb PROPERTIES IMPORTED_LOCATION ${ICEBLINK_PREBUILT}/lib/libduckdb.so)
# Never define DEBUG: it changes DuckDB's inline code. The third_party folders are for ParquetReader and ParquetWriter.
target_include_directories(duckdb SYSTEM INTERFACE ${ICEBLINK_PREBUILT}/include/duckdb/src/include)
set(dx ${ICEBLINK_PREBUILT}/include/duckdb)
target_include_directories(duckdb SYSTEM INTERFACE ${dx}/extension/parquet/include
  ${dx}/third_party/fastpforlib ${dx}/third_party/parquet ${dx}/third_party/thrift ${dx}/third_party/zstd/include
  ${dx}/third_party/mbedtls/include ${dx}/third_party/brotli/include ${dx}/third_party/snappy ${dx}/third_party/miniz
  ${dx}/third_party/lz4 ${dx}/third_party/fsst ${dx}/third_party/yyjson/include)

# Object stores, in a module of their own (src/io/arrow), and Spark Connect's results. Out of the wheel of PyArrow.
foreach(name arrow arrow_s3)
  add_library(${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${ICEBLINK_PREBUILT}/lib/lib${name}.so.2600)
  target_include_directories(${name} SYSTEM INTERFACE ${ICEBLINK_PREBUILT}/include)
endforeach()
