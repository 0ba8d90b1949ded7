// PointerStore in memory: gone with the process.
#pragma once

#include <map>
#include <mutex>

#include "catalog/pointer_store.h"

namespace iceblink::catalog {

class MemoryPointerStore final : public PointerStore {
 public:
  Result<std::optional<Pointer>> Find(const TableIdentifier& id) override;
  Result<bool> Insert(const TableIdentifier& id, const Pointer& pointer) override;
  Result<bool> Swap(const TableIdentifier& id, PointerKind kind, const std::string& from,
                    const std::string& to) override;
  Result<std::optional<size_t>> SwapAll(const std::vector<PointerSwap>& swaps) override;
  Result<bool> Remove(const TableIdentifier& id, PointerKind kind) override;
  Result<bool> Rename(const TableIdentifier& from, const TableIdentifier& to,
                      PointerKind kind) override;
  Result<std::vector<std::string>> Names(const Namespace& ns, PointerKind kind) override;
  Result<bool> HasNamespace(const Namespace& ns) override;
  Result<std::vector<Namespace>> AllNamespaces() override;
  Result<Properties> FindProperties(const Namespace& ns) override;
  Status PutProperties(const Namespace& ns, const Properties& properties) override;
  Status RemoveProperties(const Namespace& ns, const std::vector<std::string>& keys) override;
  Status RemoveNamespace(const Namespace& ns) override;

 private:
  // The entry of this kind, or null. Requires mutex_.
  Pointer* FindKind(const TableIdentifier& id, PointerKind kind);

  std::mutex mutex_;
  std::map<TableIdentifier, Pointer> entries_;
  std::map<Namespace, Properties> namespaces_;
};

}  // namespace iceblink::catalog
