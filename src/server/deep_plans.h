// Parsing of requests that hold plans: a chain of a hundred DataFrame operations nests deeper than
// protobuf allows by itself. Must be seen by every file that names the service's methods, the
// generated one included (cmake/connect.cmake).
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <limits>

#include "spark/connect/base.pb.h"

namespace iceblink::server {

// As Spark's server. An operation of a DataFrame takes two levels.
inline constexpr int kPlanDepth = 1024;

template <typename Message>
class DeepMessage {
 public:
  static grpc::Status Serialize(const Message& message, grpc::ByteBuffer* buffer, bool* own) {
    return grpc::GenericSerialize<grpc::ProtoBufferWriter, Message>(message, buffer, own);
  }
  static grpc::Status Deserialize(grpc::ByteBuffer* buffer, Message* message) {
    grpc::Status status;
    {
      grpc::ProtoBufferReader reader(buffer);
      status = reader.status();
      if (status.ok()) {
        google::protobuf::io::CodedInputStream in(&reader);
        in.SetTotalBytesLimit(std::numeric_limits<int>::max());
        in.SetRecursionLimit(kPlanDepth);
        if (!message->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage())
          status = grpc::Status(grpc::StatusCode::INTERNAL,
                                "The plan does not parse, or is nested too deeply");
      }
    }
    buffer->Clear();
    return status;
  }
};

}  // namespace iceblink::server

template <>
class grpc::SerializationTraits<spark::connect::ExecutePlanRequest, void>
    : public iceblink::server::DeepMessage<spark::connect::ExecutePlanRequest> {};
// Unary methods, AnalyzePlan among them, parse through the base class of all messages.
template <>
class grpc::SerializationTraits<google::protobuf::MessageLite, void>
    : public iceblink::server::DeepMessage<google::protobuf::MessageLite> {};
