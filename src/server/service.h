// The RPCs of spark.connect.SparkConnectService over the sessions.
#pragma once

#include <grpcpp/grpcpp.h>

#include "server/deep_plans.h"
#include "server/operation_threads.h"
#include "server/sessions.h"
#include "spark/connect/base.grpc.pb.h"

namespace iceblink::server {

class ConnectService final : public connect::SparkConnectService::Service {
 public:
  explicit ConnectService(engine::SessionOptions options) : sessions_(std::move(options)) {}
  SessionRegistry& sessions() { return sessions_; }

  using Context = grpc::ServerContext;
  grpc::Status ExecutePlan(Context*, const connect::ExecutePlanRequest*,
                           grpc::ServerWriter<connect::ExecutePlanResponse>*) override;
  grpc::Status ReattachExecute(Context*, const connect::ReattachExecuteRequest*,
                               grpc::ServerWriter<connect::ExecutePlanResponse>*) override;
  grpc::Status ReleaseExecute(Context*, const connect::ReleaseExecuteRequest*,
                              connect::ReleaseExecuteResponse*) override;
  grpc::Status AnalyzePlan(Context*, const connect::AnalyzePlanRequest*,
                           connect::AnalyzePlanResponse*) override;
  grpc::Status Config(Context*, const connect::ConfigRequest*, connect::ConfigResponse*) override;
  grpc::Status Interrupt(Context*, const connect::InterruptRequest*,
                         connect::InterruptResponse*) override;
  grpc::Status AddArtifacts(Context*, grpc::ServerReader<connect::AddArtifactsRequest>*,
                            connect::AddArtifactsResponse*) override;
  grpc::Status ArtifactStatus(Context*, const connect::ArtifactStatusesRequest*,
                              connect::ArtifactStatusesResponse*) override;
  grpc::Status FetchErrorDetails(Context*, const connect::FetchErrorDetailsRequest*,
                                 connect::FetchErrorDetailsResponse*) override;
  grpc::Status ReleaseSession(Context*, const connect::ReleaseSessionRequest*,
                              connect::ReleaseSessionResponse*) override;
  grpc::Status CloneSession(Context*, const connect::CloneSessionRequest*,
                            connect::CloneSessionResponse*) override;

 private:
  template <typename Request>
  Result<std::shared_ptr<ConnectSession>> SessionOf(const Request& request);

  SessionRegistry sessions_;
  OperationThreads threads_;  // ends first: what runs holds its session
};

}  // namespace iceblink::server
