#include "base/strings.h"
#include "catalog/catalog.h"

namespace iceblink::catalog {

std::string NamespaceToString(const Namespace& ns) { return Join(ns, "."); }

std::string TableIdentifier::ToString() const {
  return ns.empty() ? name : NamespaceToString(ns) + "." + name;
}

}  // namespace iceblink::catalog
