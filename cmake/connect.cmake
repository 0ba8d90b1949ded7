# The server room's own: HTTP, and for Spark Connect gRPC and the messages of the protocol. Included when ICEBLINK_SERVER is ON.
#
# gRPC, protobuf and what they need are linked statically, so that the program starts as quickly as without them. Debian's
# archives are not position independent: they fit executables only.
find_package(Protobuf REQUIRED)
find_package(OpenSSL REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
pkg_check_modules(GRPC REQUIRED grpc++ protobuf)
set(libs ${GRPC_STATIC_LIBRARIES})
list(FILTER libs EXCLUDE REGEX "^(pthread|dl|rt|m)$")
list(REMOVE_DUPLICATES libs)
list(TRANSFORM libs PREPEND -l)
add_library(grpc_static INTERFACE)
target_link_libraries(grpc_static INTERFACE -Wl,-Bstatic -Wl,--start-group ${libs} -lcares -lre2 -lz -lssl -lcrypto
  -Wl,--end-group -Wl,-Bdynamic -Wl,--exclude-libs,ALL -ldl Threads::Threads)

find_library(HTTPLIB cpp-httplib REQUIRED)

set(CONNECT_GEN ${CMAKE_BINARY_DIR}/connect)
set(CONNECT_DESCRIPTORS ${ICEBLINK_PREBUILT}/proto/spark_connect.desc)
file(MAKE_DIRECTORY ${CONNECT_GEN})
set(sources)
set(protos)
foreach(name common types expressions catalog ml_common relations ml pipelines commands base)
  list(APPEND sources ${CONNECT_GEN}/spark/connect/${name}.pb.cc)
  list(APPEND protos spark/connect/${name}.proto)
endforeach()
list(APPEND sources ${CONNECT_GEN}/spark/connect/base.grpc.pb.cc)
add_custom_command(OUTPUT ${sources} DEPENDS ${CONNECT_DESCRIPTORS}
  COMMAND protobuf::protoc --descriptor_set_in=${CONNECT_DESCRIPTORS} --cpp_out=${CONNECT_GEN} --grpc_out=${CONNECT_GEN}
    --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} ${protos})
add_library(spark_connect STATIC ${sources})
target_include_directories(spark_connect SYSTEM PUBLIC ${CONNECT_GEN})
target_compile_options(spark_connect PRIVATE -w -O1)
# The service's methods parse plans with our depth limit.
set(deep_plans ${CMAKE_SOURCE_DIR}/src/server/deep_plans.h)
set_source_files_properties(${CONNECT_GEN}/spark/connect/base.grpc.pb.cc PROPERTIES
  COMPILE_OPTIONS "-include;${deep_plans}" OBJECT_DEPENDS ${deep_plans})
target_link_libraries(spark_connect PUBLIC grpc_static)
