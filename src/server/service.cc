#include "server/service.h"

#include <zlib.h>

#include "base/uuid.h"
#include "server/analysis.h"
#include "server/errors.h"
#include "server/execution.h"

namespace iceblink::server {
namespace {

// Runs `body`; what it throws ends the call, not the process.
template <typename Body>
Status Guarded(const Body& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    Error error = Error::Make(ErrorCode::kInternal,
                              std::string("[INTERNAL_ERROR] ") + e.what() + " SQLSTATE: XX000",
                              "SparkException");
    error.condition = "INTERNAL_ERROR";
    error.sql_state = "XX000";
    return Fail(std::move(error));
  }
}

// `text` is the statement's, for the error's context.
grpc::Status Finish(ConnectSession& session, const Status& status, const std::string& text) {
  if (status) return grpc::Status::OK;
  return ToStatus(status.error(), session.Remember(status.error(), text));
}

// The SQL text of a plan that is nothing else.
const std::string& TextOf(const connect::Plan& plan) {
  const connect::Relation& root =
      plan.has_command() ? plan.command().sql_command().input() : plan.root();
  return root.sql().query();
}

template <typename Response>
void FillHandles(const ConnectSession& session, Response* response) {
  response->set_session_id(session.id());
  response->set_server_side_session_id(session.server_side_id());
}

bool WantsReattach(const connect::ExecutePlanRequest& request) {
  for (const auto& option : request.request_options())
    if (option.has_reattach_options() && option.reattach_options().reattachable()) return true;
  return false;
}

}  // namespace

template <typename Request>
Result<std::shared_ptr<ConnectSession>> ConnectService::SessionOf(const Request& request) {
  return sessions_.Get(request.user_context().user_id(), request.session_id(),
                       request.client_observed_server_side_session_id());
}

// ---- plans
// ------------------------------------------------------------------------------------------------------------

grpc::Status ConnectService::ExecutePlan(Context* context,
                                         const connect::ExecutePlanRequest* request,
                                         grpc::ServerWriter<connect::ExecutePlanResponse>* writer) {
  auto found = SessionOf(*request);
  if (!found) return ToStatus(found.error(), {});
  std::shared_ptr<ConnectSession> session = *found;
  std::string id = request->operation_id().empty() ? NewUuid() : request->operation_id();
  if (auto valid = CheckHandle(id); !valid) return ToStatus(valid.error(), {});
  std::string plan = request->plan().SerializeAsString();
  if (session->WasReleased(id))
    return ToStatus(
        InvalidHandle("OPERATION_ABANDONED", id,
                      "Operation was considered abandoned because of inactivity and removed."),
        {});
  if (auto running = session->FindOperation(id)) {  // a repeated request: never run twice
    if (running->plan() != plan)
      return ToStatus(InvalidHandle("OPERATION_ALREADY_EXISTS", id, "Operation already exists."),
                      {});
    return running->Stream(*writer, {}, [&] { return context->IsCancelled(); });
  }
  auto operation = std::make_shared<Operation>(
      session->id(), session->server_side_id(), id, WantsReattach(*request),
      std::vector<std::string>(request->tags().begin(), request->tags().end()), plan);
  session->AddOperation(operation);
  threads_.Run(
      [session, operation, shared = std::make_shared<const connect::Plan>(request->plan())] {
        Status status = Guarded([&]() -> Status {
          Execution execution(session, *operation);
          session->SetRunning(operation.get());
          Status result = execution.Run(*shared);
          session->SetRunning(nullptr);
          return result;
        });
        operation->Finish(Finish(*session, status, TextOf(*shared)));
      });
  grpc::Status status = operation->Stream(*writer, {}, [&] { return context->IsCancelled(); });
  if (!operation->reattachable()) {
    if (!status.ok() && !operation->finished()) session->Interrupt(*operation);
    session->RemoveOperation(id);
  } else {
    session->Streamed(*operation);
  }
  return status;
}

grpc::Status ConnectService::ReattachExecute(
    Context* context, const connect::ReattachExecuteRequest* request,
    grpc::ServerWriter<connect::ExecutePlanResponse>* writer) {
  auto session = SessionOf(*request);
  if (!session) return ToStatus(session.error(), {});
  auto operation = (*session)->FindOperation(request->operation_id());
  if (operation == nullptr) {
    bool released = (*session)->WasReleased(request->operation_id());
    return ToStatus(
        InvalidHandle(
            released ? "OPERATION_ABANDONED" : "OPERATION_NOT_FOUND", request->operation_id(),
            released ? "Operation was considered abandoned because of inactivity and removed."
                     : "Operation not found."),
        {});
  }
  grpc::Status status = operation->Stream(*writer, request->last_response_id(),
                                          [&] { return context->IsCancelled(); });
  (*session)->Streamed(*operation);
  return status;
}

grpc::Status ConnectService::ReleaseExecute(Context*, const connect::ReleaseExecuteRequest* request,
                                            connect::ReleaseExecuteResponse* response) {
  auto session = SessionOf(*request);
  if (!session) return ToStatus(session.error(), {});
  FillHandles(**session, response);
  auto operation = (*session)->FindOperation(request->operation_id());
  if (operation == nullptr) return grpc::Status::OK;
  response->set_operation_id(request->operation_id());
  if (request->has_release_until()) {
    operation->ReleaseUntil(request->release_until().response_id());
    return grpc::Status::OK;
  }
  if (!operation->finished()) (*session)->Interrupt(*operation);
  (*session)->RemoveOperation(request->operation_id());
  return grpc::Status::OK;
}

grpc::Status ConnectService::AnalyzePlan(Context*, const connect::AnalyzePlanRequest* request,
                                         connect::AnalyzePlanResponse* response) {
  auto session = SessionOf(*request);
  if (!session) return ToStatus(session.error(), {});
  FillHandles(**session, response);
  return Finish(**session, Guarded([&] { return Analyze(**session, *request, response); }),
                TextOf(request->schema().plan()));
}

grpc::Status ConnectService::Config(Context*, const connect::ConfigRequest* request,
                                    connect::ConfigResponse* response) {
  auto session = SessionOf(*request);
  if (!session) return ToStatus(session.error(), {});
  FillHandles(**session, response);
  return Finish(**session, Guarded([&] { return Configure(**session, *request, response); }), {});
}

grpc::Status ConnectService::Interrupt(Context*, const connect::InterruptRequest* request,
                                       connect::InterruptResponse* response) {
  auto session = SessionOf(*request);
  if (!session) return ToStatus(session.error(), {});
  FillHandles(**session, response);
  using Q = connect::InterruptRequest;
  for (const auto& operation : (*session)->Operations()) {
    bool meant = false;
    switch (request->interrupt_type()) {
      case Q::INTERRUPT_TYPE_ALL:
        meant = true;
        break;
      case Q::INTERRUPT_TYPE_TAG:
        meant = operation->HasTag(request->operation_tag());
        break;
      case Q::INTERRUPT_TYPE_OPERATION_ID:
        meant = operation->id() == request->operation_id();
        break;
      default:
        break;
    }
    if (!meant || operation->finished()) continue;
    (*session)->Interrupt(*operation);
    response->add_interrupted_ids(operation->id());
  }
  return grpc::Status::OK;
}

// ---- artifacts
// --------------------------------------------------------------------------------------------------------

namespace {

bool CrcHolds(const connect::AddArtifactsRequest::ArtifactChunk& chunk) {
  return crc32(0, reinterpret_cast<const Bytef*>(chunk.data().data()),
               static_cast<uInt>(chunk.data().size())) == static_cast<uLong>(chunk.crc());
}

}  // namespace

// Uploaded data is kept under its name when its checksum holds; jars and Python files have no use
// here.
grpc::Status ConnectService::AddArtifacts(Context*,
                                          grpc::ServerReader<connect::AddArtifactsRequest>* reader,
                                          connect::AddArtifactsResponse* response) {
  connect::AddArtifactsRequest request;
  std::shared_ptr<ConnectSession> session;
  std::string name, data;  // of the artifact that comes in chunks
  int64_t chunks_left = 0;
  bool sound = true;
  auto keep = [&](const std::string& artifact, std::string content, bool ok) {
    if (ok) session->PutArtifact(artifact, std::move(content));
    auto* summary = response->add_artifacts();
    summary->set_name(artifact);
    summary->set_is_crc_successful(ok);
  };
  auto take = [&](const connect::AddArtifactsRequest::ArtifactChunk& chunk) {
    sound = sound && CrcHolds(chunk);
    data += chunk.data();
    if (--chunks_left == 0) keep(name, std::exchange(data, {}), sound);
  };
  while (reader->Read(&request)) {
    if (session == nullptr) {
      auto found = SessionOf(request);
      if (!found) return ToStatus(found.error(), {});
      session = *found;
      FillHandles(*session, response);
    }
    for (const auto& artifact : request.batch().artifacts())
      keep(artifact.name(), artifact.data().data(), CrcHolds(artifact.data()));
    if (request.has_begin_chunk()) {
      name = request.begin_chunk().name();
      chunks_left = request.begin_chunk().num_chunks();
      sound = true;
      data.clear();
      take(request.begin_chunk().initial_chunk());
    } else if (request.has_chunk()) {
      take(request.chunk());
    }
  }
  return grpc::Status::OK;
}

grpc::Status ConnectService::ArtifactStatus(Context*,
                                            const connect::ArtifactStatusesRequest* request,
                                            connect::ArtifactStatusesResponse* response) {
  auto session = SessionOf(*request);
  if (!session) return ToStatus(session.error(), {});
  FillHandles(**session, response);
  for (const std::string& name : request->names())
    (*response->mutable_statuses())[name].set_exists((*session)->FindArtifact(name) != nullptr);
  return grpc::Status::OK;
}

// ---- sessions
// ---------------------------------------------------------------------------------------------------------

grpc::Status ConnectService::FetchErrorDetails(Context*,
                                               const connect::FetchErrorDetailsRequest* request,
                                               connect::FetchErrorDetailsResponse* response) {
  auto session = SessionOf(*request);
  if (!session) return ToStatus(session.error(), {});
  FillHandles(**session, response);
  if (auto failure = (*session)->FindFailure(request->error_id()))
    FillDetails(failure->error, failure->text, response);
  return grpc::Status::OK;
}

grpc::Status ConnectService::ReleaseSession(Context*, const connect::ReleaseSessionRequest* request,
                                            connect::ReleaseSessionResponse* response) {
  response->set_session_id(request->session_id());
  sessions_.Close(request->user_context().user_id(), request->session_id(),
                  request->allow_reconnect());
  return grpc::Status::OK;
}

grpc::Status ConnectService::CloneSession(Context*, const connect::CloneSessionRequest* request,
                                          connect::CloneSessionResponse* response) {
  auto from = SessionOf(*request);
  if (!from) return ToStatus(from.error(), {});
  std::string id = request->new_session_id().empty() ? NewUuid() : request->new_session_id();
  auto to = sessions_.Clone(request->user_context().user_id(), request->session_id(), id);
  if (!to) return ToStatus(to.error(), {});
  FillHandles(**from, response);
  response->set_new_session_id((*to)->id());
  response->set_new_server_side_session_id((*to)->server_side_id());
  return grpc::Status::OK;
}

}  // namespace iceblink::server
