// The operations of the REST protocol: their routes, and which of them a server has. A server that
// lists none has those of the first release.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace iceblink::catalog::rest {

enum class Endpoint : uint8_t {
  kListNamespaces,
  kCreateNamespace,
  kLoadNamespace,
  kNamespaceExists,
  kDropNamespace,
  kUpdateProperties,
  kListTables,
  kCreateTable,
  kLoadTable,
  kTableExists,
  kUpdateTable,
  kDropTable,
  kRegisterTable,
  kRenameTable,
  kLoadCredentials,
  kCommitTransaction,
  kListViews,
  kLoadView,
  kViewExists,
  kCreateView,
  kReplaceView,
  kDropView,
  kRenameView,
};

// "GET /v1/{prefix}/namespaces": how the configuration lists it.
std::string EndpointName(Endpoint endpoint);

class Endpoints {
 public:
  // `listed` is the server's list, nothing when it sent none; `views` adds those of views then
  // (view-endpoints-supported).
  explicit Endpoints(const std::optional<std::vector<std::string>>& listed = {},
                     bool views = false);
  bool Has(Endpoint endpoint) const { return available_.contains(endpoint); }

 private:
  std::set<Endpoint> available_;
};

}  // namespace iceblink::catalog::rest
