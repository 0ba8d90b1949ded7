// MetastoreCatalog::CommitTables: metadata files first, then every pointer in one step.
#include <fmt/format.h>

#include "catalog/errors.h"
#include "catalog/metadata_file.h"
#include "catalog/metastore_catalog.h"

namespace iceblink::catalog {
namespace {

void DeleteFiles(io::FileSystem& files, const std::vector<PointerSwap>& swaps) {
  for (const PointerSwap& swap : swaps) (void)files.Delete(swap.to);
}

Status Lost(const PointerSwap& swap) {
  if (!swap.from)
    return CommitFailed(
        fmt::format("Requirement failed: table already exists: {}", swap.id.ToString()));
  return CommitFailed(fmt::format("Cannot commit {}: metadata location has changed from {}",
                                  swap.id.ToString(), *swap.from));
}

}  // namespace

Result<PointerSwap> MetastoreCatalog::WriteChange(TableChange& change) {
  PointerSwap swap{change.id, std::nullopt, {}};
  int32_t version = 0;
  if (change.base.metadata != nullptr) {
    LogPreviousFile(*change.base.metadata, change.base.metadata_location, change.updated);
    version = MetadataVersion(change.base.metadata_location) + 1;
    swap.from = change.base.metadata_location;
  } else {
    RETURN_IF_ERROR(RequireFree(change.id, PointerKind::kTable));
  }
  ASSIGN_OR_RETURN(swap.to, NewMetadataLocation(change.updated, version));
  RETURN_IF_ERROR(WriteTableMetadata(files_, swap.to, change.updated));
  return swap;
}

Status MetastoreCatalog::ClassifyFailedSwaps(const std::vector<PointerSwap>& swaps,
                                             const Error& error) {
  size_t landed = 0, before = 0;
  for (const PointerSwap& swap : swaps) {
    const auto pointer = store_->Find(swap.id);
    if (!pointer) return CommitStateUnknown(error);
    const std::optional<std::string> now =
        *pointer ? std::optional((*pointer)->metadata_location) : std::nullopt;
    if (now == swap.to) landed++;
    if (now == swap.from) before++;
  }
  if (landed == swaps.size()) return {};
  if (before != swaps.size()) return CommitStateUnknown(error);
  DeleteFiles(files_, swaps);
  return CommitFailed(error.message);
}

Status MetastoreCatalog::CommitTables(std::vector<TableChange> changes) {
  std::vector<PointerSwap> swaps;
  for (TableChange& change : changes) {
    auto swap = WriteChange(change);
    if (!swap) {
      DeleteFiles(files_, swaps);
      return Fail(std::move(swap).error());
    }
    swaps.push_back(std::move(*swap));
  }
  const auto lost = store_->SwapAll(swaps);
  if (!lost) return ClassifyFailedSwaps(swaps, lost.error());
  if (*lost) {
    DeleteFiles(files_, swaps);
    return Lost(swaps[**lost]);
  }
  for (const TableChange& change : changes) {
    if (change.base.metadata != nullptr)
      DeleteRemovedMetadataFiles(files_, *change.base.metadata, change.updated);
  }
  return {};
}

}  // namespace iceblink::catalog
