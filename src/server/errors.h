// Errors as PySpark unpacks them: status INTERNAL with a google.rpc.Status whose ErrorInfo names
// the Java classes, the error condition and the SQLSTATE; the whole text on request
// (FetchErrorDetails).
#pragma once

#include <grpcpp/support/status.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spark/connect/base.pb.h"

namespace iceblink::server {

namespace connect = spark::connect;

// Java class of an error and its superclasses, the most specific first.
std::vector<std::string> JavaClasses(const Error& error);

// Values of the parameters in the text of the error's condition; empty where there are none.
std::map<std::string, std::string> ParametersOf(const Error& error);

// `error_id` is what FetchErrorDetails will be asked for; empty: nothing more to tell.
grpc::Status ToStatus(const Error& error, const std::string& error_id);
// What FetchErrorDetails answers: the whole message, and the part of the statement that it is
// about. `text` is the statement's, where there is one.
void FillDetails(const Error& error, const std::string& text,
                 connect::FetchErrorDetailsResponse* out);

// An operation that the server knows by name and does not offer. No condition of Spark's says so.
Error NotSupported(std::string_view what);
// A request that no client of Spark makes.
Error InvalidInput(std::string message);
// "[CONDITION] text SQLSTATE: nnnnn"
Error WithCondition(ErrorCode code, std::string exception, std::string condition,
                    std::string sql_state, std::string_view text);
// INVALID_HANDLE.SESSION_CLOSED and its kin.
Error InvalidHandle(std::string_view subclass, std::string_view handle, std::string_view text);

}  // namespace iceblink::server
