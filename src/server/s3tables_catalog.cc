#include "server/s3tables_catalog.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/errors.h"
#include "catalog/s3tables_catalog.h"

namespace iceblink::server {
namespace {

using catalog::Namespace;
using catalog::Pointer;
using catalog::PointerKind;
using catalog::Properties;
using catalog::TableIdentifier;

// Rows of the store as the pointers of a metastore.
class BucketPointers final : public catalog::PointerStore {
 public:
  BucketPointers(std::string bucket, std::shared_ptr<S3TablesStore> store)
      : bucket_(std::move(bucket)), store_(std::move(store)) {}

  Result<std::optional<Pointer>> Find(const TableIdentifier& id) override {
    ASSIGN_OR_RETURN(const auto table, Row(id));
    if (!table || !table->metadata_location) return std::optional<Pointer>();
    return std::optional(Pointer{PointerKind::kTable, *table->metadata_location});
  }

  Result<bool> Insert(const TableIdentifier& id, const Pointer& pointer) override {
    if (id.ns.size() != 1) return catalog::NoSuchNamespace(id.ns);
    RETURN_IF_ERROR(CheckS3TablesName("table", id.name));
    S3Table table{bucket_, id.ns[0], id.name, NewUuid()};
    table.created_ms = table.modified_ms = SystemClock().NowMillis();
    table.version_token = NewVersionToken();
    table.metadata_location = pointer.metadata_location;
    table.warehouse_location =
        pointer.metadata_location.substr(0, pointer.metadata_location.find("/metadata/"));
    return store_->Add(table);
  }

  Result<bool> Swap(const TableIdentifier& id, PointerKind kind, const std::string& from,
                    const std::string& to) override {
    ASSIGN_OR_RETURN(const auto table, Row(id));
    if (kind != PointerKind::kTable || !table || table->metadata_location != from) return false;
    return store_->SwapMetadata(*table, to, SystemClock().NowMillis());
  }

  Result<std::optional<size_t>> SwapAll(const std::vector<catalog::PointerSwap>& swaps) override {
    if (swaps.size() == 1 && swaps[0].from) {
      ASSIGN_OR_RETURN(const bool done,
                       Swap(swaps[0].id, PointerKind::kTable, *swaps[0].from, swaps[0].to));
      return done ? std::optional<size_t>() : 0;
    }
    return catalog::NotSupported("S3 Tables commits one table at a time");
  }

  Result<bool> Remove(const TableIdentifier& id, PointerKind kind) override {
    ASSIGN_OR_RETURN(const auto table, Row(id));
    if (kind != PointerKind::kTable || !table) return false;
    return store_->RemoveTable(*table);
  }

  Result<bool> Rename(const TableIdentifier& from, const TableIdentifier& to,
                      PointerKind kind) override {
    ASSIGN_OR_RETURN(const auto table, Row(from));
    if (kind != PointerKind::kTable || !table || to.ns.size() != 1) return false;
    return store_->Rename(*table, to.ns[0], to.name);
  }

  Result<std::vector<std::string>> Names(const Namespace& ns, PointerKind kind) override {
    std::vector<std::string> names;
    if (kind != PointerKind::kTable || ns.size() != 1) return names;
    ASSIGN_OR_RETURN(const auto tables, store_->Tables(bucket_, ns[0]));
    for (const S3Table& table : tables) names.push_back(table.name);
    return names;
  }

  Result<bool> HasNamespace(const Namespace& ns) override {
    if (ns.size() != 1) return false;
    ASSIGN_OR_RETURN(const auto row, store_->FindNamespace(bucket_, ns[0]));
    return row.has_value();
  }

  Result<std::vector<Namespace>> AllNamespaces() override {
    ASSIGN_OR_RETURN(const auto rows, store_->Namespaces(bucket_));
    std::vector<Namespace> out;
    for (const S3TableNamespace& row : rows) out.push_back({row.name});
    return out;
  }

  Result<Properties> FindProperties(const Namespace&) override { return Properties(); }

  Status PutProperties(const Namespace& ns, const Properties& properties) override {
    for (const auto& [key, value] : properties) {
      if (key == "owner" || key == "exists") continue;  // the latter is the metastore's own mark
      return BadRequest(fmt::format("S3 Tables keeps no namespace property {}", key));
    }
    if (ns.size() != 1) return BadRequest("S3 Tables namespaces have a single level");
    RETURN_IF_ERROR(CheckS3TablesName("namespace", ns[0]));
    RETURN_IF_ERROR(
        store_->Add(S3TableNamespace{bucket_, ns[0], NewUuid(), SystemClock().NowMillis()}));
    return {};
  }

  Status RemoveProperties(const Namespace&, const std::vector<std::string>&) override { return {}; }

  Status RemoveNamespace(const Namespace& ns) override {
    ASSIGN_OR_RETURN(const bool removed, store_->RemoveNamespace(bucket_, ns[0]));
    if (removed) return {};
    return catalog::NotEmpty(fmt::format("Namespace {} is not empty.", ns[0]));
  }

 private:
  static tl::unexpected<Error> BadRequest(std::string message) {
    return Fail(ErrorCode::kInvalidArgument, std::move(message), "BadRequestException");
  }
  Result<std::optional<S3Table>> Row(const TableIdentifier& id) {
    if (id.ns.size() != 1) return std::optional<S3Table>();
    return store_->FindTable(bucket_, id.ns[0], id.name);
  }

  const std::string bucket_;
  const std::shared_ptr<S3TablesStore> store_;
};

}  // namespace

std::shared_ptr<catalog::Catalog> MakeS3TablesCatalog(const std::string& bucket,
                                                      std::shared_ptr<S3TablesStore> store,
                                                      S3TablesStorage storage) {
  catalog::MetastoreCatalog::Options options;
  options.name = bucket;
  options.properties = storage.properties;
  options.warehouse = storage.location;
  options.strict_namespaces = true;
  options.supports_views = false;
  io::FileSystem& files = *storage.files;
  return std::make_shared<catalog::S3TablesCatalog>(
      std::move(options), std::make_unique<BucketPointers>(bucket, std::move(store)), files,
      [storage = std::move(storage)](const TableIdentifier&) -> Result<std::string> {
        return NewTableStorage(storage);
      });
}

std::string NewTableStorage(const S3TablesStorage& storage) {
  return fmt::format("{}/{}--table-s3", storage.location, NewUuid());
}

Status CheckS3TablesName(std::string_view what, const std::string& name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (!name.empty() && name.size() <= 255 &&
      name.find_first_not_of(kAllowed) == std::string::npos && name[0] != '_')
    return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("The specified {} name is not valid.", what),
              "BadRequestException");
}

}  // namespace iceblink::server
