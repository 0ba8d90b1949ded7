// RestCatalog: a catalog that a server keeps, over the Iceberg REST protocol.
//
// The server writes metadata files; the client sends what changed. CommitTable turns base ->
// updated into updates and the requirements under which they hold, so that a concurrent change of
// something else does not refuse it; the answer carries the new metadata, and nothing is loaded
// again. A commit whose answer was lost, or is 500, 502, 503 or 504, is kCommitUnknown.
//
// What is loaded is kept with its ETag; a server that has ETags answers an unchanged table with
// 304. Credentials that come with a table go to the hook of Options, for the locations they are
// meant for, before the table is returned.
//
// Threads: safe from several.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "catalog/catalog.h"
#include "catalog/rest_client.h"
#include "catalog/rest_endpoints.h"
#include "catalog/rest_messages.h"

namespace iceblink::catalog::rest {

class RestCatalog final : public Catalog,
                          public ViewCatalog,
                          public std::enable_shared_from_this<RestCatalog> {
 public:
  // Locations that begin with `prefix` are reached with `properties`, until `expires_ms` (since the
  // epoch, when they end at all); `renew` hands out new ones.
  using CredentialHook =
      std::function<void(const std::string& prefix, const Properties& properties,
                         std::optional<int64_t> expires_ms, std::function<void()> renew)>;
  struct Options {
    std::string name;
    Properties properties;  // as the user gives them
    io::FileSystem* files = nullptr;
    CredentialHook set_credentials;  // may be empty
    const Clock* clock = &SystemClock();
  };
  // Asks the server for its configuration.
  static Result<std::shared_ptr<Catalog>> Open(Options options);

  const std::string& name() const override { return options_.name; }
  const Properties& properties() const override { return merged_; }
  io::FileSystem& file_system() override { return *options_.files; }
  ViewCatalog* views() override { return endpoints_.Has(Endpoint::kLoadView) ? this : nullptr; }
  bool is_remote() const override { return true; }

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Result<bool> NamespaceExists(const Namespace& ns) override;
  Result<Properties> LoadNamespace(const Namespace& ns) override;
  Status CreateNamespace(const Namespace& ns, const Properties& properties) override;
  Status DropNamespace(const Namespace& ns) override;
  Status SetNamespaceProperties(const Namespace& ns, const Properties& properties) override;
  Status RemoveNamespaceProperties(const Namespace& ns,
                                   const std::vector<std::string>& keys) override;

  Result<std::vector<TableIdentifier>> ListTables(const Namespace& ns) override;
  Result<bool> TableExists(const TableIdentifier& id) override;
  Result<LoadedTable> LoadTable(const TableIdentifier& id) override;
  Result<std::string> DefaultTableLocation(const TableIdentifier&) override {
    return std::string();
  }
  Result<spec::TableMetadata> StageTable(const TableIdentifier& id, spec::NewTable table,
                                         int64_t now_ms) override;
  // Metadata with snapshots is a staged table's, and is committed whole.
  Result<LoadedTable> CreateTable(const TableIdentifier& id, spec::TableMetadata metadata) override;
  Result<LoadedTable> CommitTable(const TableIdentifier& id, const LoadedTable& base,
                                  spec::TableMetadata updated) override;
  Status CommitTables(std::vector<TableChange> changes) override;
  Status DropTable(const TableIdentifier& id) override;
  Result<bool> DropAndPurgeTable(const TableIdentifier& id) override;
  Status RenameTable(const TableIdentifier& from, const TableIdentifier& to) override;
  Result<LoadedTable> RegisterTable(const TableIdentifier& id,
                                    const std::string& metadata_location) override;

  Result<std::vector<TableIdentifier>> ListViews(const Namespace& ns) override;
  Result<bool> ViewExists(const TableIdentifier& id) override;
  Result<LoadedView> LoadView(const TableIdentifier& id) override;
  Result<LoadedView> CreateView(const TableIdentifier& id,
                                const spec::ViewMetadata& metadata) override;
  Result<LoadedView> ReplaceView(const TableIdentifier& id, const LoadedView& base,
                                 const spec::ViewMetadata& updated) override;
  Status DropView(const TableIdentifier& id) override;
  Status RenameView(const TableIdentifier& from, const TableIdentifier& to) override;

 private:
  // A table as the server last told it.
  struct Known {
    TableIdentifier id;
    std::string etag;  // never empty
    LoadedTable table;
    std::optional<int64_t> expires_ms;  // of its credentials
  };

  RestCatalog(Options options, std::unique_ptr<RestClient> client)
      : options_(std::move(options)), client_(std::move(client)) {}
  Status Configure();
  Status Require(Endpoint endpoint) const;
  // A path has no place for the root namespace: nothing is in it.
  static Status RequireTableName(const TableIdentifier& id);
  static Status RequireViewName(const TableIdentifier& id);
  static Status RequireNamespaceName(const Namespace& ns);

  // Paths below the base.
  std::string Path(const std::string& rest) const;
  std::string NamespacePath(const Namespace& ns, const std::string& rest = {}) const;
  std::string TablePath(const TableIdentifier& id) const;
  std::string ViewPath(const TableIdentifier& id) const;

  Status Post(Subject subject, const std::string& path, const Json& body);
  Status Delete(Subject subject, const std::string& path, Query query = {});
  // HEAD where the server has it, else GET; false for 404.
  Result<bool> Exists(Subject subject, const std::string& path, Endpoint head);
  // Visits each page of a list.
  Status EachPage(Call call, const std::function<Result<std::optional<std::string>>(Json)>& page);
  Result<std::vector<TableIdentifier>> ListIdentifiers(Subject subject, const std::string& path);

  Result<LoadTableResult> SendForTable(const Call& call, std::string* etag);
  Result<LoadTableResult> PostCreate(const TableIdentifier& id, const spec::TableMetadata& metadata,
                                     bool stage);
  // Hands out the credentials and keeps the table.
  LoadedTable Accept(const TableIdentifier& id, LoadTableResult result, const std::string& etag);
  void HandOutCredentials(const TableIdentifier& id, const LoadTableResult& result);
  void HandOut(const TableIdentifier& id, const std::string& prefix, const Properties& properties);
  // Asks the server for credentials of a table that was loaded before.
  Status RenewCredentials(const TableIdentifier& id);
  Status Drop(const TableIdentifier& id, bool purge);

  std::optional<Known> FindKnown(const TableIdentifier& id);
  void Keep(Known known);
  void Forget(const TableIdentifier& id);

  const Options options_;
  const std::unique_ptr<RestClient> client_;
  Properties merged_;  // defaults, then the user's, then overrides
  Endpoints endpoints_;
  std::string prefix_;     // "" or "prefix/"
  std::string separator_;  // of namespace levels, encoded

  std::mutex mutex_;
  std::list<Known> known_;  // most recently used first
};

}  // namespace iceblink::catalog::rest
