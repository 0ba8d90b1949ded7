#include "catalog/memory_pointer_store.h"

#include <algorithm>
#include <set>

#include "catalog/errors.h"

namespace iceblink::catalog {
namespace {

bool IsWithin(const Namespace& inner, const Namespace& outer) {
  return inner.size() >= outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

}  // namespace

Pointer* MemoryPointerStore::FindKind(const TableIdentifier& id, PointerKind kind) {
  const auto it = entries_.find(id);
  return it == entries_.end() || it->second.kind != kind ? nullptr : &it->second;
}

Result<std::optional<Pointer>> MemoryPointerStore::Find(const TableIdentifier& id) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  return it == entries_.end() ? std::nullopt : std::optional<Pointer>(it->second);
}

Result<bool> MemoryPointerStore::Insert(const TableIdentifier& id, const Pointer& pointer) {
  const std::lock_guard lock(mutex_);
  return entries_.emplace(id, pointer).second;
}

Result<bool> MemoryPointerStore::Swap(const TableIdentifier& id, PointerKind kind,
                                      const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  Pointer* pointer = FindKind(id, kind);
  if (pointer == nullptr || pointer->metadata_location != from) return false;
  pointer->metadata_location = to;
  return true;
}

Result<std::optional<size_t>> MemoryPointerStore::SwapAll(const std::vector<PointerSwap>& swaps) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < swaps.size(); i++) {
    const auto it = entries_.find(swaps[i].id);
    const bool holds = swaps[i].from
                           ? it != entries_.end() && it->second.kind == PointerKind::kTable &&
                                 it->second.metadata_location == *swaps[i].from
                           : it == entries_.end();
    if (!holds) return std::optional(i);
  }
  for (const PointerSwap& swap : swaps) entries_[swap.id] = {PointerKind::kTable, swap.to};
  return std::optional<size_t>();
}

Result<bool> MemoryPointerStore::Remove(const TableIdentifier& id, PointerKind kind) {
  const std::lock_guard lock(mutex_);
  return FindKind(id, kind) != nullptr && entries_.erase(id) == 1;
}

Result<bool> MemoryPointerStore::Rename(const TableIdentifier& from, const TableIdentifier& to,
                                        PointerKind kind) {
  const std::lock_guard lock(mutex_);
  const Pointer* pointer = FindKind(from, kind);
  if (pointer == nullptr) return false;
  if (entries_.contains(to)) return TableExistsAlready(to);
  entries_[to] = *pointer;
  entries_.erase(from);
  return true;
}

Result<std::vector<std::string>> MemoryPointerStore::Names(const Namespace& ns, PointerKind kind) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [id, pointer] : entries_) {
    if (id.ns == ns && pointer.kind == kind) names.push_back(id.name);
  }
  return names;
}

Result<bool> MemoryPointerStore::HasNamespace(const Namespace& ns) {
  const std::lock_guard lock(mutex_);
  return std::any_of(namespaces_.begin(), namespaces_.end(),
                     [&](const auto& e) { return IsWithin(e.first, ns); }) ||
         std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& e) { return IsWithin(e.first.ns, ns); });
}

Result<std::vector<Namespace>> MemoryPointerStore::AllNamespaces() {
  const std::lock_guard lock(mutex_);
  std::set<Namespace> all;
  for (const auto& [ns, properties] : namespaces_) all.insert(ns);
  for (const auto& [id, pointer] : entries_) all.insert(id.ns);
  return std::vector<Namespace>(all.begin(), all.end());
}

Result<Properties> MemoryPointerStore::FindProperties(const Namespace& ns) {
  const std::lock_guard lock(mutex_);
  const auto it = namespaces_.find(ns);
  return it == namespaces_.end() ? Properties() : it->second;
}

Status MemoryPointerStore::PutProperties(const Namespace& ns, const Properties& properties) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : properties) namespaces_[ns][key] = value;
  return {};
}

Status MemoryPointerStore::RemoveProperties(const Namespace& ns,
                                            const std::vector<std::string>& keys) {
  const std::lock_guard lock(mutex_);
  const auto it = namespaces_.find(ns);
  if (it == namespaces_.end()) return {};
  for (const std::string& key : keys) it->second.erase(key);
  return {};
}

Status MemoryPointerStore::RemoveNamespace(const Namespace& ns) {
  const std::lock_guard lock(mutex_);
  namespaces_.erase(ns);
  return {};
}

}  // namespace iceblink::catalog
