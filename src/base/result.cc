#include "base/result.h"

namespace iceblink {

std::string_view ErrorCodeName(ErrorCode code) {
  static constexpr std::string_view kNames[] = {"InvalidArgument",
                                                "Syntax",
                                                "Analysis",
                                                "NotFound",
                                                "AlreadyExists",
                                                "NotEmpty",
                                                "Conflict",
                                                "CommitUnknown",
                                                "Unauthenticated",
                                                "Forbidden",
                                                "Unavailable",
                                                "Corrupt",
                                                "Io",
                                                "Unsupported",
                                                "Internal"};
  return kNames[static_cast<size_t>(code)];
}

}  // namespace iceblink
