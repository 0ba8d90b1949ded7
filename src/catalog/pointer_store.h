// Where a catalog keeps its rows: pointers from identifiers to metadata files, and namespace
// properties. MetastoreCatalog puts Iceberg's rules on top. Every method is atomic and safe from
// several threads. A store fails with kIo or kUnavailable only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace iceblink::catalog {

enum class PointerKind : uint8_t { kTable, kView };

struct Pointer {
  PointerKind kind = PointerKind::kTable;
  std::string metadata_location;
};

// A table that shall point at `to`, if it points at `from`, or, without one, if there is none.
struct PointerSwap {
  TableIdentifier id;
  std::optional<std::string> from;
  std::string to;
};

class PointerStore {
 public:
  virtual ~PointerStore() = default;

  virtual Result<std::optional<Pointer>> Find(const TableIdentifier& id) = 0;
  // False when the name is taken.
  virtual Result<bool> Insert(const TableIdentifier& id, const Pointer& pointer) = 0;
  // Points `id` at `to` if it still points at `from`; false if not.
  virtual Result<bool> Swap(const TableIdentifier& id, PointerKind kind, const std::string& from,
                            const std::string& to) = 0;
  // All of them or none: nothing when done, else the index of one that does not hold.
  virtual Result<std::optional<size_t>> SwapAll(const std::vector<PointerSwap>& swaps) = 0;
  // False when there is none of this kind.
  virtual Result<bool> Remove(const TableIdentifier& id, PointerKind kind) = 0;
  // kAlreadyExists when `to` is taken, false when there is no `from` of this kind.
  virtual Result<bool> Rename(const TableIdentifier& from, const TableIdentifier& to,
                              PointerKind kind) = 0;
  // Names in exactly this namespace, sorted.
  virtual Result<std::vector<std::string>> Names(const Namespace& ns, PointerKind kind) = 0;

  // Whether this namespace or one below it was created or has entries.
  virtual Result<bool> HasNamespace(const Namespace& ns) = 0;
  // Every namespace that was created or has entries, each once.
  virtual Result<std::vector<Namespace>> AllNamespaces() = 0;
  // Properties as stored.
  virtual Result<Properties> FindProperties(const Namespace& ns) = 0;
  // Inserts or replaces; makes the namespace exist.
  virtual Status PutProperties(const Namespace& ns, const Properties& properties) = 0;
  virtual Status RemoveProperties(const Namespace& ns, const std::vector<std::string>& keys) = 0;
  virtual Status RemoveNamespace(const Namespace& ns) = 0;
};

}  // namespace iceblink::catalog
