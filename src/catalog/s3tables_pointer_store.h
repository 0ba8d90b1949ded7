// PointerStore over the S3 Tables control plane: what awslabs' S3TablesCatalog does. A table's
// pointer is its metadata location there; a swap sends the version token that goes with the pointer
// read, so that of two writers one wins. Amazon S3 Tables, moto, SeaweedFS and `iceblink serve`
// answer alike.
//
// Signed with SigV4 for the service s3tables. Threads: safe from several.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "catalog/pointer_store.h"
#include "io/http.h"
#include "io/sigv4.h"

namespace iceblink::catalog {

class S3TablesPointerStore final : public PointerStore {
 public:
  struct Options {
    std::string endpoint;    // "https://s3tables.us-east-1.amazonaws.com", no slash at the end
    std::string bucket_arn;  // of the table bucket
    std::string region;
    io::AwsCredentials credentials;
  };
  // From a catalog's properties: warehouse (the ARN), s3tables.endpoint, client.region,
  // client.access-key-id ..., else S3's keys, else the environment's. Error: kInvalidArgument where
  // they do not suffice.
  static Result<Options> ReadOptions(const Properties& properties);
  explicit S3TablesPointerStore(Options options) : options_(std::move(options)) {}

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
  Result<Properties> FindProperties(const Namespace&) override { return Properties(); }
  Status PutProperties(const Namespace& ns, const Properties& properties) override;
  Status RemoveProperties(const Namespace&, const std::vector<std::string>&) override { return {}; }
  Status RemoveNamespace(const Namespace& ns) override;

  // Where the service wants the table's files; makes the table there when it does not exist yet.
  Result<std::string> StorageOf(const TableIdentifier& id);

 private:
  // A table as the service tells of it.
  struct Row {
    std::string version_token;
    std::optional<std::string> metadata_location;
    std::string warehouse_location;
  };
  // Errors: kNotFound for 404, kConflict for 409, else by status.
  Result<Json> Call(const std::string& method, const std::string& path, const std::string& query,
                    const std::string& body);
  Result<std::optional<Row>> FindRow(const TableIdentifier& id);
  Result<bool> Point(const TableIdentifier& id, const std::string& token, const std::string& to);
  std::string BucketPath(const std::string& kind) const;
  std::string TablePath(const TableIdentifier& id) const;
  // The members `list_key` of all pages.
  Result<std::vector<Json>> ListAll(const std::string& path, std::string query,
                                    const char* list_key);

  const Options options_;
  io::HttpClient http_;
};

}  // namespace iceblink::catalog
