// AnalyzePlan and Config: the answers that need no run.
#pragma once

#include "base/result.h"
#include "server/sessions.h"
#include "spark/connect/base.pb.h"

namespace iceblink::server {

namespace connect = spark::connect;

Status Analyze(ConnectSession& session, const connect::AnalyzePlanRequest& request,
               connect::AnalyzePlanResponse* response);
Status Configure(ConnectSession& session, const connect::ConfigRequest& request,
                 connect::ConfigResponse* response);

}  // namespace iceblink::server
